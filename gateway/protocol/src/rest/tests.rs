//! The routes of both versions, read and written.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::{Error, ErrorKind};

mod properties;
mod refusals;
mod spellings;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Reads a request line and its body.
fn read(line: &str, prefer: Option<Version>, body: &[u8]) -> Result<(Route, Value), Error> {
    let (method, target) = line.split_once(' ').unwrap();
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let route = Route::parse(method, path, query, prefer).map_err(|error| error.error())?;
    let params = route.params(body)?;
    Ok((route, serde_json::from_str(params.get()).unwrap()))
}

/// Every route with the parameters that it stands for: version, operation, request line, parameters.
const ROUTES: &str = r#"
1.0 SendMessage POST /message:send {"message":{"messageId":"m","parts":[{"text":"hi"}]},"metadata":{"n":1}}
1.0 SendMessage POST /a%20b/message:send {"tenant":"a b","message":{}}
1.0 SendStreamingMessage POST /message:stream {"message":{"messageId":"m"}}
1.0 GetTask GET /tasks/t-1 {"id":"t-1"}
1.0 GetTask GET /tasks/t%3Acancel {"id":"t:cancel"}
1.0 GetTask GET /x/tasks/%C3%A4%2F?historyLength=0 {"tenant":"x","id":"ä/","historyLength":0}
1.0 ListTasks GET /tasks {}
1.0 ListTasks GET /tasks?contextId=c&status=TASK_STATE_WORKING&pageSize=5 {"contextId":"c","status":"TASK_STATE_WORKING","pageSize":5}
1.0 ListTasks GET /tasks?pageToken=p%26q&historyLength=0&includeArtifacts=false {"pageToken":"p&q","historyLength":0,"includeArtifacts":false}
1.0 ListTasks GET /tasks?statusTimestampAfter=2026-01-31T08%3A00%3A00Z {"statusTimestampAfter":"2026-01-31T08:00:00Z"}
1.0 CancelTask POST /tasks/t-1:cancel {"id":"t-1","metadata":{"why":1}}
1.0 SubscribeToTask POST /x/tasks/t-1:subscribe {"tenant":"x","id":"t-1"}
1.0 CreateTaskPushNotificationConfig POST /tasks/t-1/pushNotificationConfigs {"taskId":"t-1","id":"c","url":"https://hook"}
1.0 GetTaskPushNotificationConfig GET /tasks/t-1/pushNotificationConfigs/c {"taskId":"t-1","id":"c"}
1.0 ListTaskPushNotificationConfigs GET /tasks/t-1/pushNotificationConfigs?pageSize=2&pageToken=p {"taskId":"t-1","pageSize":2,"pageToken":"p"}
1.0 DeleteTaskPushNotificationConfig DELETE /x/tasks/t-1/pushNotificationConfigs/c {"tenant":"x","taskId":"t-1","id":"c"}
1.0 GetExtendedAgentCard GET /extendedAgentCard {}
1.0 GetExtendedAgentCard GET /x/extendedAgentCard {"tenant":"x"}
0.3 SendMessage POST /v1/message:send {"message":{"messageId":"m","content":[{"text":"hi"}]}}
0.3 SendStreamingMessage POST /v1/message:stream {"message":{"messageId":"m"}}
0.3 GetTask GET /v1/tasks/t-1?historyLength=3 {"name":"tasks/t-1","historyLength":3}
0.3 CancelTask POST /v1/tasks/t-1:cancel {"name":"tasks/t-1"}
0.3 SubscribeToTask POST /v1/tasks/t-1:subscribe {"name":"tasks/t-1"}
0.3 CreateTaskPushNotificationConfig POST /v1/tasks/t-1/pushNotificationConfigs {"parent":"tasks/t-1","configId":"c","config":{"pushNotificationConfig":{"url":"u"}}}
0.3 GetTaskPushNotificationConfig GET /v1/tasks/t-1/pushNotificationConfigs/c%3A1 {"name":"tasks/t-1/pushNotificationConfigs/c:1"}
0.3 ListTaskPushNotificationConfigs GET /v1/tasks/t-1/pushNotificationConfigs {"parent":"tasks/t-1"}
0.3 DeleteTaskPushNotificationConfig DELETE /v1/tasks/t-1/pushNotificationConfigs/c%2F1 {"name":"tasks/t-1/pushNotificationConfigs/c/1"}
0.3 DeleteTaskPushNotificationConfig DELETE /v1/tasks/t-1/pushNotificationConfigs/c%3A1 {"name":"tasks/t-1/pushNotificationConfigs/c:1"}
0.3 GetExtendedAgentCard GET /v1/card {}
"#;

