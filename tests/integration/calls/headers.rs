//! Headers: which reach an agent, and which come back. Everything else is left out.

use serde_json::Value;

use crate::{
    dialect::{BOTH, Dialect, TASK_OPERATIONS, V1},
    mock::{Answer, Mock, Request},
    world::{Events, Setup, World, client::receive},
};

/// What a client may send that is none of the agent's business.
const PRIVATE: [(&str, &str); 12] = [
    ("authorization", "Bearer gw-secret"),
    ("cookie", "s=gw-secret"),
    ("x-api-key", "gw-secret"),
    ("proxy-authorization", "gw-secret"),
    ("x-forwarded-for", "gw-secret"),
    ("forwarded", "for=gw-secret"),
    ("x-unknown", "gw-secret"),
    ("referer", "http://gw-secret"),
    ("origin", "http://gw-secret"),
    ("user-agent", "gw-secret"),
    ("accept-language", "gw-secret"),
    ("x-request-id", "gw-secret"),
];

const ALWAYS: [&str; 8] = [
    "a2a-version",
    "accept",
    "accept-encoding",
    "content-length",
    "content-type",
    "host",
    "traceparent",
    "user-agent",
];

fn with_private(mut request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
    for (name, value) in PRIVATE {
        request = request.header(name, value);
    }
    request
}

#[track_caller]
fn check(call: &Request) {
    assert_eq!(call.header_names(), ALWAYS, "{}", call.head);
    assert!(!call.head.contains("gw-secret"), "{}", call.head);
}

async fn every_operation(world: &World, dialect: Dialect, path: &str) {
    let sent = receive(with_private(world.rpc(path, dialect.send("ping")))).await;
    let task = sent.task_id();
    Events::open(with_private(world.rpc(path, dialect.stream("ping"))))
        .await
        .rest()
        .await;
    for operation in TASK_OPERATIONS {
        receive(with_private(
            world.rpc(path, dialect.about(operation, &task)),
        ))
        .await;
    }
}

#[tokio::test]
async fn c071_nothing_of_the_callers_headers_reaches_an_agent() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for path in ["/a2a", "/agents/alpha"] {
            every_operation(&world, dialect, path).await;
            receive(with_private(world.request(reqwest::Method::GET, path))).await;
        }
        assert_eq!(mock.calls().len(), 10);
        mock.calls().iter().for_each(check);
        for request in mock.log() {
            assert!(!request.head.contains("gw-secret"), "{}", request.head);
            assert_eq!(request.header("host").as_deref(), Some(mock.address()));
        }
    }
}

#[tokio::test]
async fn c071_only_the_credential_configured_for_an_agent_reaches_it() {
    let mocks = [
        Mock::start(V1, "a").await,
        Mock::start(V1, "b").await,
        Mock::start(V1, "c").await,
    ];
    let world = Setup::new()
        .agent_with("bearer", &mocks[0], "auth: { bearer: token-1 }")
        .agent_with(
            "header",
            &mocks[1],
            "auth: { header: X-Agent-Key, value: key-2 }",
        )
        .agent("none", &mocks[2])
        .start()
        .await;
    for id in ["bearer", "header", "none"] {
        every_operation(&world, V1, &format!("/agents/{id}")).await;
    }
    let credentials = [
        ("authorization", "Bearer token-1"),
        ("x-agent-key", "key-2"),
    ];
    for (number, mock) in mocks.iter().enumerate() {
        for request in mock.log() {
            for (owner, (name, value)) in credentials.iter().enumerate() {
                let expected = (owner == number).then_some(*value);
                assert_eq!(
                    request.header(name).as_deref(),
                    expected,
                    "{}",
                    request.head
                );
            }
        }
    }
}

