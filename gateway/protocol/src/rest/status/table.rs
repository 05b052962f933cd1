//! The rows of the table.

use super::GrpcCode;
use super::GrpcCode::{
    FailedPrecondition, Internal, InvalidArgument, NotFound, Unimplemented, Unknown,
};
use crate::{ErrorKind, Version};

/// Returns the HTTP status and the gRPC code of a kind.
pub(super) const fn statuses(version: Version, kind: ErrorKind) -> (u16, GrpcCode) {
    match version {
        Version::V1 => new(kind),
        Version::V03 => old(kind),
    }
}

const fn new(kind: ErrorKind) -> (u16, GrpcCode) {
    match kind {
        ErrorKind::TaskNotFound | ErrorKind::MethodNotFound => (404, NotFound),
        ErrorKind::TaskNotCancelable
        | ErrorKind::PushNotificationNotSupported
        | ErrorKind::UnsupportedOperation
        | ErrorKind::ExtendedAgentCardNotConfigured
        | ErrorKind::ExtensionSupportRequired
        | ErrorKind::VersionNotSupported => (400, FailedPrecondition),
        ErrorKind::ContentTypeNotSupported
        | ErrorKind::ParseError
        | ErrorKind::InvalidRequest
        | ErrorKind::InvalidParams => (400, InvalidArgument),
        ErrorKind::InvalidAgentResponse | ErrorKind::Internal => (500, Internal),
    }
}

/// Returns what the Python servers of 0.3 answer, since the text of that version defines nothing. They say 422 to wrong
/// parameters, where JavaScript and 1.0 agree on 400.
const fn old(kind: ErrorKind) -> (u16, GrpcCode) {
    match kind {
        ErrorKind::TaskNotCancelable => (409, Unimplemented),
        ErrorKind::PushNotificationNotSupported | ErrorKind::UnsupportedOperation => {
            (501, Unimplemented)
        }
        ErrorKind::ContentTypeNotSupported => (415, Unimplemented),
        ErrorKind::InvalidAgentResponse => (502, Internal),
        ErrorKind::ExtendedAgentCardNotConfigured => (404, Unknown),
        ErrorKind::TaskNotFound
        | ErrorKind::ExtensionSupportRequired
        | ErrorKind::VersionNotSupported
        | ErrorKind::ParseError
        | ErrorKind::InvalidRequest
        | ErrorKind::MethodNotFound
        | ErrorKind::InvalidParams
        | ErrorKind::Internal => new(kind),
    }
}

/// Returns the name of the error's class in the SDKs, which 0.3 servers put into `type` or before the message.
pub const fn type_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TaskNotFound => "TaskNotFoundError",
        ErrorKind::TaskNotCancelable => "TaskNotCancelableError",
        ErrorKind::PushNotificationNotSupported => "PushNotificationNotSupportedError",
        ErrorKind::UnsupportedOperation => "UnsupportedOperationError",
        ErrorKind::ContentTypeNotSupported => "ContentTypeNotSupportedError",
        ErrorKind::InvalidAgentResponse => "InvalidAgentResponseError",
        ErrorKind::ExtendedAgentCardNotConfigured => "ExtendedAgentCardNotConfiguredError",
        ErrorKind::ExtensionSupportRequired => "ExtensionSupportRequiredError",
        ErrorKind::VersionNotSupported => "VersionNotSupportedError",
        ErrorKind::ParseError => "JSONParseError",
        ErrorKind::InvalidRequest => "InvalidRequestError",
        ErrorKind::MethodNotFound => "MethodNotFoundError",
        ErrorKind::InvalidParams => "InvalidParamsError",
        ErrorKind::Internal => "InternalError",
    }
}
