//! The table against the specification, and the ways back.

use super::*;

#[test]
fn names_and_reasons_lead_back_to_their_kind() {
    for kind in ErrorKind::ALL {
        assert_eq!(kind_of_type_name(type_name(kind)), Some(kind));
        assert_eq!(kind_of_reason(reason(kind)), Some(kind));
        assert_eq!(kind_of_reason(kind.reason()), Some(kind));
        let message = format!("{}: told", type_name(kind));
        assert_eq!(kind_of_prefix(&message), Some(kind));
    }
    let old = "AuthenticatedExtendedCardNotConfiguredError: no card";
    assert_eq!(
        kind_of_prefix(old),
        Some(ErrorKind::ExtendedAgentCardNotConfigured)
    );
    for message in ["", "TaskNotFoundError", "task: not found", "R"] {
        assert_eq!(kind_of_prefix(message), None, "{message}");
        assert_eq!(kind_of_reason(message), None, "{message}");
    }
}

#[test]
fn statuses_and_codes_agree_in_the_new_version() {
    for kind in ErrorKind::ALL {
        let expected = match grpc_code(Version::V1, kind) {
            GrpcCode::NotFound => 404,
            GrpcCode::Internal => 500,
            _ => 400,
        };
        assert_eq!(http_status(Version::V1, kind), expected, "{kind:?}");
    }
}

#[test]
fn status_alone_gives_a_kind_where_it_can() {
    let get = Operation::GetTask;
    for (status, kind) in [
        (400, ErrorKind::InvalidParams),
        (404, ErrorKind::TaskNotFound),
        (405, ErrorKind::UnsupportedOperation),
        (409, ErrorKind::TaskNotCancelable),
        (415, ErrorKind::ContentTypeNotSupported),
        (422, ErrorKind::InvalidParams),
        (500, ErrorKind::Internal),
        (501, ErrorKind::UnsupportedOperation),
        (502, ErrorKind::InvalidAgentResponse),
        (503, ErrorKind::Internal),
    ] {
        assert_eq!(kind_of_http(status, get), kind, "{status}");
    }
    let card = Operation::GetExtendedAgentCard;
    assert_eq!(
        kind_of_http(404, card),
        ErrorKind::ExtendedAgentCardNotConfigured
    );
    let push = Operation::ListTaskPushNotificationConfigs;
    assert_eq!(
        kind_of_http(501, push),
        ErrorKind::PushNotificationNotSupported
    );
}

#[test]
fn code_alone_gives_a_kind_where_it_can() {
    let precondition = GrpcCode::FailedPrecondition;
    for (code, operation, kind) in [
        (
            GrpcCode::NotFound,
            Operation::GetTask,
            ErrorKind::TaskNotFound,
        ),
        (
            GrpcCode::InvalidArgument,
            Operation::GetTask,
            ErrorKind::InvalidParams,
        ),
        (
            precondition,
            Operation::CancelTask,
            ErrorKind::TaskNotCancelable,
        ),
        (
            precondition,
            Operation::SendMessage,
            ErrorKind::UnsupportedOperation,
        ),
        (
            precondition,
            Operation::CreateTaskPushNotificationConfig,
            ErrorKind::PushNotificationNotSupported,
        ),
        (
            GrpcCode::Unimplemented,
            Operation::ListTasks,
            ErrorKind::UnsupportedOperation,
        ),
        (
            GrpcCode::Unavailable,
            Operation::GetTask,
            ErrorKind::Internal,
        ),
    ] {
        assert_eq!(kind_of_grpc(code, operation), kind, "{code:?} {operation}");
    }
}
