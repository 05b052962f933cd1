//! What HTTP and gRPC say about a failure below the error itself.

use axum::http::StatusCode;
use gateway_core::Failure;
use gateway_protocol::{
    Version,
    rest::status::{GrpcCode, grpc_code, grpc_of_http, http_status},
};

/// Returns the HTTP status of a failure.
pub(crate) fn http(version: Version, failure: &Failure) -> StatusCode {
    let status = own(failure).unwrap_or_else(|| http_status(version, failure.error.kind));
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Returns the gRPC code of a failure.
pub(crate) fn grpc(version: Version, failure: &Failure) -> GrpcCode {
    own(failure).map_or_else(|| grpc_code(version, failure.error.kind), grpc_of_http)
}

/// Returns the HTTP status of what only a gateway knows. 503 invites another try, so it is kept for requests
/// that no agent has begun to work on.
fn own(failure: &Failure) -> Option<u16> {
    match failure.kind {
        "unknown_agent" => Some(404),
        "agents_unavailable" | "saturated" | "dns" | "refused" | "tls" | "connect_timeout"
        | "overloaded" => Some(503),
        "timeout" | "stream_idle" => Some(504),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use gateway_core::{
        AgentId,
        ports::{AttemptError, AttemptErrorKind},
    };
    use gateway_protocol::{Error, ErrorKind};

    use super::*;

    fn attempt(kind: AttemptErrorKind) -> Failure {
        let error = AttemptError {
            kind,
            sent: false,
            detail: "broken".to_owned(),
            retry_after: None,
        };
        Failure::attempt(&AgentId::parse("a").unwrap(), &error)
    }

    #[test]
    fn unreachable_agents_are_told_apart_from_slow_ones() {
        for (kind, expected) in [
            (AttemptErrorKind::Dns, (503, GrpcCode::Unavailable)),
            (AttemptErrorKind::Refused, (503, GrpcCode::Unavailable)),
            (AttemptErrorKind::Overloaded, (503, GrpcCode::Unavailable)),
            (AttemptErrorKind::Timeout, (504, GrpcCode::DeadlineExceeded)),
            (AttemptErrorKind::Reset, (500, GrpcCode::Internal)),
            (AttemptErrorKind::Malformed, (500, GrpcCode::Internal)),
        ] {
            let failure = attempt(kind);
            let told = (
                http(Version::V1, &failure).as_u16(),
                grpc(Version::V1, &failure),
            );
            assert_eq!(told, expected, "{kind:?}");
        }
    }

    #[test]
    fn errors_of_the_protocol_follow_its_table() {
        let error = Error::new(ErrorKind::TaskNotCancelable, "over");
        let failure = Failure::bad_request(error);
        assert_eq!(http(Version::V1, &failure), 400);
        assert_eq!(http(Version::V03, &failure), 409);
        assert_eq!(http(Version::V1, &Failure::unknown_agent("x")), 404);
    }
}
