//! The REST leg of both versions: paths, bodies, headers, errors, streams, and the other form of a request.

mod streams;

use std::sync::Arc;

use gateway_core::{
    agent::AgentAuth,
    ports::{AgentRequest, AnswerContent, AttemptErrorKind, Said},
};
use gateway_protocol::{
    Binding, Operation,
    Operation::{
        CancelTask, CreateTaskPushNotificationConfig, DeleteTaskPushNotificationConfig,
        GetExtendedAgentCard, GetTask, GetTaskPushNotificationConfig,
        ListTaskPushNotificationConfigs, ListTasks, SendMessage, SendStreamingMessage,
    },
    Version,
    Version::{V1, V03},
};
use serde_json::{Value, json};

use super::mock::*;

const MESSAGE: &str = r#"{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}"#;
const OLD_MESSAGE: &str = r#"{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}"#;
const TASK: &str = r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELED"}}"#;
const OLD_TASK: &str = r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"}}"#;

fn rest(url: &str, version: Version, operation: Operation, params: &str) -> AgentRequest {
    let agent = agent(url);
    AgentRequest {
        endpoint: endpoint(&agent, Binding::HttpJson, version),
        operation,
        params: params.to_owned().into(),
        ..request(agent)
    }
}

fn parsed(text: impl AsRef<[u8]>) -> Value {
    serde_json::from_slice(text.as_ref()).unwrap()
}

/// Sends a request to an agent below `/api/` and returns its request line and body.
async fn sent(version: Version, operation: Operation, params: &str) -> (String, Vec<u8>) {
    let mock = Mock::always(json("{}")).await;
    let url = format!("{}/api/", mock.url);
    // Whether the empty answer will do is of no matter here.
    let _answer = call(rest(&url, version, operation, params)).await;
    let seen = mock.seen().remove(0);
    assert_eq!(
        seen.headers.contains_key("content-type"),
        !seen.body.is_empty(),
        "{operation}"
    );
    (format!("{} {}", seen.method, seen.target), seen.body)
}

