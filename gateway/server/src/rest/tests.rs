use gateway_core::ports::{AttemptError, AttemptErrorKind, Said};
use gateway_proto::{Method, Service};
use serde_json::{Value, json, value::RawValue};

use crate::testing::{Answered, MAX_BODY, World, error, one, result};

use super::*;

fn task() -> Value {
    json!({ "id": "t-1", "contextId": "c-1", "status": { "state": "TASK_STATE_CANCELED" } })
}

fn request(line: &str, headers: &[(&str, &str)], body: &str) -> Request<Body> {
    let (method, uri) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}

async fn ask(world: &World, line: &str) -> Answered {
    world.send(request(line, &[], "")).await
}

const HELLO: &str =
    r#"{"message": {"messageId":"m", "role":"ROLE_USER", "parts":[{"text":"hello"}]}}"#;
const HELLO_V03: &str =
    r#"{"request":{"message_id":"m","role":"ROLE_USER","content":[{"text":"hello"}]}}"#;
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn both_versions_get_their_own_form_by_path() {
    let world = World::answering(task());
    let new = ask(&world, "GET /agents/alpha/tasks/t-1").await;
    assert_eq!(new.json(), task());
    let old = ask(&world, "GET /agents/alpha/v1/tasks/t-1").await;
    assert_eq!(old.json()["status"]["state"], "TASK_STATE_CANCELLED");
    let params = json!({ "id": "t-1" });
    let expected = ("alpha".to_owned(), params);
    assert_eq!(world.asked(), [expected.clone(), expected]);
}

#[tokio::test]
async fn every_route_of_both_versions_reaches_its_operation() {
    let world = World::answering(task());
    for (route, methods) in [
        ("message:send", "POST"),
        ("message:stream", "POST"),
        ("tasks", "GET"),
        ("tasks/t", "GET"),
        ("tasks/t:cancel", "POST"),
        ("tasks/t:subscribe", "GET POST"),
        ("tasks/t/pushNotificationConfigs", "GET POST"),
        ("tasks/t/pushNotificationConfigs/p", "GET DELETE"),
        ("extendedAgentCard", "GET"),
    ] {
        for base in ["/a2a", "/agents/alpha", "/a2a/v1", "/agents/alpha/v1"] {
            let old = base.ends_with("v1");
            let route = if old && route == "extendedAgentCard" {
                "card"
            } else {
                route
            };
            for method in methods.split(' ') {
                let line = format!("{method} {base}/{route}");
                let answered = world.send(request(&line, &[JSON], "")).await;
                let body = &answered.body;
                assert_ne!(answered.status, StatusCode::METHOD_NOT_ALLOWED, "{line}");
                assert!(!body.contains("there is no operation"), "{line}: {body}");
            }
        }
    }
}

#[tokio::test]
async fn bytes_that_the_gateway_does_not_own_pass_both_ways() {
    let told =
        r#"{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"\u00e9","x":1e2}]}}"#;
    let raw = RawValue::from_string(told.to_owned()).unwrap();
    let world = World::new(move |_| Ok(one(Said::Result(raw.clone()))));
    let sent =
        r#"{"message": {"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}],"x":1.50}}"#;
    let answered = world
        .send(request("POST /agents/alpha/message:send", &[JSON], sent))
        .await;
    assert_eq!(answered.body, told);
    assert_eq!(world.last_params(), sent);
}

#[tokio::test]
async fn old_clients_reach_new_agents_and_losses_are_counted() {
    let reply = json!({ "message": {
        "messageId": "a", "role": "ROLE_AGENT",
        "parts": [{ "text": "hi", "filename": "f", "mediaType": "text/plain" }],
    }});
    let world = World::answering(reply);
    let answered = world
        .send(request("POST /a2a/v1/message:send", &[JSON], HELLO_V03))
        .await;
    assert_eq!(answered.header("content-type"), Some("application/json"));
    let message = &answered.json()["message"];
    assert_eq!(message["content"], json!([{ "text": "hi" }]));
    let (_, params) = &world.asked()[0];
    assert_eq!(params["message"]["parts"], json!([{ "text": "hello" }]));
    let metrics = world.metrics();
    let line = r#"a2a_gateway_conversion_losses_total{loss="part_filename"} 1"#;
    assert!(metrics.contains(line), "{metrics}");
}

