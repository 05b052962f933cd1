//! The gRPC leg of both services, against a server of tonic and against raw connections.

mod failures;
mod server;

use futures_util::StreamExt;
use gateway_core::{
    agent::{AgentAuth, AgentSpec},
    ports::{AgentClient, AgentRequest, AnswerContent, AttemptErrorKind},
    trace::TraceContext,
};
use gateway_protocol::{
    Binding,
    Operation::{
        self, CancelTask, DeleteTaskPushNotificationConfig, GetExtendedAgentCard, GetTask,
        ListTaskPushNotificationConfigs, ListTasks, SendMessage, SubscribeToTask,
    },
    Version::{self, V1, V03},
};
use serde_json::{Value, json};
use tonic::Code;

use self::server::{Reply, Server};
use super::{
    mock::{agent, call, endpoint, heard, leg, lost, one, request},
    tls::{acceptor, certificate, clients},
};
use crate::guard::Clients;

fn grpc(spec: AgentSpec, version: Version, operation: Operation, params: &Value) -> AgentRequest {
    AgentRequest {
        endpoint: endpoint(&spec, Binding::Grpc, version),
        operation,
        params: params.to_string().into(),
        ..request(spec)
    }
}

fn task(id: &str) -> Value {
    json!({"id": id, "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}})
}

fn update() -> Value {
    json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}})
}

#[tokio::test]
async fn each_version_is_asked_in_its_own_service_and_form() {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]});
    let old_message = json!({"messageId": "m", "role": "ROLE_USER", "content": [{"text": "hi"}]});
    for (version, operation, params, path, asked) in [
        (
            V1,
            SendMessage,
            json!({"tenant": "x", "message": message}),
            "/lf.a2a.v1.A2AService/SendMessage",
            json!({"tenant": "x", "message": message}),
        ),
        (
            V03,
            SendMessage,
            json!({"request": old_message}),
            "/a2a.v1.A2AService/SendMessage",
            json!({"message": old_message}),
        ),
        (
            V1,
            GetTask,
            json!({"id": "t"}),
            "/lf.a2a.v1.A2AService/GetTask",
            json!({"id": "t"}),
        ),
        (
            V03,
            GetTask,
            json!({"name": "tasks/t"}),
            "/a2a.v1.A2AService/GetTask",
            json!({"name": "tasks/t"}),
        ),
        (
            V03,
            ListTaskPushNotificationConfigs,
            json!({"parent": "tasks/t"}),
            "/a2a.v1.A2AService/ListTaskPushNotificationConfig",
            json!({"parent": "tasks/t"}),
        ),
        (
            V03,
            GetExtendedAgentCard,
            json!({}),
            "/a2a.v1.A2AService/GetAgentCard",
            json!({}),
        ),
    ] {
        let server = Server::replies(Reply::Message(json!({}))).await;
        // Whether the empty answer will do is of no matter here.
        let _answer = call(grpc(agent(&server.url), version, operation, &params)).await;
        let seen = server.seen();
        assert_eq!((seen.path.as_str(), &seen.message), (path, &asked));
    }
}

#[tokio::test]
async fn c015_c071_calls_carry_version_extensions_trace_deadline_and_credential() {
    let server = Server::replies(Reply::Message(task("t"))).await;
    let mut spec = agent(&server.url);
    spec.auth = AgentAuth::Bearer("agent-secret".into());
    let mut request = grpc(spec, V03, GetTask, &json!({"name": "tasks/t"}));
    request.extensions = vec!["urn:a".to_owned(), "urn:b".to_owned()];
    let parent = "00-11111111111111111111111111111111-2222222222222222-01";
    request.trace = TraceContext::continue_from(Some(parent), Some("k=v"));
    let answer = call(request).await.unwrap();
    assert_eq!(answer.extensions, ["urn:served"]);

    let headers = server.seen().headers;
    for (name, value) in [
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        ("grpc-timeout", "5000m"),
        ("a2a-version", "0.3"),
        ("a2a-extensions", "urn:a, urn:b"),
        ("x-a2a-extensions", "urn:a, urn:b"),
        ("tracestate", "k=v"),
        ("authorization", "Bearer agent-secret"),
    ] {
        assert_eq!(headers[name], value, "{name}");
    }
    let trace = headers["traceparent"].to_str().unwrap();
    assert!(trace.starts_with("00-11111111111111111111111111111111-"));
}