#[tokio::test]
async fn c071_nothing_of_the_agents_headers_reaches_a_client() {
    let mock = Mock::start(V1, "alpha").await;
    let headers = "set-cookie: s=agent\r\nserver: agent\r\nx-powered-by: agent\r\nwww-authenticate: agent\r\n\
        content-type: application/json\r\nlink: <agent>\r\nx-a2a-gateway-decision: agent\r\n";
    let body = format!(
        r#"{{"result":{}}}"#,
        V1.sent_task("t-1", "c-1", "completed")
    );
    mock.always(Answer::http(200, headers, body));
    let world = World::of("alpha", &mock).await;
    let reply = world.call(V1.send("ping")).await;
    let mut names: Vec<_> = reply
        .headers
        .keys()
        .map(|name| name.as_str().to_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "content-length",
            "content-type",
            "date",
            "x-a2a-gateway-decision"
        ]
    );
    assert_ne!(reply.header("x-a2a-gateway-decision"), Some("agent"));
}

#[tokio::test]
async fn c026_extensions_are_declared_and_echoed_under_the_name_of_each_side() {
    for (dialect, name) in [(Dialect::V03, "x-a2a-extensions"), (V1, "a2a-extensions")] {
        let mock = Mock::start(dialect, "alpha").await;
        mock.answers(move |call| {
            let body = dialect.sent_task("t-1", "c-1", "completed");
            let body = crate::dialect::success(call, &body);
            Answer::http(200, &format!("{name}: https://x.example/e1\r\n"), body)
        });
        let world = World::of("alpha", &mock).await;
        let request = world.rpc("/a2a", dialect.send("ping"));
        let request = request
            .header(name, "https://x.example/e1")
            .header(name, "https://x.example/e2");
        let reply = receive(request).await;
        let declared = mock.only_call().header(name);
        assert_eq!(
            declared.as_deref(),
            Some("https://x.example/e1, https://x.example/e2")
        );
        assert_eq!(
            reply.header(name),
            Some("https://x.example/e1"),
            "{:?}",
            reply.headers
        );
    }
}

const TRACE: &str = "11111111111111111111111111111111";

#[tokio::test]
async fn c115_the_trace_of_the_client_goes_on_at_the_agent_and_into_the_record() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let traced = |call: Value| {
        let request = world.rpc("/a2a", call);
        let request = request.header("traceparent", format!("00-{TRACE}-2222222222222222-01"));
        request.header("tracestate", "a=b")
    };
    let reply = receive(traced(V1.send("ping"))).await;
    let stream = Events::open(traced(V1.stream("ping"))).await;
    let decisions = [
        world.decision_of(&reply).await,
        world.decision_of_stream(&stream).await,
    ];
    stream.rest().await;
    for (call, decision) in mock.calls().iter().zip(decisions) {
        let parent = call.header("traceparent").unwrap();
        let fields: Vec<_> = parent.split('-').collect();
        assert_eq!(
            (fields[0], fields[1], fields[3]),
            ("00", TRACE, "01"),
            "{parent}"
        );
        assert_ne!(fields[2], "2222222222222222");
        assert_eq!(call.header("tracestate").as_deref(), Some("a=b"));
        assert_eq!(decision["trace_id"], TRACE);
    }
}

#[tokio::test]
async fn c115_without_a_usable_trace_a_new_one_begins() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let zeros = format!("00-{}-2222222222222222-01", "0".repeat(32));
    let mut seen = Vec::new();
    for parent in [
        None,
        Some("garbage"),
        Some(zeros.as_str()),
        Some("00-1-2-3"),
        Some(""),
    ] {
        let mut request = world
            .rpc("/a2a", V1.send("ping"))
            .header("tracestate", "a=b");
        if let Some(parent) = parent {
            request = request.header("traceparent", parent);
        }
        receive(request).await;
        let call = mock.calls().pop().unwrap();
        let begun = call.header("traceparent").unwrap();
        let trace = begun.split('-').nth(1).unwrap().to_owned();
        assert_eq!(trace.len(), 32, "{begun}");
        assert!(
            trace.bytes().any(|byte| byte != b'0') && !seen.contains(&trace),
            "{begun}"
        );
        assert_eq!(
            call.header("tracestate"),
            None,
            "the state of no trace: {parent:?}"
        );
        seen.push(trace);
    }
}