/// Clients of 0.3 refuse members that their protobuf does not have, and so do agents of 1.0.
#[tokio::test]
async fn unknown_members_are_tolerated_and_none_gets_out() {
    let part = json!({ "text": "hi", "filename": "f", "x": 1 });
    let message = json!({ "messageId": "a", "role": "ROLE_AGENT", "parts": [part], "x": 1 });
    let told = json!({ "x": 1, "task": {
        "id": "t", "contextId": "c", "x": 1, "metadata": { "x": 1 }, "history": [message],
        "status": { "state": "TASK_STATE_CANCELED", "message": message, "x": 1 },
        "artifacts": [{ "artifactId": "a", "parts": [part], "x": 1 }],
    }});
    let world = World::answering(told);
    let sent = json!({ "x": 1, "configuration": { "blocking": true, "x": 1 }, "request": {
        "message_id": "m", "role": "ROLE_USER", "x": 1, "metadata": { "x": 1 },
        "content": [{ "text": "hello", "x": 1 }, { "file": { "fileWithUri": "http://f", "x": 1 } }],
    }});
    let line = "POST /agents/alpha/v1/message:send";
    let answered = world.send(request(line, &[JSON], &sent.to_string())).await;
    let known = |service, name, tree: &Value, is_answer| {
        let method = Method::of(service, name).unwrap();
        let mut tree = tree.clone();
        let unknown = if is_answer {
            method.strip_response(&mut tree)
        } else {
            method.strip_request(&mut tree)
        };
        assert_eq!(unknown, [""; 0], "{tree}");
    };
    known(Service::V03, "SendMessage", &answered.json(), true);
    assert_eq!(answered.json()["task"]["metadata"], json!({ "x": 1 }));
    let (_, params) = &world.asked()[0];
    known(Service::V1, "SendMessage", params, false);
    assert_eq!(params["message"]["metadata"], json!({ "x": 1 }));
}

#[tokio::test]
async fn c016_version_of_header_or_query_wins_over_the_path() {
    let world = World::answering(task());
    for (line, version, status) in [
        ("GET /agents/alpha/tasks/t", Some("1.0.1"), 200),
        ("GET /agents/alpha/tasks/t", None, 200),
        ("GET /agents/alpha/tasks/t?A2A-Version=1.0", None, 200),
        ("GET /agents/alpha/v1/tasks/t", Some("0.3"), 200),
        ("GET /agents/alpha/tasks/t", Some("0.3"), 404),
        ("GET /agents/alpha/v1/tasks/t", Some("1.0"), 404),
        ("GET /agents/alpha/tasks/t", Some("99.0"), 400),
        (
            "GET /agents/alpha/tasks/t?A2A-Version=0.3",
            Some("1.0"),
            400,
        ),
    ] {
        let headers: Vec<_> = version.into_iter().map(|v| ("a2a-version", v)).collect();
        let answered = world.send(request(line, &headers, "")).await;
        assert_eq!(
            answered.status, status,
            "{line} {version:?}: {}",
            answered.body
        );
    }
}

