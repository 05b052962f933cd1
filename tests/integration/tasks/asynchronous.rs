//! Tasks that go on after their first answer.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;

use crate::{
    dialect::{BOTH, V03, success},
    mock::{Answer, Mock},
    world::World,
};

#[tokio::test]
async fn c057_the_first_answer_passes_and_each_poll_is_seen_and_recorded() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let polls = Arc::new(AtomicUsize::new(0));
        mock.answers(move |call| {
            if call.rpc_method() == dialect.method("SendMessage") {
                return Answer::json(success(call, &dialect.sent_task("t-1", "c-1", "submitted")));
            }
            let state = ["working", "working", "completed"][polls.fetch_add(1, Ordering::SeqCst)];
            let mut task = dialect.task("t-1", "c-1", state);
            if state == "completed" {
                task["artifacts"] =
                    json!([{ "artifactId": "a-1", "parts": [{ "kind": "text", "text": "pong" }] }]);
            }
            Answer::json(success(call, &task))
        });
        let world = World::of("alpha", &mock).await;
        let mut call = dialect.send("ping");
        call["params"]["configuration"] = if dialect == V03 {
            json!({ "blocking": false })
        } else {
            json!({ "returnImmediately": true })
        };
        let sent = world.call(&call).await;
        assert_eq!(
            mock.only_call().params()["configuration"],
            call["params"]["configuration"]
        );
        assert_eq!(sent.task()["status"]["state"], dialect.state("submitted"));
        let decision = world.decision_of(&sent).await;
        let open = world.outcome(&decision["id"], "submitted").await;
        assert_eq!(open["outcome"].get("finished_at"), None);
        for state in ["working", "working", "completed"] {
            let polled = world
                .call(dialect.about("GetTask", &sent.task_id()))
                .await
                .result();
            assert_eq!(polled["status"]["state"], dialect.state(state));
            assert_eq!(
                (&polled["id"], &polled["contextId"]),
                (&json!(sent.task_id()), &json!(sent.context_id()))
            );
            assert_eq!(polled.get("artifacts").is_some(), state == "completed");
            world.outcome(&decision["id"], state).await;
        }
        let ended = world.decision(decision["id"].as_str().unwrap()).await;
        assert!(ended["outcome"]["finished_at"].is_string(), "{ended}");
    }
}
