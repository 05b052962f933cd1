//! Clients that leave before they have their answer.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, success},
    mock::{Answer, Gate, Mock},
    world::{Setup, World, eventually, within},
};

async fn only_decision(world: &World) -> Value {
    eventually("the decision", async || {
        let mut found = world.decisions("").await;
        if found.len() == 1 {
            Ok(found.remove(0))
        } else {
            Err(format!("{} decisions", found.len()))
        }
    })
    .await
}

#[tokio::test]
async fn a_message_whose_client_leaves_is_recorded_with_its_task() {
    for dialect in BOTH {
        for path in ["/a2a", "/agents/alpha"] {
            let mock = Mock::start(dialect, "alpha").await;
            let gate = Gate::new();
            let held = gate.clone();
            mock.answers(move |call| {
                let body = success(call, &dialect.sent_task("t-1", "c-1", "working"));
                Answer::nothing().wait(&held).and(Answer::json(body))
            });
            let world = World::of("alpha", &mock).await;
            let waiting = tokio::spawn(world.rpc(path, dialect.send("ping")).send());
            mock.called(1).await;
            waiting.abort();
            assert!(
                within("the client to leave", waiting)
                    .await
                    .unwrap_err()
                    .is_cancelled()
            );
            gate.open();
            let decision = only_decision(&world).await;
            let ended = world.outcome(&decision["id"], "working").await;
            assert_eq!(ended["outcome"]["task_id"], "t-1", "{ended}");
            assert_eq!(ended["attempts"][0]["outcome"], "ok", "{ended}");
            assert_eq!(mock.methods(), [dialect.method("SendMessage")]);
        }
    }
}

#[tokio::test]
async fn a_stream_whose_client_leaves_is_closed_and_its_task_goes_on() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let closed = Gate::new();
        let first = json!({ "id": 1, "result": dialect.sent_task("t-1", "c-1", "working") });
        mock.always(Answer::stream().event(first).until_closed(&closed));
        let world = World::of("alpha", &mock).await;
        let mut stream = world.follow("/a2a", dialect.stream("ping")).await;
        let decision = world.decision_of_stream(&stream).await;
        stream.expect().await;
        drop(stream);
        closed
            .passed("the gateway to close the stream of the agent")
            .await;
        let agent = world
            .agent_becomes("alpha", "a free place", |agent| agent["in_flight"] == 0)
            .await;
        assert!(agent["answer_ratio"].as_f64().unwrap() > 0.999, "{agent}");
        assert_eq!(
            mock.methods(),
            [dialect.method("SendStreamingMessage")],
            "nothing is canceled"
        );

        // The task is still there for whoever asks.
        mock.answers(move |call| dialect.obliging(call));
        let recorded = world.outcome(&decision["id"], "working").await;
        assert_eq!(recorded["outcome"]["task_id"], "t-1", "{recorded}");
        let polled = world
            .post("/agents/alpha", dialect.about("GetTask", "t-1"))
            .await;
        assert_eq!(
            polled.result()["status"]["state"],
            dialect.state("completed")
        );
        world.outcome(&decision["id"], "completed").await;
    }
}

#[tokio::test]
async fn a_stream_that_its_client_does_not_read_is_closed_and_frees_its_place() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let mut task = dialect.sent_task("t-1", "c-1", "working");
        task["metadata"] = json!({ "padding": "x".repeat(256 * 1024) });
        let first = json!({ "id": 1, "result": task });
        let closed = Gate::new();
        // More than the buffers of two connections take.
        let many = (0..200).fold(Answer::stream(), |answer, _| answer.event(&first));
        mock.always(many.until_closed(&closed));
        let world = Setup::new()
            .agent("alpha", &mock)
            .section("limits: { stream_unread: 100ms }")
            .start()
            .await;
        let unread = world.rpc("/a2a", dialect.stream("ping")).send().await;
        assert!(unread.is_ok(), "{unread:?}");
        world
            .agent_becomes("alpha", "a free place", |agent| agent["in_flight"] == 0)
            .await;
        drop(unread);
    }
}

#[tokio::test]
async fn a_stream_whose_client_leaves_before_the_first_event_is_closed_too() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let closed = Gate::new();
        mock.always(Answer::stream().until_closed(&closed));
        let world = World::of("alpha", &mock).await;
        let stream = world.follow("/a2a", dialect.stream("ping")).await;
        drop(stream);
        closed
            .passed("the gateway to close the stream of the agent")
            .await;
        only_decision(&world).await;
        assert_eq!(mock.methods(), [dialect.method("SendStreamingMessage")]);
    }
}

#[tokio::test]
async fn a_stream_whose_client_leaves_before_it_opens_is_recorded_and_closed() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let (gate, closed) = (Gate::new(), Gate::new());
        mock.always(
            Answer::nothing()
                .wait(&gate)
                .and(Answer::stream())
                .until_closed(&closed),
        );
        let world = World::of("alpha", &mock).await;
        let waiting = tokio::spawn(world.rpc("/a2a", dialect.stream("ping")).send());
        mock.called(1).await;
        waiting.abort();
        assert!(
            within("the client to leave", waiting)
                .await
                .unwrap_err()
                .is_cancelled()
        );
        gate.open();
        closed
            .passed("the gateway to close the stream of the agent")
            .await;
        only_decision(&world).await;
        world
            .agent_becomes("alpha", "a free place", |agent| agent["in_flight"] == 0)
            .await;
        assert_eq!(mock.methods(), [dialect.method("SendStreamingMessage")]);
    }
}

#[tokio::test]
async fn a_subscription_whose_client_leaves_is_closed_and_cancels_nothing() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let closed = Gate::new();
        let first = json!({ "id": 1, "result": dialect.sent_task("t-1", "c-1", "working") });
        mock.always(Answer::stream().event(first).until_closed(&closed));
        let world = World::of("alpha", &mock).await;
        let mut stream = world
            .follow("/agents/alpha", dialect.about("SubscribeToTask", "t-1"))
            .await;
        stream.expect().await;
        drop(stream);
        closed
            .passed("the gateway to close the stream of the agent")
            .await;
        assert_eq!(mock.methods(), [dialect.method("SubscribeToTask")]);
    }
}
