//! Errors as gRPC statuses, with the details that SDKs tell errors apart by.

use axum::http::{HeaderMap, StatusCode};
use gateway_core::Failure;
use gateway_proto::status_details;
use gateway_protocol::{
    Error, ErrorKind, Version,
    rest::{
        error_body_as, error_to,
        status::{GrpcCode, grpc_code, http_status, type_name},
    },
};
use serde_json::{Value, value::RawValue};
use tonic::{Code, Status, metadata::MetadataMap};

use crate::{headers, status};

/// Returns the status of a failure.
pub(super) fn of_failure(version: Version, failure: &Failure) -> Status {
    let mut about = HeaderMap::new();
    headers::describe_failure(&mut about, failure);
    let code = status::grpc(version, failure);
    let mut status = of_own(version, code, &failure.error);
    *status.metadata_mut() = MetadataMap::from_headers(about);
    status
}

/// Returns the status of a request whose body could not be read.
pub(super) fn of_body(version: Version, http: StatusCode, error: &Error) -> Status {
    let code = match http {
        StatusCode::PAYLOAD_TOO_LARGE => GrpcCode::ResourceExhausted,
        StatusCode::REQUEST_TIMEOUT => GrpcCode::DeadlineExceeded,
        _ => GrpcCode::InvalidArgument,
    };
    of_own(version, code, error)
}

/// Returns the status of an error object that stands in an answer.
pub(super) fn of_error(version: Version, object: &[u8]) -> Status {
    match serde_json::from_slice::<&RawValue>(object) {
        Ok(object) => {
            let kind = kind_of(object).unwrap_or(ErrorKind::Internal);
            let (_, body) = error_to(Version::V1, object);
            build(version, grpc_code(version, kind), kind_of(object), &body)
        }
        Err(_) => {
            let error = Error::new(ErrorKind::InvalidAgentResponse, "the error is not readable");
            of_own(version, grpc_code(version, error.kind), &error)
        }
    }
}

fn of_own(version: Version, code: GrpcCode, error: &Error) -> Status {
    let http = http_status(Version::V1, error.kind);
    let body = error_body_as(Version::V1, http, error);
    build(version, code, Some(error.kind), &body)
}

fn kind_of(object: &RawValue) -> Option<ErrorKind> {
    let object: Value = serde_json::from_str(object.get()).ok()?;
    object["code"].as_i64().and_then(ErrorKind::from_code)
}

/// Builds a status from the body that tells the same error over REST: the details of both are the same.
fn build(version: Version, code: GrpcCode, kind: Option<ErrorKind>, body: &[u8]) -> Status {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = body["error"]["message"].as_str().unwrap_or_default();
    // Clients of 0.3 know errors by the names that their servers put before the text.
    let message = match (version, kind) {
        (Version::V03, Some(kind)) => format!("{}: {message}", type_name(kind)),
        _ => message.to_owned(),
    };
    let details = body["error"]["details"].as_array();
    let number = i32::from(code.number());
    let details = status_details(number, &message, details.map_or(&[][..], Vec::as_slice));
    Status::with_details(Code::from_i32(number), message, details)
}

#[cfg(test)]
mod tests {
    use gateway_proto::read_status_details;
    use serde_json::json;

    use super::*;

    /// The nine errors of A2A with their code in 1.0, that of the Python servers of 0.3, and the name they give it.
    const NINE: [(i32, Code, Code, &str); 9] = [
        (-32001, Code::NotFound, Code::NotFound, "TaskNotFound"),
        (
            -32002,
            Code::FailedPrecondition,
            Code::Unimplemented,
            "TaskNotCancelable",
        ),
        (
            -32003,
            Code::FailedPrecondition,
            Code::Unimplemented,
            "PushNotificationNotSupported",
        ),
        (
            -32004,
            Code::FailedPrecondition,
            Code::Unimplemented,
            "UnsupportedOperation",
        ),
        (
            -32005,
            Code::InvalidArgument,
            Code::Unimplemented,
            "ContentTypeNotSupported",
        ),
        (
            -32006,
            Code::Internal,
            Code::Internal,
            "InvalidAgentResponse",
        ),
        (
            -32007,
            Code::FailedPrecondition,
            Code::Unknown,
            "ExtendedAgentCardNotConfigured",
        ),
        (
            -32008,
            Code::FailedPrecondition,
            Code::FailedPrecondition,
            "ExtensionSupportRequired",
        ),
        (
            -32009,
            Code::FailedPrecondition,
            Code::FailedPrecondition,
            "VersionNotSupported",
        ),
    ];

    #[test]
    fn nine_errors_have_their_status_in_both_versions() {
        for (code, new, old, name) in NINE {
            let object = json!({ "code": code, "message": "told" }).to_string();
            let kind = ErrorKind::from_code(code.into()).unwrap();
            let old_message = format!("{name}Error: told");
            for (version, expected, message) in [
                (Version::V1, new, "told"),
                (Version::V03, old, old_message.as_str()),
            ] {
                let status = of_error(version, object.as_bytes());
                assert_eq!((status.code(), status.message()), (expected, message));
                let details = read_status_details(status.details()).unwrap().details;
                assert_eq!(details[0]["reason"], kind.reason(), "{name}");
                assert_eq!(details[0]["domain"], "a2a-protocol.org");
            }
        }
    }
}
