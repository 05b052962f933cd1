//! Sizes and depths.

use serde_json::json;

use crate::{
    dialect::{BOTH, V1},
    mock::{Answer, Gate, Mock},
    world::{Setup, World},
};

const LIMIT: usize = 2048;

/// Returns a call of exactly so many bytes.
fn call_of(length: usize) -> String {
    let short = V1.send("").to_string();
    V1.send(&"x".repeat(length - short.len())).to_string()
}

async fn limited() -> (World, Mock) {
    let mock = Mock::start(V1, "alpha").await;
    let setup = Setup::new()
        .agent("alpha", &mock)
        .section("limits: { max_body: 2KiB }");
    (setup.start().await, mock)
}

fn head(path: &str, framing: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\nconnection: close\r\n{framing}\r\n\r\n"
    )
}

#[tokio::test]
async fn c091_bodies_up_to_the_limit_pass_and_longer_ones_are_refused() {
    let (world, mock) = limited().await;
    for path in ["/a2a", "/agents/alpha"] {
        for length in [LIMIT - 1, LIMIT] {
            let reply = world.post(path, call_of(length)).await;
            assert_eq!(
                reply.task()["status"]["state"],
                "TASK_STATE_COMPLETED",
                "{path} {length}"
            );
        }
        for length in [LIMIT + 1, 10 * LIMIT] {
            let reply = world.post(path, call_of(length)).await;
            assert_eq!(
                (reply.status, reply.code()),
                (413, -32600),
                "{path} {length}: {}",
                reply.body
            );
            assert!(reply.message().contains("2048"), "{}", reply.body);
        }
    }
    assert_eq!(mock.calls().len(), 4);
    assert_eq!(world.decisions("").await.len(), 4);
}

#[tokio::test]
async fn c091_a_body_over_the_limit_is_refused_before_it_is_complete() {
    let (world, mock) = limited().await;
    for path in ["/a2a", "/agents/alpha"] {
        let chunk = format!("{:x}\r\n{}\r\n", LIMIT + 1, "x".repeat(LIMIT + 1));
        let answer = world
            .raw(head(path, "transfer-encoding: chunked") + &chunk)
            .await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("-32600"), "{answer}");
        let chunked = format!(
            "{}{:x}\r\n{}\r\n0\r\n\r\n",
            head(path, "transfer-encoding: chunked"),
            LIMIT,
            call_of(LIMIT)
        );
        let answer = world.raw(chunked).await;
        assert!(answer.contains("TASK_STATE_COMPLETED"), "{answer}");
    }
    assert_eq!(mock.calls().len(), 2);
}

#[tokio::test]
async fn c091_deep_nesting_is_refused_and_the_gateway_lives_on() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let nested = |open: &str, inner: &str, close: &str| {
        let deep = open.repeat(20_000) + inner + &close.repeat(20_000);
        V1.send("ping").to_string().replace(
            "\"messageId\"",
            &format!("\"metadata\":{{\"x\":{deep}}},\"messageId\""),
        )
    };
    for body in [
        nested("[", "", "]"),
        nested("{\"a\":", "1", "}"),
        nested("[", "", ""),
        "[".repeat(200_000),
        "{\"a\":".repeat(200_000),
    ] {
        for path in ["/a2a", "/agents/alpha"] {
            let reply = world.post(path, &body).await;
            assert!([-32700, -32600].contains(&reply.code()), "{}", reply.body);
        }
    }
    assert!(mock.calls().is_empty());
    assert_eq!(world.call(V1.send("ping")).await.status, 200);
}

#[tokio::test]
async fn c091_deep_answers_are_refused_as_well() {
    let mock = Mock::start(V1, "alpha").await;
    let deep = "[".repeat(20_000) + &"]".repeat(20_000);
    mock.always(Answer::json(format!(r#"{{"result":{deep}}}"#)));
    let world = World::of("alpha", &mock).await;
    assert_eq!(world.call(V1.send("ping")).await.code(), -32006);
    mock.always(
        Answer::stream()
            .event(format!(r#"{{"result":{deep}}}"#))
            .end(),
    );
    let events = world.follow("/a2a", V1.stream("ping")).await.rest().await;
    assert_eq!(events.last().unwrap().error()["code"], -32006);
}

#[tokio::test]
async fn c093_ambiguous_framing_is_refused() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let body = V1.send("ping").to_string();
    let length = body.len();
    for framing in [
        format!("content-length: {length}\r\ntransfer-encoding: chunked"),
        "transfer-encoding: chunked, gzip".to_owned(),
        format!("content-length: {length}\r\ncontent-length: {}", length + 1),
        format!("content-length: +{length}"),
        "content-length: -1".to_owned(),
    ] {
        let answer = world.raw(head("/a2a", &framing) + &body).await;
        let calls = mock.calls().len();
        assert!(
            answer.starts_with("HTTP/1.1 400 ") && calls == 0,
            "{framing}: {calls} calls, {answer}"
        );
    }
}

#[tokio::test]
async fn c096_an_endless_answer_is_cut_at_the_limit() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let closed = Gate::new();
        let endless =
            Answer::raw("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"result\":\"")
                .and(Answer::raw("x".repeat(LIMIT + 1)))
                .until_closed(&closed);
        mock.always(endless);
        let world = Setup::new()
            .agent_with("alpha", &mock, "limits: { max_response: 2KiB }")
            .start()
            .await;
        let reply = world.call(dialect.send("ping")).await;
        assert!([-32603, -32006].contains(&reply.code()), "{}", reply.body);
        assert!(
            reply.message().contains("`alpha`") && reply.message().contains("2048"),
            "{}",
            reply.body
        );
        closed.passed("the gateway to stop reading").await;
    }
}

#[tokio::test]
async fn c096_one_event_over_the_limit_ends_the_stream_with_an_error_after_the_events_before() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let closed = Gate::new();
        let first = json!({ "result": dialect.sent_task("t-1", "c-1", "working") });
        let endless = Answer::stream()
            .event(&first)
            .chunk(format!("data: {}", "x".repeat(LIMIT + 1)))
            .until_closed(&closed);
        mock.always(endless);
        let world = Setup::new()
            .agent_with("alpha", &mock, "limits: { max_event: 2KiB }")
            .start()
            .await;
        let stream = world.follow("/a2a", dialect.stream("ping")).await;
        let decision = world.decision_of_stream(&stream).await;
        let events = stream.rest().await;
        assert_eq!(events.len(), 2, "{events:?}");
        let error = events[1].error();
        assert!(
            error["message"].as_str().unwrap().contains("2048"),
            "{error}"
        );
        assert_eq!(events[1].json()["id"], "q1");
        closed.passed("the gateway to stop reading").await;
        world.outcome(&decision["id"], "truncated").await;
    }
}

#[tokio::test]
async fn c096_endless_headers_are_refused() {
    let mock = Mock::start(V1, "alpha").await;
    mock.always(Answer::http(
        200,
        &format!("x-fill: {}\r\n", "x".repeat(1_000_000)),
        "{}",
    ));
    let world = World::of("alpha", &mock).await;
    let reply = world.call(V1.send("ping")).await;
    assert_eq!(reply.code(), -32603);
    assert!(reply.message().contains("headers"), "{}", reply.body);
}
