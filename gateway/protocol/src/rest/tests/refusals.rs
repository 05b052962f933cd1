//! What leads nowhere, and what is answered then.

use super::*;

fn refusal(line: &str, prefer: Option<Version>) -> RouteError {
    let (method, path) = line.split_once(' ').unwrap();
    Route::parse(method, path, None, prefer).unwrap_err()
}

#[test]
fn unknown_paths_are_not_found() {
    for line in [
        "GET /",
        "GET ",
        "GET /v1",
        "POST /message:other",
        "POST /message/send",
        "GET //tasks/t",
        "GET /tasks//pushNotificationConfigs",
        "GET /tasks/t/pushNotificationConfigs//",
        "POST /tasks/t/subscribe",
        "GET /card",
        "GET /v1/extendedAgentCard",
        "GET /x/v1/tasks/t",
        "GET /x/y/tasks/t",
    ] {
        let error = refusal(line, None);
        assert_eq!((error.status(), error.allow()), (404, None), "{line}");
        assert_eq!(error.error().kind, ErrorKind::MethodNotFound);
    }
}

#[test]
fn wrong_methods_are_told_the_right_ones() {
    for (line, allow) in [
        ("GET /message:send", "POST"),
        ("DELETE /v1/message:stream", "POST"),
        ("POST /tasks", "GET"),
        ("PUT /tasks/t", "GET"),
        ("GET /tasks/t:cancel", "POST"),
        ("DELETE /x/tasks/t:subscribe", "GET, POST"),
        ("DELETE /tasks/t/pushNotificationConfigs", "GET, POST"),
        ("POST /v1/tasks/t/pushNotificationConfigs/c", "DELETE, GET"),
        ("post /extendedAgentCard", "GET"),
    ] {
        let error = refusal(line, None);
        assert_eq!(error.status(), 405, "{line}");
        assert_eq!(error.allow().as_deref(), Some(allow), "{line}");
        let body: Value = serde_json::from_slice(&error.body(Version::V1)).unwrap();
        assert_eq!(body["error"]["code"], 405);
        assert_eq!(body["error"]["status"], "UNIMPLEMENTED");
    }
}

#[test]
fn c016_named_version_holds_against_the_path() {
    for (line, named) in [
        ("POST /v1/message:send", Version::V1),
        ("POST /message:send", Version::V03),
        ("GET /x/tasks/t", Version::V03),
    ] {
        let error = refusal(line, Some(named));
        assert_eq!(error.status(), 404, "{line}");
        assert!(error.to_string().contains("/v1/"), "{error}");
    }
    for tenant in [
        "v1",
        "%761",
        "tasks",
        "message:x",
        "card",
        "extendedAgentCard",
    ] {
        let error = refusal(&format!("GET /{tenant}/tasks/t"), Some(Version::V1));
        assert_eq!(error.status(), 404, "{tenant}");
    }
}

#[test]
fn contradicting_tenants_are_refused() {
    for (line, body) in [
        ("POST /x/message:send?tenant=y", "{}"),
        ("POST /x/message:send", r#"{"tenant":"y"}"#),
        ("POST /message:send?tenant=x", r#"{"tenant":"y"}"#),
        ("POST /x/tasks/t:cancel", r#"{"tenant":1}"#),
        ("POST /message:send", r#"{"tenant":"y","tenant":"y"}"#),
    ] {
        let error = read(line, None, body.as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidParams, "{line}");
        assert!(error.message.starts_with("`tenant` "), "{error}");
    }
}

#[test]
fn unreadable_ids_and_bodies_are_refused() {
    for (line, body, kind) in [
        ("GET /tasks/%FF", "", ErrorKind::InvalidParams),
        (
            "GET /v1/tasks/t/pushNotificationConfigs/x%2FpushNotificationConfigs%2Fy",
            "",
            ErrorKind::InvalidParams,
        ),
        (
            "GET /v1/tasks/t/pushNotificationConfigs/pushNotificationConfigs%2Fy",
            "",
            ErrorKind::InvalidParams,
        ),
        ("GET /tasks/t?historyLength=x", "", ErrorKind::InvalidParams),
        ("POST /message:send", "", ErrorKind::ParseError),
        ("POST /message:send", "[]", ErrorKind::InvalidRequest),
        (
            "POST /tasks/t/pushNotificationConfigs",
            "",
            ErrorKind::ParseError,
        ),
        ("POST /tasks/t:cancel", "<a>", ErrorKind::ParseError),
    ] {
        assert_eq!(
            read(line, None, body.as_bytes()).unwrap_err().kind,
            kind,
            "{line}"
        );
    }
}

#[test]
fn parameters_without_a_path_are_refused_by_name() {
    for (operation, version, params, name) in [
        (Operation::GetTask, Version::V1, "{}", "id"),
        (Operation::GetTask, Version::V1, r#"{"id":".."}"#, "id"),
        (
            Operation::GetTask,
            Version::V1,
            r#"{"id":"t","tenant":"."}"#,
            "tenant",
        ),
        (
            Operation::GetTask,
            Version::V1,
            r#"{"id":"t","historyLength":{}}"#,
            "historyLength",
        ),
        (Operation::CancelTask, Version::V1, r#"{"id":7}"#, "id"),
        (
            Operation::CancelTask,
            Version::V03,
            r#"{"name":"t"}"#,
            "name",
        ),
        (
            Operation::ListTaskPushNotificationConfigs,
            Version::V03,
            r#"{"parent":"tasks/"}"#,
            "parent",
        ),
        (
            Operation::GetTaskPushNotificationConfig,
            Version::V1,
            r#"{"taskId":"t"}"#,
            "id",
        ),
        (
            Operation::GetTaskPushNotificationConfig,
            Version::V03,
            r#"{"name":"tasks/t"}"#,
            "name",
        ),
        (
            Operation::CreateTaskPushNotificationConfig,
            Version::V03,
            r#"{"parent":"tasks/t"}"#,
            "config",
        ),
    ] {
        let error = request(operation, version, &raw(params)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidParams, "{params}");
        assert!(error.message.starts_with(&format!("`{name}` ")), "{error}");
    }
    let listing = request(Operation::ListTasks, Version::V03, &raw("{}")).unwrap_err();
    assert_eq!(listing.kind, ErrorKind::UnsupportedOperation);
}
