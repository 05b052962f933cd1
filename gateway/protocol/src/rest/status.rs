//! The one table from error kinds to HTTP status, gRPC code and SDK type name, and the ways back (A2A §5.4).
//!
//! It is shared by REST and gRPC.

use crate::{ErrorKind, Operation, Version};

mod grpc_code;
mod table;

pub use grpc_code::GrpcCode;
pub use table::type_name;

/// Returns the HTTP status that a version gives to a kind.
pub const fn http_status(version: Version, kind: ErrorKind) -> u16 {
    table::statuses(version, kind).0
}

/// Returns the gRPC code that a version gives to a kind.
pub const fn grpc_code(version: Version, kind: ErrorKind) -> GrpcCode {
    table::statuses(version, kind).1
}

/// Finds the kind of a class name.
pub fn kind_of_type_name(name: &str) -> Option<ErrorKind> {
    let old_name = (name == "AuthenticatedExtendedCardNotConfiguredError")
        .then_some(ErrorKind::ExtendedAgentCardNotConfigured);
    old_name.or_else(|| {
        ErrorKind::ALL
            .into_iter()
            .find(|kind| type_name(*kind) == name)
    })
}

/// Finds the kind of a message that begins with a class name, `TaskNotFoundError: no such task`.
pub fn kind_of_prefix(message: &str) -> Option<ErrorKind> {
    let (name, _) = message.split_once(':')?;
    kind_of_type_name(name.trim())
}

/// Finds the kind of an `ErrorInfo` reason, with the one that Python servers give to internal errors.
pub fn kind_of_reason(reason: &str) -> Option<ErrorKind> {
    if reason == INTERNAL_ERROR {
        return Some(ErrorKind::Internal);
    }
    ErrorKind::ALL
        .into_iter()
        .find(|kind| kind.reason() == reason)
}

/// Returns the `ErrorInfo` reason under which the SDKs know a kind.
pub const fn reason(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Internal => INTERNAL_ERROR,
        kind => kind.reason(),
    }
}

const INTERNAL_ERROR: &str = "INTERNAL_ERROR";

/// Guesses the kind of an error that tells nothing but its HTTP status.
pub const fn kind_of_http(status: u16, operation: Operation) -> ErrorKind {
    match (status, operation) {
        (404, Operation::GetExtendedAgentCard) => ErrorKind::ExtendedAgentCardNotConfigured,
        (404, _) => ErrorKind::TaskNotFound,
        (409, _) => ErrorKind::TaskNotCancelable,
        (415, _) => ErrorKind::ContentTypeNotSupported,
        (501, operation) if manages_push(operation) => ErrorKind::PushNotificationNotSupported,
        (405 | 501, _) => ErrorKind::UnsupportedOperation,
        (502, _) => ErrorKind::InvalidAgentResponse,
        (400 | 422, _) => ErrorKind::InvalidParams,
        _ => ErrorKind::Internal,
    }
}

/// Guesses the kind of an error that tells nothing but its gRPC code.
pub const fn kind_of_grpc(code: GrpcCode, operation: Operation) -> ErrorKind {
    match (code, operation) {
        (GrpcCode::FailedPrecondition | GrpcCode::NotFound, Operation::GetExtendedAgentCard) => {
            ErrorKind::ExtendedAgentCardNotConfigured
        }
        (GrpcCode::NotFound, _) => ErrorKind::TaskNotFound,
        (GrpcCode::InvalidArgument | GrpcCode::OutOfRange, _) => ErrorKind::InvalidParams,
        (GrpcCode::FailedPrecondition, Operation::CancelTask) => ErrorKind::TaskNotCancelable,
        (GrpcCode::FailedPrecondition, operation) if manages_push(operation) => {
            ErrorKind::PushNotificationNotSupported
        }
        (GrpcCode::FailedPrecondition | GrpcCode::Unimplemented, _) => {
            ErrorKind::UnsupportedOperation
        }
        _ => ErrorKind::Internal,
    }
}

/// Returns the gRPC code that goes with an HTTP status; the gateway's own failures are told by both.
pub const fn grpc_of_http(status: u16) -> GrpcCode {
    match status {
        200..=299 => GrpcCode::Ok,
        401 => GrpcCode::Unauthenticated,
        403 => GrpcCode::PermissionDenied,
        404 => GrpcCode::NotFound,
        405 | 501 => GrpcCode::Unimplemented,
        409 => GrpcCode::Aborted,
        413 | 429 => GrpcCode::ResourceExhausted,
        499 => GrpcCode::Cancelled,
        503 => GrpcCode::Unavailable,
        408 | 504 => GrpcCode::DeadlineExceeded,
        400..=498 => GrpcCode::InvalidArgument,
        _ => GrpcCode::Internal,
    }
}

const fn manages_push(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig
    )
}

#[cfg(test)]
mod tests;
