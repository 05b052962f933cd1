//! Real exchanges over loopback: the public listener, and tonic's own generic client.

use axum::http::uri::PathAndQuery;
use gateway_core::ports::{AttemptError, AttemptErrorKind};
use gateway_proto::read_status_details;
use serde_json::json;
use tokio::net::TcpListener;
use tonic::{
    Code,
    metadata::MetadataValue,
    transport::{Channel, Endpoint},
};

use super::*;
use crate::{
    cards::extended_cards,
    testing::{MAX_BODY, World, error, one, result},
};

struct Client {
    grpc: tonic::client::Grpc<Channel>,
}

impl Client {
    async fn of(world: &World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = crate::public_router(world.state.clone());
        let head = std::time::Duration::from_secs(10);
        tokio::spawn(crate::serve(listener, router, head, std::future::pending()));
        let channel = Endpoint::try_from(format!("http://{address}"))
            .unwrap()
            .connect_lazy();
        let grpc = tonic::client::Grpc::new(channel);
        Self { grpc }
    }

    async fn unary(
        &mut self,
        path: &'static str,
        request: &Value,
        metadata: &[(&'static str, &'static str)],
    ) -> Result<tonic::Response<Value>, Status> {
        let method = Method::of_path(path).unwrap();
        let request = asking(method, request, metadata);
        let path = PathAndQuery::from_static(path);
        self.grpc.ready().await.unwrap();
        let response = self.grpc.unary(request, path, BytesCodec).await?;
        Ok(response.map(|bytes: Bytes| method.response_to_json(&bytes).unwrap().json))
    }

    /// Returns the events of a stream, and the status that ends it unless that is OK.
    async fn stream(
        &mut self,
        path: &'static str,
        request: &Value,
    ) -> (Vec<Value>, Option<Status>) {
        let method = Method::of_path(path).unwrap();
        let request = asking(method, request, &[]);
        let path = PathAndQuery::from_static(path);
        self.grpc.ready().await.unwrap();
        let response = self.grpc.server_streaming(request, path, BytesCodec).await;
        let mut messages = match response {
            Ok(response) => response.into_inner(),
            Err(status) => return (Vec::new(), Some(status)),
        };
        let mut events = Vec::new();
        loop {
            match messages.message().await {
                Ok(Some(bytes)) => events.push(method.response_to_json(&bytes).unwrap().json),
                Ok(None) => return (events, None),
                Err(status) => return (events, Some(status)),
            }
        }
    }
}

fn asking(
    method: Method,
    request: &Value,
    metadata: &[(&'static str, &'static str)],
) -> tonic::Request<Bytes> {
    let mut request = tonic::Request::new(method.request_from_json(request).unwrap());
    for (name, value) in metadata {
        let value = MetadataValue::from_static(value);
        request.metadata_mut().insert(*name, value);
    }
    request
}

const GET: &str = "/lf.a2a.v1.A2AService/GetTask";
const GET_V03: &str = "/a2a.v1.A2AService/GetTask";
const CANCEL: &str = "/lf.a2a.v1.A2AService/CancelTask";
const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";
const SEND_V03: &str = "/a2a.v1.A2AService/SendMessage";
const STREAM: &str = "/lf.a2a.v1.A2AService/SendStreamingMessage";
const STREAM_V03: &str = "/a2a.v1.A2AService/SendStreamingMessage";

fn hello() -> Value {
    json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "hello" }] } })
}

fn hello_v03() -> Value {
    json!({ "message": { "messageId": "m", "role": "ROLE_USER", "content": [{ "text": "hello" }] } })
}

fn task() -> Value {
    json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_CANCELED" } })
}