#[tokio::test]
async fn c071_another_origin_gets_no_credential() {
    let server = Server::replies(Reply::Message(task("t"))).await;
    let beyond_tls = server.url.replace("http:", "https:");
    for registered in [
        "http://registered.test:1",
        "http://127.0.0.1:1",
        "https://127.0.0.1:1",
        &beyond_tls,
    ] {
        let mut spec = agent(registered);
        spec.auth = AgentAuth::Bearer("agent-secret".into());
        let mut request = grpc(spec, V1, GetTask, &json!({"id": "t"}));
        request.endpoint.url = server.url.parse().unwrap();
        call(request).await.unwrap();
        assert!(
            !server.seen().headers.contains_key("authorization"),
            "{registered}"
        );
    }
}

#[tokio::test]
async fn results_arrive_in_the_form_of_their_version() {
    let canceled = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_CANCELED"}});
    let cancelled =
        json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_CANCELLED"}});
    let page = json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0});
    let names = json!({"taskId": "t", "id": "p"});
    for (version, operation, params, replied, result) in [
        (
            V1,
            CancelTask,
            &json!({"id": "t"}),
            canceled.clone(),
            canceled,
        ),
        (
            V03,
            CancelTask,
            &json!({"name": "tasks/t"}),
            cancelled.clone(),
            cancelled,
        ),
        (V1, ListTasks, &json!({}), json!({}), page),
        (
            V1,
            DeleteTaskPushNotificationConfig,
            &names,
            json!({}),
            json!({}),
        ),
    ] {
        let server = Server::replies(Reply::Message(replied)).await;
        let answer = call(grpc(agent(&server.url), version, operation, params)).await;
        assert_eq!(
            one(answer.unwrap()).unwrap(),
            result,
            "{version} {operation}"
        );
    }
}

#[tokio::test]
async fn calls_that_cannot_be_made_are_refused_without_asking() {
    for (version, operation, params, code) in [
        (V03, ListTasks, json!({}), -32004),
        (V1, GetTask, json!({"id": 1}), -32602),
        (V03, GetTask, json!({"name": 1}), -32602),
    ] {
        // Nothing listens there.
        let request = grpc(agent("http://127.0.0.1:1"), version, operation, &params);
        let error = one(call(request).await.unwrap()).unwrap_err();
        assert_eq!(error["code"], code, "{error}");
    }
}