#[tokio::test]
async fn own_media_type_goes_to_those_who_name_it() {
    let world = World::answering(task());
    let line = "GET /agents/alpha/tasks/t";
    for (accept, expected) in [
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        (
            "application/a2a+json;q=1, application/json",
            "application/a2a+json",
        ),
    ] {
        let answered = world.send(request(line, &[("accept", accept)], "")).await;
        assert_eq!(answered.header("content-type"), Some(expected), "{accept}");
    }
    let headers = [("accept", "application/a2a+json")];
    let old = world
        .send(request("GET /agents/alpha/v1/tasks/t", &headers, ""))
        .await;
    assert_eq!(old.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn errors_of_agents_have_the_form_and_status_of_each_version() {
    let world = World::new(|_| {
        let told = json!({ "code": -32002, "message": "it is over" });
        Ok(one(error(&told)))
    });
    let new = world
        .send(request("POST /agents/alpha/tasks/t:cancel", &[], ""))
        .await;
    assert_eq!(new.status, 400);
    let body = new.json();
    assert_eq!(body["error"]["status"], "FAILED_PRECONDITION");
    assert_eq!(body["error"]["message"], "it is over");
    assert_eq!(body["error"]["details"][0]["reason"], "TASK_NOT_CANCELABLE");
    let old = world
        .send(request("POST /agents/alpha/v1/tasks/t:cancel", &[], ""))
        .await;
    assert_eq!(old.status, 409);
    assert_eq!(old.json()["code"], -32002);
    assert_eq!(old.json()["type"], "TaskNotCancelableError");
}

#[tokio::test]
async fn unreachable_agents_are_unavailable_with_a_pause() {
    let world = World::new(|_| {
        Err(AttemptError {
            kind: AttemptErrorKind::Overloaded,
            sent: true,
            detail: "agent `alpha` is overloaded".to_owned(),
            retry_after: Some(7),
        })
    });
    let answered = ask(&world, "GET /agents/alpha/tasks/t").await;
    assert_eq!(answered.status, 503);
    assert_eq!(answered.header("retry-after"), Some("7"));
    assert_eq!(answered.json()["error"]["status"], "UNAVAILABLE");
}

#[tokio::test]
async fn requests_that_are_wrong_below_the_protocol_say_so() {
    let world = World::answering(task());
    let large = format!(r#"{{"x":"{}"}}"#, "x".repeat(MAX_BODY));
    for (line, headers, body, status) in [
        ("POST /a2a/message:send", &[JSON][..], large.as_str(), 413),
        (
            "POST /a2a/message:send",
            &[("content-type", "text/plain")],
            HELLO,
            415,
        ),
        (
            "POST /a2a/message:send",
            &[("origin", "https://evil.example")],
            HELLO,
            415,
        ),
        ("POST /a2a/message:send", &[JSON], "{", 400),
        ("GET /a2a/message:send", &[], "", 405),
        ("GET /a2a/nothing", &[], "", 404),
        ("GET /agents/nobody/tasks/t", &[], "", 404),
        ("GET /agents/alpha/tasks/t?historyLength=x", &[], "", 400),
    ] {
        let answered = world.send(request(line, headers, body)).await;
        assert_eq!(answered.status, status, "{line}: {}", answered.body);
        assert_eq!(answered.json()["error"]["code"], status, "{line}");
    }
    assert!(world.asked().is_empty());
    let refused = ask(&world, "GET /a2a/message:send").await;
    assert_eq!(refused.header("allow"), Some("POST"));
    let old = ask(&world, "GET /a2a/v1/message:send").await;
    assert_eq!(old.json()["type"], "MethodNotFoundError");
}

#[tokio::test]
async fn tenant_names_the_agent_on_the_federated_endpoint() {
    let world = World::answering(task());
    for line in ["GET /a2a/beta/tasks/t", "GET /a2a/tasks/t?tenant=beta"] {
        assert_eq!(ask(&world, line).await.status, 200, "{line}");
    }
    let body = r#"{"tenant":"beta"}"#;
    for line in [
        "POST /a2a/tasks/t:cancel",
        "POST /agents/beta/tasks/t:cancel",
    ] {
        let answered = world.send(request(line, &[JSON], body)).await;
        assert_eq!(answered.status, 200, "{line}");
    }
    for (agent, params) in world.asked() {
        assert_eq!((agent.as_str(), params), ("beta", json!({ "id": "t" })));
    }
    let other = world
        .send(request("POST /agents/alpha/tasks/t:cancel", &[JSON], body))
        .await;
    assert_eq!(other.status, 400);
    assert_eq!(ask(&world, "GET /a2a/nobody/tasks/t").await.status, 404);
}

#[tokio::test]
async fn tenants_that_are_no_text_are_refused() {
    let world = World::answering(task());
    let line = "POST /a2a/tasks/t:cancel";
    let answered = world.send(request(line, &[JSON], r#"{"tenant":7}"#)).await;
    assert_eq!(answered.status, 400);
    assert!(world.asked().is_empty());
}

#[tokio::test]
async fn c016_strict_versions_take_none_for_0_3() {
    let world = World::answering(task()).strict();
    for (line, version, status) in [
        ("GET /agents/alpha/tasks/t", None, 404),
        ("GET /agents/alpha/tasks/t", Some("1.0"), 200),
        ("GET /agents/alpha/tasks/t?A2A-Version=1.0", None, 200),
        ("GET /agents/alpha/v1/tasks/t", None, 200),
        ("GET /agents/alpha/v1/tasks/t", Some("1.0"), 404),
    ] {
        let headers: Vec<_> = version
            .map(|version| ("a2a-version", version))
            .into_iter()
            .collect();
        let answered = world.send(request(line, &headers, "")).await;
        assert_eq!(answered.status, status, "{line} {version:?}");
    }
    let refused = ask(&world, "GET /agents/alpha/tasks/t").await;
    assert_eq!(refused.json()["type"], "MethodNotFoundError");
}

#[tokio::test]
async fn encoded_slashes_stay_inside_an_id() {
    let world = World::answering(task());
    ask(&world, "GET /agents/alpha/tasks/a%2Fb").await;
    assert_eq!(world.asked()[0].1, json!({ "id": "a/b" }));
}

#[tokio::test]
async fn streams_have_no_envelope_and_name_their_errors() {
    let working = json!({ "task": {
        "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" }
    }});
    let broken = json!({ "code": -32603, "message": "broken" });
    let world = World::streaming(vec![result(&working), error(&broken)]);
    let new = world
        .send(request("POST /agents/alpha/message:stream", &[JSON], HELLO))
        .await;
    assert_eq!(new.header("content-type"), Some("text/event-stream"));
    let events: Vec<_> = new.body.split_terminator("\n\n").collect();
    assert_eq!(events.len(), 2, "{}", new.body);
    assert_eq!(events[0], format!("data: {working}"));
    let (name, data) = events[1].split_once('\n').unwrap();
    assert_eq!(name, "event: error");
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(data["error"]["message"], "broken");

    let line = "POST /agents/alpha/v1/message:stream";
    let old = world.send(request(line, &[JSON], HELLO_V03)).await;
    let events: Vec<_> = old.body.split_terminator("\n\n").collect();
    let first: Value = serde_json::from_str(events[0].strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(first["task"]["status"]["state"], "TASK_STATE_WORKING");
    let data = events[1].split_once("data: ").unwrap().1;
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["error"]["code"], -32603);
}

#[tokio::test]
async fn decision_and_extensions_stand_in_headers() {
    let reply = json!({ "message": { "messageId": "a", "role": "ROLE_AGENT", "parts": [] } });
    let world = World::answering(reply);
    for (line, body, name) in [
        ("POST /a2a/message:send", HELLO, "a2a-extensions"),
        ("POST /a2a/v1/message:send", HELLO_V03, "x-a2a-extensions"),
    ] {
        let answered = world.send(request(line, &[JSON], body)).await;
        assert_eq!(answered.status, 200, "{}", answered.body);
        assert!(answered.header("x-a2a-gateway-decision").is_some());
        assert_eq!(answered.header(name), Some("https://x.example/e"));
    }
}

#[tokio::test]
async fn cards_are_not_shadowed() {
    let world = World::answering(task());
    for line in [
        "GET /a2a",
        "GET /a2a/.well-known/agent-card.json",
        "GET /agents/alpha/",
        "GET /agents/alpha/.well-known/agent.json",
    ] {
        let answered = ask(&world, line).await;
        let interfaces = &answered.json()["supportedInterfaces"];
        assert!(interfaces.is_array(), "{line}: {}", answered.body);
    }
}