#[tokio::test]
async fn both_services_are_federated_and_name_decision_and_extensions() {
    let reply = json!({ "messageId": "a", "role": "ROLE_AGENT", "parts": [{ "text": "hi" }] });
    let world = World::answering(json!({ "message": reply }));
    let mut client = Client::of(&world).await;

    let new = client.unary(SEND, &hello(), &[]).await.unwrap();
    assert_eq!(new.get_ref()["message"], reply);
    assert!(new.metadata().contains_key("x-a2a-gateway-decision"));
    assert_eq!(
        new.metadata().get("a2a-extensions").unwrap(),
        "https://x.example/e"
    );

    let old = client.unary(SEND_V03, &hello_v03(), &[]).await.unwrap();
    assert_eq!(
        old.get_ref()["message"]["content"],
        json!([{ "text": "hi" }])
    );
    assert!(old.metadata().contains_key("x-a2a-extensions"));
    for (_, params) in world.asked() {
        assert_eq!(params["message"]["parts"], json!([{ "text": "hello" }]));
    }
}

#[tokio::test]
async fn tenant_or_metadata_pins_an_agent() {
    let world = World::answering(task());
    let mut client = Client::of(&world).await;
    let named = json!({ "tenant": "beta", "id": "t" });
    let pin = [("x-a2a-agent", "beta")];
    let by_tenant = client.unary(GET, &named, &[]).await.unwrap();
    assert_eq!(*by_tenant.get_ref(), task());
    client
        .unary(GET, &json!({ "id": "t" }), &pin)
        .await
        .unwrap();
    client.unary(GET, &named, &pin).await.unwrap();
    let old = json!({ "name": "tasks/t" });
    let old = client.unary(GET_V03, &old, &pin).await.unwrap();
    assert_eq!(old.get_ref()["status"]["state"], "TASK_STATE_CANCELLED");
    for asked in world.asked() {
        assert_eq!(asked, ("beta".to_owned(), json!({ "id": "t" })));
    }
    assert_eq!(world.asked().len(), 4);

    let nobody = json!({ "tenant": "nobody", "id": "t" });
    let refused = client.unary(GET, &nobody, &[]).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
    let contradiction = client.unary(GET, &named, &[("x-a2a-agent", "alpha")]).await;
    assert_eq!(contradiction.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn c016_metadata_must_not_contradict_the_package() {
    let world = World::answering(task());
    let mut client = Client::of(&world).await;
    let new = json!({ "tenant": "alpha", "id": "t" });
    let old = json!({ "name": "tasks/t" });
    for (path, request, version, works) in [
        (GET, &new, "1.0", true),
        (GET, &new, "1.0.3", true),
        (GET, &new, "0.3", false),
        (GET, &new, "99.0", false),
        (GET_V03, &old, "0.3", true),
        (GET_V03, &old, "1.0", false),
    ] {
        let metadata = [("a2a-version", version), ("x-a2a-agent", "alpha")];
        let answered = client.unary(path, request, &metadata).await;
        match answered {
            Ok(_) => assert!(works, "{path} {version}"),
            Err(status) => {
                assert!(!works, "{path} {version}: {status}");
                assert_eq!(reason(&status), "VERSION_NOT_SUPPORTED");
            }
        }
    }
}

#[tokio::test]
async fn c016_strict_versions_take_none_for_0_3() {
    let world = World::answering(task()).strict();
    let mut client = Client::of(&world).await;
    let new = json!({ "tenant": "alpha", "id": "t" });
    let refused = client.unary(GET, &new, &[]).await.unwrap_err();
    assert_eq!(reason(&refused), "VERSION_NOT_SUPPORTED");
    assert!(world.asked().is_empty());
    let named = [("a2a-version", "1.0")];
    client.unary(GET, &new, &named).await.unwrap();
    let old = json!({ "name": "tasks/t" });
    let pin = [("x-a2a-agent", "alpha")];
    client.unary(GET_V03, &old, &pin).await.unwrap();
}

#[tokio::test]
async fn extended_cards_have_the_form_of_the_service() {
    for card in extended_cards() {
        let world = World::answering(card);
        let mut client = Client::of(&world).await;
        let path = "/lf.a2a.v1.A2AService/GetExtendedAgentCard";
        let request = json!({ "tenant": "alpha" });
        let new = client.unary(path, &request, &[]).await.unwrap();
        let new = new.get_ref();
        assert_eq!(new["supportedInterfaces"][2]["tenant"], "alpha");
        assert_eq!(new["capabilities"]["extendedAgentCard"], true);
        let path = "/a2a.v1.A2AService/GetAgentCard";
        let pin = [("x-a2a-agent", "alpha")];
        let old = client.unary(path, &json!({}), &pin).await.unwrap();
        let old = old.get_ref();
        assert_eq!(old["preferredTransport"], "JSONRPC");
        assert_eq!(old["supportsAuthenticatedExtendedCard"], true);
        for card in [new, old] {
            assert_eq!(card["name"], "for friends");
            assert_eq!(card["skills"][0]["tags"], json!(["s"]));
            let text = card.to_string();
            assert!(
                !text.contains("agent.test") && !text.contains("security"),
                "{text}"
            );
        }
    }
}

fn reason(status: &Status) -> String {
    let details = read_status_details(status.details()).unwrap().details;
    details[0]["reason"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn errors_of_agents_become_statuses_with_details() {
    let world = World::new(|_| {
        let told = json!({ "code": -32002, "message": "it is over" });
        Ok(one(error(&told)))
    });
    let mut client = Client::of(&world).await;
    let request = json!({ "tenant": "alpha", "id": "t" });
    let new = client.unary(CANCEL, &request, &[]).await.unwrap_err();
    assert_eq!(
        (new.code(), new.message()),
        (Code::FailedPrecondition, "it is over")
    );
    assert_eq!(reason(&new), "TASK_NOT_CANCELABLE");

    let refused = client.unary(SEND, &hello(), &[]).await.unwrap_err();
    assert!(refused.metadata().contains_key("x-a2a-gateway-decision"));

    let request = json!({ "name": "tasks/t" });
    let path = "/a2a.v1.A2AService/CancelTask";
    let pin = [("x-a2a-agent", "alpha")];
    let old = client.unary(path, &request, &pin).await.unwrap_err();
    assert_eq!(old.code(), Code::Unimplemented);
    assert_eq!(old.message(), "TaskNotCancelableError: it is over");
}

#[tokio::test]
async fn own_failures_are_told_apart_by_code() {
    let world = World::new(|_| {
        Err(AttemptError {
            kind: AttemptErrorKind::Overloaded,
            sent: true,
            detail: "agent `alpha` is overloaded".to_owned(),
            retry_after: Some(7),
        })
    });
    let mut client = Client::of(&world).await;
    let request = json!({ "tenant": "alpha", "id": "t" });
    let status = client.unary(GET, &request, &[]).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.metadata().get("retry-after").unwrap(), "7");

    let status = client.unary(SEND, &json!({}), &[]).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(reason(&status), "INVALID_PARAMS");
    let large = json!({ "id": "x".repeat(MAX_BODY) });
    let status = client.unary(GET, &large, &[]).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
}

#[tokio::test]
async fn streams_end_with_the_first_error() {
    let working = json!({ "task": {
        "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" }
    }});
    let canceled = json!({ "statusUpdate": {
        "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_CANCELED" }
    }});
    let told = json!({ "code": -32603, "message": "broken" });
    let request = json!({ "tenant": "alpha", "message": hello()["message"] });

    let world = World::streaming(vec![result(&working), result(&canceled)]);
    let mut client = Client::of(&world).await;
    let (events, end) = client.stream(STREAM, &request).await;
    assert_eq!(events, [working.clone(), canceled.clone()]);
    assert!(end.is_none(), "{end:?}");
    let (events, end) = client.stream(STREAM_V03, &hello_v03()).await;
    assert_eq!(
        events[1]["statusUpdate"]["status"]["state"],
        "TASK_STATE_CANCELLED"
    );
    assert_eq!(events[1]["statusUpdate"]["final"], true);
    assert!(end.is_none(), "{end:?}");

    let world = World::streaming(vec![result(&working), error(&told), result(&canceled)]);
    let mut client = Client::of(&world).await;
    let (events, end) = client.stream(STREAM, &request).await;
    assert_eq!(events, [working]);
    let end = end.unwrap();
    assert_eq!((end.code(), end.message()), (Code::Internal, "broken"));
}

#[tokio::test]
async fn error_before_the_first_event_is_the_answer() {
    let world = World::new(|_| Ok(one(error(&json!({ "code": -32001, "message": "gone" })))));
    let mut client = Client::of(&world).await;
    let path = "/lf.a2a.v1.A2AService/SubscribeToTask";
    let request = json!({ "tenant": "alpha", "id": "t" });
    let (events, end) = client.stream(path, &request).await;
    assert!(events.is_empty());
    assert_eq!(end.unwrap().code(), Code::NotFound);
}

#[tokio::test]
async fn what_protobuf_has_no_place_for_is_counted() {
    let mut told = task();
    told["kind"] = json!("task");
    told["status"]["mood"] = json!("good");
    let world = World::answering(told);
    let mut client = Client::of(&world).await;
    let request = json!({ "tenant": "alpha", "id": "t" });
    let answered = client.unary(GET, &request, &[]).await.unwrap();
    assert_eq!(*answered.get_ref(), task());
    let line = r#"a2a_gateway_conversion_losses_total{loss="unknown_member"} 2"#;
    assert!(world.metrics().contains(line), "{}", world.metrics());
}

#[tokio::test]
async fn rounded_numbers_are_counted() {
    let mut told = task();
    told["metadata"] = json!({ "n": 1.5, "rounded": 9_007_199_254_740_993_u64 });
    let world = World::answering(told);
    let mut client = Client::of(&world).await;
    let request = json!({ "tenant": "alpha", "id": "t" });
    let answered = client.unary(GET, &request, &[]).await.unwrap();
    let metadata = &answered.get_ref()["metadata"];
    let expected = json!({ "n": 1.5, "rounded": 9_007_199_254_740_992_u64 });
    assert_eq!(*metadata, expected);
    let line = r#"a2a_gateway_conversion_losses_total{loss="number_precision"} 1"#;
    assert!(world.metrics().contains(line), "{}", world.metrics());
}

#[tokio::test]
async fn messages_up_to_the_limit_are_read_and_slow_ones_cut() {
    let world = World::answering(task());
    let mut client = Client::of(&world).await;
    let method = Method::of_path(GET).unwrap();
    let sized = |length: usize| json!({ "tenant": "alpha", "id": "x".repeat(length) });
    let rest = MAX_BODY - method.request_from_json(&sized(1000)).unwrap().len();
    client.unary(GET, &sized(1000 + rest), &[]).await.unwrap();
    let larger = client.unary(GET, &sized(1001 + rest), &[]).await;
    assert_eq!(larger.unwrap_err().code(), Code::ResourceExhausted);

    let pending = stream::pending::<Result<Bytes, std::io::Error>>();
    let request = Request::post(GET).header(CONTENT_TYPE, "application/grpc");
    let request = request.body(Body::from_stream(pending)).unwrap();
    let slow = world.send(request).await;
    assert_eq!(slow.header("grpc-status"), Some("4"));
}

#[tokio::test]
async fn only_grpc_is_served_there() {
    let world = World::answering(task());
    let post = |path: &str, content_type: &str| {
        let request = Request::builder().method("POST").uri(path);
        let request = request.header(CONTENT_TYPE, content_type);
        world.send(request.body(Body::empty()).unwrap())
    };
    let plain = post(GET, "application/json").await;
    assert_eq!(plain.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let unknown = post("/lf.a2a.v1.A2AService/Nothing", "application/grpc").await;
    assert_eq!(unknown.header("grpc-status"), Some("12"));
}