#[tokio::test]
async fn c031_events_arrive_one_by_one_and_end_with_the_status() {
    let server = Server::replies(Reply::Stream(
        vec![json!({"task": task("t")}), update()],
        None,
    ))
    .await;
    let answer = call(grpc(
        agent(&server.url),
        V1,
        SubscribeToTask,
        &json!({"id": "t"}),
    ))
    .await
    .unwrap();
    let AnswerContent::Events(mut events) = answer.content else {
        panic!("expected events")
    };
    for _ in 0..2 {
        events.next().await.unwrap().unwrap();
        server.go_on();
    }
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_stream_ends_with_the_error_of_its_status() {
    let failure = (Code::Internal, "boom");
    let server = Server::replies(Reply::Stream(vec![update()], Some(failure))).await;
    server.go_on();
    let answer = call(grpc(
        agent(&server.url),
        V1,
        SubscribeToTask,
        &json!({"id": "t"}),
    ))
    .await;
    let (seen, error) = heard(answer.unwrap()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(seen[1].as_ref().unwrap_err()["message"], "boom");

    let failure = (Code::Unavailable, "shutting down");
    let server = Server::replies(Reply::Stream(vec![update()], Some(failure))).await;
    server.go_on();
    let answer = call(grpc(
        agent(&server.url),
        V1,
        SubscribeToTask,
        &json!({"id": "t"}),
    ))
    .await;
    let (seen, error) = heard(answer.unwrap()).await;
    let error = error.unwrap();
    assert_eq!(
        (seen.len(), error.kind, error.sent),
        (1, AttemptErrorKind::Reset, true)
    );
    assert!(error.detail.contains("gRPC UNAVAILABLE"), "{error}");
}

#[tokio::test]
async fn a_dropped_stream_ends_the_call() {
    let server = Server::replies(Reply::Stream(vec![update(), update()], None)).await;
    let answer = call(grpc(
        agent(&server.url),
        V1,
        SubscribeToTask,
        &json!({"id": "t"}),
    ))
    .await
    .unwrap();
    let AnswerContent::Events(mut events) = answer.content else {
        panic!("expected events")
    };
    events.next().await.unwrap().unwrap();
    drop(events);
    server.is_hung_up().await;
}

#[tokio::test]
async fn addresses_with_https_are_called_over_tls() {
    let certified = certificate("agent.test", |_| ());
    let tls = acceptor(&certified, &["h2"]);
    let server = Server::replies_over_tls(Reply::Message(task("t")), tls).await;
    let request = grpc(agent(&server.url), V1, GetTask, &json!({"id": "t"}));
    let agents = leg(clients(&certified));
    let answer = agents.send(request.clone()).await.unwrap();
    assert_eq!(one(answer).unwrap(), task("t"));

    let other = certificate("agent.test", |_| ());
    let agents = leg(clients(&other));
    let error = agents.send(request).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Tls, false));
}

#[tokio::test]
async fn what_protobuf_cannot_carry_is_counted_both_ways() {
    let server = Server::replies(Reply::Message(json!({"task": task("t")}))).await;
    let agents = leg(Clients::new());
    let message = json!({
        "messageId": "m", "role": "ROLE_ROBOT", "mood": "good",
        "parts": [{"data": {"exact": 9_007_199_254_740_992_u64, "rounded": 9_007_199_254_740_993_u64}}],
        "metadata": {"n": 0.1, "rounded": 12_345_678_901_234_567_890_u64},
    });
    let params = json!({"message": message});
    let request = grpc(agent(&server.url), V1, SendMessage, &params);
    let answer = agents.send(request.clone()).await.unwrap();
    assert_eq!(one(answer).unwrap(), json!({"task": task("t")}));
    let both = [("number_precision", 2), ("unknown_member", 2)];
    assert_eq!(lost(&request), both);

    let mut message = message;
    message["content"] = message["parts"].take();
    message["content"][0]["data"] = json!({"data": message["content"][0]["data"]});
    let params = json!({"tenant": "x", "message": message});
    let request = grpc(agent(&server.url), V03, SendMessage, &params);
    agents.send(request.clone()).await.unwrap();
    let both = [("number_precision", 2), ("unknown_member", 4)];
    assert_eq!(lost(&request), both);
}

#[tokio::test]
async fn fields_that_the_gateway_does_not_know_are_counted() {
    let server = Server::replies(Reply::Bytes(&[0xa0, 0x06, 0x01])).await;
    let request = grpc(agent(&server.url), V1, GetTask, &json!({"id": "t"}));
    assert_eq!(
        one(call(request.clone()).await.unwrap()).unwrap(),
        json!({})
    );
    assert_eq!(lost(&request), [("unknown_member", 1)]);
}

#[tokio::test]
async fn a_card_has_the_form_of_its_version() {
    let old = json!({
        "protocolVersion": "0.3.0", "name": "A", "url": "http://a/", "preferredTransport": "GRPC",
        "capabilities": {"streaming": true}, "supportsAuthenticatedExtendedCard": true,
    });
    let new = json!({
        "name": "A", "capabilities": {"streaming": false},
        "supportedInterfaces": [{"url": "a:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
    });
    for (version, card) in [(V03, old), (V1, new)] {
        let server = Server::replies(Reply::Message(card.clone())).await;
        let request = grpc(
            agent(&server.url),
            version,
            GetExtendedAgentCard,
            &json!({}),
        );
        assert_eq!(one(call(request).await.unwrap()).unwrap(), card);
    }
}
