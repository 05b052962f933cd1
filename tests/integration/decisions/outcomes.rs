//! What becomes of a decision.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, success},
    mock::{Answer, Gate, Mock},
    world::World,
};

async fn working(dialect: Dialect, path: &str) -> (World, Mock, Value, String) {
    let mock = Mock::start(dialect, "alpha").await;
    mock.answers(move |call| {
        Answer::json(success(call, &dialect.sent_task("t-1", "c-1", "working")))
    });
    let world = World::of("alpha", &mock).await;
    let reply = world.post(path, dialect.send("ping")).await;
    let decision = world.decision_of(&reply).await;
    world.outcome(&decision["id"], "working").await;
    (world, mock, decision["id"].clone(), reply.task_id())
}

#[tokio::test]
async fn polls_on_either_endpoint_complete_it_and_the_first_end_stays() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for (path, state) in [
            ("/a2a", "completed"),
            ("/agents/alpha", "failed"),
            ("/a2a", "canceled"),
            ("/agents/alpha", "rejected"),
        ] {
            mock.answers(move |call| {
                Answer::json(success(call, &dialect.sent_task(state, "c-1", "working")))
            });
            let sent = world.post(path, dialect.send("ping")).await;
            let decision = world.decision_of(&sent).await;
            let poll = async |answer: &'static str| {
                mock.answers(move |call| {
                    Answer::json(success(call, &dialect.task(state, "c-1", answer)))
                });
                world
                    .post(path, dialect.about("GetTask", &sent.task_id()))
                    .await
            };
            poll(state).await;
            let ended = world.outcome(&decision["id"], state).await;
            assert_eq!(ended["outcome"]["task_id"], state);
            assert!(ended["outcome"]["finished_at"].is_string(), "{ended}");
            poll("working").await;
            // The outcome of a later message is written after what that poll has said.
            mock.always(Answer::json(r#"{"error":{"code":-32042,"message":"no"}}"#));
            let later = world
                .decision_of(&world.post(path, dialect.send("more")).await)
                .await;
            world.outcome(&later["id"], "error").await;
            let still = world.decision(decision["id"].as_str().unwrap()).await;
            assert_eq!(still["outcome"], ended["outcome"], "{path} {state}");
        }
    }
}

#[tokio::test]
async fn a_cancellation_completes_it() {
    for dialect in BOTH {
        let (world, mock, decision, task) = working(dialect, "/a2a").await;
        mock.answers(move |call| {
            Answer::json(success(call, &dialect.task("t-1", "c-1", "canceled")))
        });
        world.call(dialect.about("CancelTask", &task)).await;
        world.outcome(&decision, "canceled").await;
    }
}

#[tokio::test]
async fn a_subscription_completes_it() {
    for dialect in BOTH {
        let (world, mock, decision, task) = working(dialect, "/a2a").await;
        mock.answers(move |call| dialect.obliging(call));
        world
            .follow("/a2a", dialect.about("SubscribeToTask", &task))
            .await
            .rest()
            .await;
        world.outcome(&decision, "completed").await;
    }
}

#[tokio::test]
async fn a_stream_moves_it_event_by_event() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let gate = Gate::new();
        let states = [
            "submitted",
            "working",
            "input-required",
            "working",
            "completed",
        ];
        let mut answer = Answer::stream();
        for (number, state) in states.iter().enumerate() {
            let event = if number == 0 {
                dialect.sent_task("t-1", "c-1", state)
            } else {
                dialect.status("t-1", "c-1", state)
            };
            answer = answer.wait(&gate).event(json!({ "result": event }));
        }
        mock.always(answer.end());
        let world = World::of("alpha", &mock).await;
        let mut stream = world.follow("/a2a", dialect.stream("ping")).await;
        let decision = world.decision_of_stream(&stream).await;
        assert_eq!(
            decision.get("outcome"),
            None,
            "nothing is known before the first event"
        );
        for state in states {
            gate.open();
            stream.expect().await;
            world.outcome(&decision["id"], state).await;
        }
        stream.rest().await;
        let ended = world.outcome(&decision["id"], "completed").await;
        assert_eq!(ended["attempts"].as_array().unwrap().len(), 1, "{ended}");
        assert_eq!(
            (
                &ended["attempts"][0]["phase"],
                &ended["attempts"][0]["outcome"]
            ),
            (&json!("stream"), &json!("ok"))
        );
    }
}

#[tokio::test]
async fn a_direct_reply_is_an_outcome_without_a_task() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        mock.answers(move |call| Answer::json(success(call, &dialect.sent_message("hi", "c-1"))));
        let world = World::of("alpha", &mock).await;
        let decision = world
            .decision_of(&world.call(dialect.send("ping")).await)
            .await;
        let ended = world.outcome(&decision["id"], "message").await;
        assert_eq!(ended["outcome"].get("task_id"), None, "{ended}");
    }
}

#[tokio::test]
async fn an_error_of_the_agent_is_an_outcome_with_its_code_and_an_attempt_that_worked() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        mock.always(Answer::json(
            r#"{"error":{"code":-32042,"message":"not today"}}"#,
        ));
        let world = World::of("alpha", &mock).await;
        let decision = world
            .decision_of(&world.call(dialect.send("ping")).await)
            .await;
        let ended = world.outcome(&decision["id"], "error").await;
        assert_eq!(
            ended["outcome"]["error"],
            json!({ "code": -32042, "message": "not today" })
        );
        assert_eq!(ended["attempts"][0]["outcome"], "ok");
    }
}

#[tokio::test]
async fn every_message_to_a_task_has_its_own_decision_and_all_see_the_end() {
    for dialect in BOTH {
        let (world, mock, first, task) = working(dialect, "/a2a").await;
        let mut more = dialect.send("more");
        more["params"]["message"]["taskId"] = task.as_str().into();
        let second = world.decision_of(&world.call(more).await).await["id"].clone();
        assert_ne!(first, second);
        mock.answers(move |call| {
            Answer::json(success(call, &dialect.task("t-1", "c-1", "completed")))
        });
        world.call(dialect.about("GetTask", &task)).await;
        for decision in [first, second] {
            world.outcome(&decision, "completed").await;
        }
    }
}

#[tokio::test]
async fn the_decision_is_on_disk_before_the_answer_leaves() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for number in 1..=50 {
            let reply = world.call(dialect.send("ping")).await;
            // No waiting: what the header names must be there.
            assert_eq!(
                world.decision_of(&reply).await["kind"],
                "scored",
                "{number}"
            );
        }
    }
}