fn routes() -> Vec<(Version, Operation, String, Value)> {
    let rows = ROUTES.trim().lines().map(|row| {
        let mut cells = row.splitn(5, ' ');
        let mut next = || cells.next().unwrap();
        let version = Version::parse(next()).unwrap();
        let (_, operation) = Operation::from_method(next()).unwrap();
        let line = format!("{} {}", next(), next());
        (
            version,
            operation,
            line,
            serde_json::from_str(next()).unwrap(),
        )
    });
    rows.collect()
}

#[test]
fn every_route_leads_both_ways() {
    for (version, operation, line, params) in routes() {
        let request = request(operation, version, &raw(&params.to_string())).unwrap();
        assert_eq!(format!("{} {}", request.method, request.target()), line);
        assert_eq!(request.unplaced, 0, "{line}");
        let body = request.body.unwrap_or_default();
        assert!(
            body.is_empty() || body == params.to_string().into_bytes(),
            "{line}"
        );
        for prefer in [None, Some(version)] {
            let (route, read) = read(&line, prefer, &body).unwrap();
            assert_eq!(
                (route.version, route.operation),
                (version, operation),
                "{line}"
            );
            assert_eq!(read, params, "{line}");
        }
    }
}

#[test]
fn members_without_a_place_are_counted() {
    let params =
        r#"{"id":"t","history_length":1,"taskId":"t","tenant":"x","n":null,"metadata":{},"m":1}"#;
    for (operation, version, params, unplaced) in [
        (Operation::GetTask, Version::V1, params, 3),
        (Operation::SubscribeToTask, Version::V1, params, 4),
        (Operation::CancelTask, Version::V1, params, 0),
        (
            Operation::GetTask,
            Version::V03,
            r#"{"name":"tasks/t","id":"t"}"#,
            1,
        ),
        (
            Operation::ListTasks,
            Version::V1,
            r#"{"contextId":"c","id":"t"}"#,
            1,
        ),
        (
            Operation::GetExtendedAgentCard,
            Version::V1,
            r#"{"tenant":"x","n":1}"#,
            1,
        ),
    ] {
        let request = request(operation, version, &raw(params)).unwrap();
        assert_eq!(request.unplaced, unplaced, "{version} {operation} {params}");
    }
}

#[test]
fn every_operation_has_a_route_in_both_versions() {
    for version in [Version::V1, Version::V03] {
        for operation in Operation::ALL {
            let has_route = routes()
                .iter()
                .any(|row| (row.0, row.1) == (version, operation));
            let has_method = operation.method(version).is_some();
            assert_eq!(has_route, has_method, "{version} {operation}");
        }
    }
}

#[test]
fn content_types_are_those_of_the_versions() {
    assert_eq!(response_content_type(Version::V1), "application/a2a+json");
    assert_eq!(response_content_type(Version::V03), "application/json");
    let send = Operation::SendMessage;
    assert_eq!(
        accept(Version::V1, send),
        "application/a2a+json, application/json"
    );
    assert_eq!(accept(Version::V03, send), "application/json");
    assert_eq!(
        accept(Version::V03, Operation::SubscribeToTask),
        "text/event-stream"
    );
    for known in [
        "application/json",
        "Application/A2A+JSON; charset=utf-8",
        "",
    ] {
        assert!(is_json(Some(known)), "{known}");
    }
    assert!(is_json(None) && !is_json(Some("text/plain")) && !is_json(Some("application/jsonp")));
}