#[tokio::test]
async fn operations_of_1_0_go_where_they_belong_and_bodies_stay_as_they_are() {
    let message = format!(r#"{{"tenant":"x y", "message":{MESSAGE}}}"#);
    let message = message.as_str();
    let task = r#"{"tenant":"x","id":"a/b","historyLength":3}"#;
    let page = r#"{"pageSize":5}"#;
    let push = r#"{"taskId":"t","id":"p", "url":"http://hook"}"#;
    let of_task = "/api/tasks/t/pushNotificationConfigs";
    for (operation, params, line, body) in [
        (
            SendMessage,
            message,
            "POST /api/x%20y/message:send",
            message,
        ),
        (GetTask, task, "GET /api/x/tasks/a%2Fb?historyLength=3", ""),
        (CancelTask, task, "POST /api/x/tasks/a%2Fb:cancel", task),
        (ListTasks, page, "GET /api/tasks?pageSize=5", ""),
        (
            CreateTaskPushNotificationConfig,
            push,
            &format!("POST {of_task}"),
            push,
        ),
        (
            ListTaskPushNotificationConfigs,
            push,
            &format!("GET {of_task}"),
            "",
        ),
        (
            GetTaskPushNotificationConfig,
            push,
            &format!("GET {of_task}/p"),
            "",
        ),
        (
            DeleteTaskPushNotificationConfig,
            push,
            &format!("DELETE {of_task}/p"),
            "",
        ),
        (GetExtendedAgentCard, "", "GET /api/extendedAgentCard", ""),
    ] {
        let (called, sent) = sent(V1, operation, params).await;
        assert_eq!((called.as_str(), sent.as_slice()), (line, body.as_bytes()));
    }
}

#[tokio::test]
async fn c022_operations_of_0_3_go_where_they_belong_byte_for_byte() {
    let message = format!(r#"{{"request" : {OLD_MESSAGE},"n":1E2}}"#);
    let push = r#"{"parent":"tasks/t","configId":"p","config":{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":{"id":"p","url":"http://hook"}}}"#;
    let of_task = "/api/v1/tasks/t/pushNotificationConfigs";
    for (operation, params, line, body) in [
        (
            SendMessage,
            message.as_str(),
            "POST /api/v1/message:send",
            message.as_str(),
        ),
        (
            GetTask,
            r#"{"name":"tasks/a/b","historyLength":3}"#,
            "GET /api/v1/tasks/a%2Fb?historyLength=3",
            "",
        ),
        (
            CancelTask,
            r#"{"name":"tasks/t"}"#,
            "POST /api/v1/tasks/t:cancel",
            r#"{"name":"tasks/t"}"#,
        ),
        (
            CreateTaskPushNotificationConfig,
            push,
            &format!("POST {of_task}"),
            push,
        ),
        (GetExtendedAgentCard, "", "GET /api/v1/card", ""),
    ] {
        let (called, sent) = sent(V03, operation, params).await;
        assert_eq!((called.as_str(), sent.as_slice()), (line, body.as_bytes()));
    }
}

#[tokio::test]
async fn c015_requests_carry_version_media_types_and_credential() {
    for (version, operation, accept) in [
        (V1, SendMessage, "application/a2a+json, application/json"),
        (V03, SendMessage, "application/json"),
        (V1, SendStreamingMessage, "text/event-stream"),
    ] {
        let mock = Mock::always(json("{}")).await;
        let params = format!(r#"{{"message":{MESSAGE}}}"#);
        let mut request = rest(&mock.url, version, operation, &params);
        let mut spec = agent(&mock.url);
        spec.auth = AgentAuth::Bearer("agent-secret".into());
        request.agent = Arc::new(spec);
        let _answer = call(request).await;
        let headers = mock.seen().remove(0).headers;
        assert_eq!(headers["a2a-version"], version.as_str());
        assert_eq!(headers["accept"], accept);
        assert_eq!(headers["content-type"], "application/json");
        assert_eq!(headers["authorization"], "Bearer agent-secret");
    }
}

#[tokio::test]
async fn c022_results_stay_as_they_are() {
    for (version, message, task) in [(V1, MESSAGE, TASK), (V03, OLD_MESSAGE, OLD_TASK)] {
        let body = format!(r#"{{"unknown":1E2,"task":{task}}}"#);
        let types = "content-type: application/a2a+json\r\n";
        let mock = Mock::always(response(200, types, &body)).await;
        let params = format!(r#"{{"message":{message}}}"#);
        let answer = call(rest(&mock.url, version, SendMessage, &params))
            .await
            .unwrap();
        let AnswerContent::One(Said::Result(raw)) = answer.content else {
            panic!("expected a result")
        };
        assert_eq!(raw.get(), body);
    }
}

#[tokio::test]
async fn after_a_deletion_any_success_says_nothing() {
    let old_names = r#"{"name":"tasks/t/pushNotificationConfigs/p"}"#;
    for (version, names, nothing) in [
        (V1, r#"{"taskId":"t","id":"p"}"#, Value::Null),
        (V03, old_names, json!({})),
    ] {
        for body in ["", "{}", "null"] {
            let mock = Mock::always(response(204, "", body)).await;
            let request = rest(&mock.url, version, DeleteTaskPushNotificationConfig, names);
            assert_eq!(one(call(request).await.unwrap()).unwrap(), nothing);
        }
    }
}

#[tokio::test]
async fn parameters_that_cannot_be_sent_are_the_callers_fault() {
    let mock = Mock::always(json("{}")).await;
    for (version, operation, params, code) in [
        (V1, GetTask, r#"{"id":".."}"#, -32602),
        (V1, GetTask, "{}", -32602),
        (V03, GetTask, "{}", -32602),
        (V03, GetTask, r#"{"name":"t"}"#, -32602),
        (V03, ListTasks, "{}", -32004),
    ] {
        let answer = call(rest(&mock.url, version, operation, params)).await;
        let error = one(answer.unwrap()).unwrap_err();
        assert_eq!(error["code"], code, "{operation} {params}: {error}");
    }
    assert!(mock.seen().is_empty());
}

#[tokio::test]
async fn errors_of_every_form_become_error_objects() {
    let info = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}"#;
    let status = format!(
        r#"{{"error":{{"code":400,"status":"FAILED_PRECONDITION","message":"done","details":[{info}]}}}}"#
    );
    for (version, operation, http, body, code, message) in [
        (V1, CancelTask, 400, status.as_str(), -32002, "done"),
        (V1, CancelTask, 503, status.as_str(), -32002, "done"),
        (
            V1,
            GetTask,
            404,
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}"#,
            -32001,
            "gone",
        ),
        (V03, GetTask, 404, r#"{"message":"gone"}"#, -32001, "gone"),
        (
            V03,
            CancelTask,
            409,
            r#"{"code":-32002,"message":"done"}"#,
            -32002,
            "done",
        ),
    ] {
        let mock = Mock::always(response(http, "", body)).await;
        let params = match version {
            V1 => r#"{"id":"t"}"#,
            V03 => r#"{"name":"tasks/t"}"#,
        };
        let request = rest(&mock.url, version, operation, params);
        let error = one(call(request).await.unwrap()).unwrap_err();
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(code), &json!(message)),
            "{body}"
        );
    }
}

#[tokio::test]
async fn routes_that_an_agent_lacks_are_unsupported_where_they_are_optional() {
    let missing = r#"{"detail":"Not Found"}"#;
    for status in [404, 405, 501] {
        let mock = Mock::always(response(status, "", missing)).await;
        let names = r#"{"taskId":"t"}"#;
        let request = rest(&mock.url, V1, ListTaskPushNotificationConfigs, names);
        assert_eq!(
            one(call(request).await.unwrap()).unwrap_err()["code"],
            -32004
        );
    }
    let mock = Mock::always(response(404, "", missing)).await;
    let error = call(rest(&mock.url, V1, GetTask, r#"{"id":"t"}"#))
        .await
        .unwrap_err();
    assert_eq!(error.kind, AttemptErrorKind::NoEndpoint);
    assert_eq!(
        error.detail,
        "agent `alpha` answered HTTP 404 with JSON that is no error"
    );
}

#[tokio::test]
async fn c063_each_answer_that_is_none_has_its_kind_and_words() {
    use AttemptErrorKind::{Credential, Malformed, Overloaded};

    let refused = r#"{"error":{"code":401,"status":"UNAUTHENTICATED","message":"who?"}}"#;
    let html = "<html>oops</html>";
    for (status, body, kind, words) in [
        (
            401,
            refused,
            Credential,
            "refused the gateway's credential (HTTP 401)",
        ),
        (
            403,
            html,
            Credential,
            "refused the gateway's credential (HTTP 403)",
        ),
        (
            503,
            r#"{"message":"busy"}"#,
            Overloaded,
            "is overloaded (HTTP 503); try again later",
        ),
        (
            502,
            html,
            Malformed,
            "answered HTTP 502 with HTML instead of JSON",
        ),
        (200, html, Malformed, "answered HTML instead of JSON"),
        (
            200,
            "[1]",
            Malformed,
            "answered an array instead of a JSON object",
        ),
    ] {
        let mock = Mock::always(response(status, "retry-after: 7\r\n", body)).await;
        let error = call(rest(&mock.url, V1, GetTask, r#"{"id":"t"}"#))
            .await
            .unwrap_err();
        assert_eq!((error.kind, error.sent), (kind, true), "{error}");
        assert_eq!(error.detail, format!("agent `alpha` {words}"));
        assert_eq!(error.retry_after, Some(7));
    }
}

#[tokio::test]
async fn reads_without_a_body_know_whether_they_were_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = call(rest(&url, V1, GetTask, r#"{"id":"t"}"#))
        .await
        .unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Refused, false));

    let mock = Mock::script(|_, stream| async { reset(stream) }).await;
    let error = call(rest(&mock.url, V1, GetTask, r#"{"id":"t"}"#))
        .await
        .unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Reset, true));
}

#[tokio::test]
async fn what_has_no_place_in_path_and_query_is_counted() {
    let mock = Mock::always(json(TASK)).await;
    let params = r#"{"id":"t","historyLength":1,"metadata":{},"x":1}"#;
    for (operation, expected) in [(GetTask, vec![("unknown_member", 2)]), (CancelTask, vec![])] {
        let request = rest(&mock.url, V1, operation, params);
        call(request.clone()).await.unwrap();
        assert_eq!(lost(&request), expected, "{operation}");
    }
}

#[tokio::test]
async fn a_card_arrives_as_the_agent_wrote_it() {
    let card = r#"{"name":"A","url":"http://a/","security":[{"schemes":{"k":{}}}],"x":1E2}"#;
    for version in [V1, V03] {
        let mock = Mock::always(json(card)).await;
        let answer = call(rest(&mock.url, version, GetExtendedAgentCard, "{}")).await;
        assert_eq!(one(answer.unwrap()).unwrap(), parsed(card), "{version}");
    }
}
