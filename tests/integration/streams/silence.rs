//! Streams on which nothing happens for long.

use serde_json::json;

use crate::{
    dialect::{BOTH, Dialect},
    mock::{Answer, Gate, Mock},
    world::{Events, Setup},
};

async fn keep_alives(stream: &mut Events, count: usize) {
    for _ in 0..count {
        let block = stream.next_block().await.unwrap();
        assert!(block.starts_with(':') && block.ends_with("\n\n"), "{block}");
    }
}

#[tokio::test]
async fn c034_a_silent_stream_is_kept_alive_past_the_limit_of_single_calls() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let gate = Gate::new();
        let [first, _, last] = dialect.events("t-1", "c-1");
        let answer = Answer::stream()
            .wait(&gate)
            .event(json!({ "result": first }))
            .wait(&gate)
            .event(json!({ "result": last }))
            .end();
        mock.always(answer);
        let world = Setup::new()
            .agent_with("alpha", &mock, "limits: { timeout: 50ms }")
            .section("limits: { stream_keep_alive: 10ms }")
            .start()
            .await;
        let mut stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
        for event in [first, last] {
            // Ten pauses of 10 ms are more than the limit of 50 ms.
            keep_alives(&mut stream, 10).await;
            gate.open();
            assert_eq!(stream.expect().await.result(), event);
        }
        assert_eq!(stream.next().await, None);
    }
}

#[tokio::test]
async fn c034_silence_beyond_its_own_limit_is_an_error_that_says_so() {
    let dialect = Dialect::V1;
    let mock = Mock::start(dialect, "alpha").await;
    let closed = Gate::new();
    let [first, ..] = dialect.events("t-1", "c-1");
    mock.always(
        Answer::stream()
            .event(json!({ "result": first }))
            .until_closed(&closed),
    );
    let world = Setup::new()
        .agent_with("alpha", &mock, "limits: { stream_idle: 50ms }")
        .start()
        .await;
    let stream = world.follow("/a2a", dialect.stream("ping")).await;
    let decision = world.decision_of_stream(&stream).await;
    let events = stream.rest().await;
    assert_eq!(events.len(), 2, "{events:?}");
    let message = events[1].error()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("silent for 0.05 s") && message.contains("`alpha`"),
        "{message}"
    );
    closed
        .passed("the gateway to close the stream of the agent")
        .await;
    world.outcome(&decision["id"], "truncated").await;
}
