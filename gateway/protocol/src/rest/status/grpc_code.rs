//! The status codes of gRPC under their numbers and names, which REST bodies of 1.0 carry as well.

/// Names a status code of gRPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum GrpcCode {
    /// No error.
    Ok = 0,
    /// The caller went away.
    Cancelled = 1,
    /// An error without a better code.
    Unknown = 2,
    /// The request is wrong whatever the state of the server.
    InvalidArgument = 3,
    /// Too late.
    DeadlineExceeded = 4,
    /// What the request names does not exist.
    NotFound = 5,
    /// What the request creates exists.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// A quota is used up, or a message too large.
    ResourceExhausted = 8,
    /// The state of the server does not allow the request.
    FailedPrecondition = 9,
    /// A conflict with another request.
    Aborted = 10,
    /// A position beyond the end.
    OutOfRange = 11,
    /// The server does not have the operation.
    Unimplemented = 12,
    /// Something failed inside.
    Internal = 13,
    /// The server cannot be reached for now.
    Unavailable = 14,
    /// Data is lost.
    DataLoss = 15,
    /// The caller is not known.
    Unauthenticated = 16,
}

impl GrpcCode {
    const ALL: [Self; 17] = [
        Self::Ok,
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// Returns the number on the wire.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Finds the code of a number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|code| i64::from(code.number()) == number)
    }

    /// Finds the code of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// Returns the name in capitals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::DataLoss => "DATA_LOSS",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GrpcCode;

    #[test]
    fn numbers_and_names_lead_back_to_their_code() {
        for code in GrpcCode::ALL {
            assert_eq!(GrpcCode::from_number(i64::from(code.number())), Some(code));
            assert_eq!(GrpcCode::from_name(code.name()), Some(code));
        }
        assert!(GrpcCode::ALL.map(GrpcCode::number).into_iter().eq(0..=16));
        assert_eq!(GrpcCode::from_number(17), None);
        assert_eq!(GrpcCode::from_number(-1), None);
    }
}
