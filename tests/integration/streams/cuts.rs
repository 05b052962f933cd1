//! Streams that end before their task has.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1, failure},
    mock::{Answer, Gate, Mock, Request},
    world::{Events, World},
};

fn envelope(result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "x", "result": result })
}

/// Ways to end a stream too early, after a signal.
fn endings(begun: &Answer, gate: &Gate) -> Vec<(&'static str, Answer)> {
    let begun = begun.clone().wait(gate);
    vec![
        ("a reset", begun.clone().reset()),
        ("a clean end", begun.clone().end()),
        ("a close without the last chunk", begun.clone().close()),
        ("half an event", begun.chunk("data: {\"jso").end()),
    ]
}

/// Answers calls for a stream, and does not know the task otherwise.
fn streams_only(dialect: Dialect, call: &Request, stream: &Answer) -> Answer {
    if call.rpc_method() == dialect.method("GetTask") {
        return Answer::json(failure(call, -32001, "no such task"));
    }
    stream.clone()
}

/// Reads two events and then, once the agent has been told to end, the rest.
async fn after_two(mut stream: Events, gate: &Gate, dialect: Dialect, path: &str) -> Vec<Value> {
    let events = dialect.events("t-1", "c-1");
    for event in &events[..2] {
        let got = stream.expect().await.result();
        if path == "/agents/alpha" {
            assert_eq!(got, *event);
        }
    }
    gate.open();
    stream
        .rest()
        .await
        .iter()
        .map(crate::world::Event::json)
        .collect()
}

#[tokio::test]
async fn c039_a_cut_stream_ends_with_an_error_that_says_how_to_go_on() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        let gate = Gate::new();
        let [first, second, _] = dialect.events("t-1", "c-1");
        let begun = Answer::stream()
            .event(envelope(&first))
            .event(envelope(&second));
        for (what, ending) in endings(&begun, &gate) {
            for path in ["/a2a", "/agents/alpha"] {
                let ending = ending.clone();
                mock.answers(move |call| streams_only(dialect, call, &ending));
                let stream = world.follow(path, dialect.stream("ping")).await;
                let decision = world.decision_of_stream(&stream).await;
                let rest = after_two(stream, &gate, dialect, path).await;
                assert_eq!(rest.len(), 1, "{what}: {rest:?}");
                assert_eq!(
                    (&rest[0]["id"], &rest[0]["error"]["code"]),
                    (&json!("q1"), &json!(-32603)),
                    "{what}"
                );
                let message = rest[0]["error"]["message"].as_str().unwrap();
                assert!(message.contains("`alpha`"), "{what}: {message}");
                let truncated = world.outcome(&decision["id"], "truncated").await;
                assert_eq!(truncated["outcome"]["task_id"], "t-1", "{what}");

                mock.answers(move |call| dialect.obliging(call));
                let named = rest[0]["error"]["data"].as_array().unwrap().iter();
                let task = named
                    .filter_map(|info| info["metadata"]["taskId"].as_str())
                    .next()
                    .expect(what);
                assert!(message.contains(task), "{what}: {message}");
                let polled = world.post(path, dialect.about("GetTask", task)).await;
                assert_eq!(
                    polled.result()["status"]["state"],
                    dialect.state("completed")
                );
                world.outcome(&decision["id"], "completed").await;
            }
        }
    }
}

#[tokio::test]
async fn c039_a_cut_subscription_ends_with_an_error() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        let gate = Gate::new();
        let [first, second, _] = dialect.events("t-1", "c-1");
        let begun = Answer::stream()
            .event(envelope(&first))
            .event(envelope(&second));
        for (what, ending) in endings(&begun, &gate) {
            mock.answers(move |call| streams_only(dialect, call, &ending));
            let stream = world
                .follow("/agents/alpha", dialect.about("SubscribeToTask", "t-1"))
                .await;
            let rest = after_two(stream, &gate, dialect, "/agents/alpha").await;
            assert_eq!(rest.len(), 1, "{what}: {rest:?}");
            assert_eq!(rest[0]["error"]["code"], -32603, "{what}");
        }
    }
}

#[tokio::test]
async fn c039_a_stream_without_any_event_is_an_error() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for answer in [Answer::stream().end(), Answer::stream().close()] {
            mock.always(answer);
            let stream = world.follow("/a2a", dialect.stream("ping")).await;
            let decision = world.decision_of_stream(&stream).await;
            let events = stream.rest().await;
            assert_eq!(events.len(), 1, "{events:?}");
            assert_eq!(events[0].error()["code"], -32603);
            world.outcome(&decision["id"], "truncated").await;
        }
    }
}

#[tokio::test]
async fn c039_what_happens_to_a_stream_after_its_task_has_ended_does_not_matter() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for last in ["completed", "failed", "canceled", "rejected"] {
            let gate = Gate::new();
            let [first, second, _] = dialect.events("t-1", "c-1");
            let begun = Answer::stream()
                .event(envelope(&first))
                .event(envelope(&second))
                .event(envelope(&dialect.status("t-1", "c-1", last)));
            for (what, ending) in endings(&begun, &gate) {
                mock.answers(move |call| streams_only(dialect, call, &ending));
                let mut stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
                let decision = world.decision_of_stream(&stream).await;
                for _ in 0..3 {
                    stream.expect().await.result();
                }
                gate.open();
                assert_eq!(stream.rest().await, [], "{what} after {last}");
                world.outcome(&decision["id"], last).await;
            }
        }
    }
}

#[tokio::test]
async fn a_message_is_a_whole_stream() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        mock.always(
            Answer::stream()
                .event(envelope(&dialect.sent_message("hi", "c-1")))
                .end(),
        );
        let world = World::of("alpha", &mock).await;
        let stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
        let decision = world.decision_of_stream(&stream).await;
        assert_eq!(stream.results().await, [dialect.sent_message("hi", "c-1")]);
        world.outcome(&decision["id"], "message").await;
    }
}

#[tokio::test]
async fn cut_streams_count_against_an_agent_and_whole_ones_for_it() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    world.follow("/a2a", V1.stream("ping")).await.rest().await;
    assert!(world.agent("alpha").await["answer_ratio"].as_f64().unwrap() > 0.999);
    mock.always(Answer::stream().end());
    world.follow("/a2a", V1.stream("ping")).await.rest().await;
    assert!(world.agent("alpha").await["answer_ratio"].as_f64().unwrap() < 0.9);
}
