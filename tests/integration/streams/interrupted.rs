//! Tasks that wait for their client in the middle of a stream.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect},
    mock::{Answer, Gate, Mock},
    world::World,
};

fn with_message(dialect: Dialect, state: &str) -> Value {
    let mut event = dialect.status("t-1", "c-1", state);
    let message = dialect.message("which one?");
    match event.get_mut("statusUpdate") {
        Some(update) => update["status"]["message"] = message,
        None => event["status"]["message"] = message,
    }
    event
}

fn envelope(result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "result": result })
}

#[tokio::test]
async fn c042_a_task_that_waits_does_not_end_its_stream() {
    for dialect in BOTH {
        for waiting in ["input-required", "auth-required"] {
            let mock = Mock::start(dialect, "alpha").await;
            let gate = Gate::new();
            let events = [
                dialect.sent_task("t-1", "c-1", "submitted"),
                with_message(dialect, waiting),
                dialect.status("t-1", "c-1", "working"),
                dialect.status("t-1", "c-1", "completed"),
            ];
            let answer = Answer::stream()
                .event(envelope(&events[0]))
                .event(envelope(&events[1]))
                .wait(&gate)
                .event(envelope(&events[2]))
                .event(envelope(&events[3]))
                .end();
            mock.always(answer);
            let world = World::of("alpha", &mock).await;
            let mut stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
            let decision = world.decision_of_stream(&stream).await;
            for event in &events[..2] {
                assert_eq!(stream.expect().await.result(), *event);
            }
            let paused = world.outcome(&decision["id"], waiting).await;
            assert_eq!(paused["outcome"].get("finished_at"), None, "{paused}");
            gate.open();
            assert_eq!(stream.results().await, events[2..]);
            let ended = world.outcome(&decision["id"], "completed").await;
            assert!(ended["outcome"]["finished_at"].is_string(), "{ended}");
        }
    }
}

#[tokio::test]
async fn c042_an_agent_that_closes_while_its_task_waits_ends_the_stream_in_order() {
    for dialect in BOTH {
        for waiting in ["input-required", "auth-required"] {
            let mock = Mock::start(dialect, "alpha").await;
            let events = [
                dialect.sent_task("t-1", "c-1", "submitted"),
                with_message(dialect, waiting),
            ];
            let answer = events.iter().fold(Answer::stream(), |answer, event| {
                answer.event(envelope(event))
            });
            mock.always(answer.end());
            let world = World::of("alpha", &mock).await;
            let stream = world.follow("/agents/alpha", dialect.stream("ping")).await;
            let decision = world.decision_of_stream(&stream).await;
            assert_eq!(stream.results().await, events);
            world.outcome(&decision["id"], waiting).await;
        }
    }
}

#[tokio::test]
async fn c042_going_back_to_work_makes_an_early_end_early_again() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let answer = Answer::stream()
            .event(envelope(&with_message(dialect, "input-required")))
            .event(envelope(&dialect.status("t-1", "c-1", "working")))
            .end();
        mock.always(answer);
        let world = World::of("alpha", &mock).await;
        let events = world
            .follow("/agents/alpha", dialect.stream("ping"))
            .await
            .rest()
            .await;
        assert_eq!(events.len(), 3, "{events:?}");
        assert_eq!(events[2].error()["code"], -32603);
    }
}

#[tokio::test]
async fn c042_events_after_the_last_state_still_arrive() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let events = [
            dialect.sent_task("t-1", "c-1", "working"),
            dialect.status("t-1", "c-1", "completed"),
            dialect.artifact("t-1", "c-1", "late"),
        ];
        let answer = events.iter().fold(Answer::stream(), |answer, event| {
            answer.event(envelope(event))
        });
        mock.always(answer.end());
        let world = World::of("alpha", &mock).await;
        let results = world
            .follow("/agents/alpha", dialect.stream("ping"))
            .await
            .results()
            .await;
        assert_eq!(results, events);
    }
}
