//! The endpoint of one agent: its ids stay what they are and mean nothing elsewhere.

use serde_json::json;

use super::{PAIR, Pair};
use crate::dialect::{BOTH, TASK_OPERATIONS};

#[tokio::test]
async fn ids_on_the_endpoint_of_an_agent_are_the_agents_own() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        for id in PAIR {
            let path = format!("/agents/{id}");
            let sent = pair.world.post(&path, dialect.send("ping")).await;
            assert_eq!(
                (sent.task_id().as_str(), sent.context_id().as_str()),
                ("1", "1")
            );
            let others = pair.other(id).calls().len();
            for operation in TASK_OPERATIONS {
                let reply = pair.world.post(&path, dialect.about(operation, "1")).await;
                assert!(!reply.body.contains("gw1-"), "{operation}: {}", reply.body);
                let last = pair.mock(id).calls().pop().unwrap();
                assert_eq!(
                    (last.rpc_method().as_str(), &last.params()["id"]),
                    (dialect.method(operation), &json!("1"))
                );
            }
            let mut follow_up = dialect.send("more");
            follow_up["params"]["message"]["taskId"] = "1".into();
            follow_up["params"]["message"]["contextId"] = "1".into();
            follow_up["params"]["message"]["referenceTaskIds"] = json!(["0", "gw1-x"]);
            pair.world.post(&path, &follow_up).await;
            assert_eq!(
                pair.mock(id).calls().pop().unwrap().params(),
                follow_up["params"]
            );
            assert_eq!(pair.other(id).calls().len(), others);
        }
    }
}

#[tokio::test]
async fn ids_of_one_endpoint_mean_nothing_on_the_other() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let sealed = pair
            .world
            .call(dialect.send_to("alpha", "ping"))
            .await
            .task_id();
        pair.world.post("/agents/alpha", dialect.send("ping")).await;
        for operation in TASK_OPERATIONS {
            let before = pair.alpha.calls().len();
            let reply = pair.world.call(dialect.about(operation, "1")).await;
            assert_eq!(reply.code(), -32001, "{operation}: {}", reply.body);
            assert_eq!(pair.alpha.calls().len(), before);
            // An agent is asked about whatever its own client asks about.
            pair.world
                .post("/agents/alpha", dialect.about(operation, &sealed))
                .await;
            assert_eq!(
                pair.alpha.calls().pop().unwrap().params()["id"],
                sealed.as_str()
            );
        }
        assert!(pair.beta.calls().is_empty());
    }
}

#[tokio::test]
async fn messages_to_one_agent_are_recorded_as_pinned() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let reply = pair
            .world
            .post("/agents/beta", dialect.send("parking permits for cars"))
            .await;
        let decision = pair.world.decision_of(&reply).await;
        assert_eq!(
            (
                &decision["kind"],
                decision["candidates"].as_array().unwrap().len()
            ),
            (&json!("pinned"), 1)
        );
        assert_eq!(decision["candidates"][0]["agent"], "beta");
        assert!(pair.alpha.calls().is_empty());
    }
}

#[tokio::test]
async fn unknown_agents_are_told_as_such_for_every_operation() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let mut calls = vec![dialect.send("ping"), dialect.stream("ping")];
        calls.extend(
            TASK_OPERATIONS
                .iter()
                .map(|operation| dialect.about(operation, "1")),
        );
        for call in calls {
            for id in ["gamma", "ALPHA", "alph"] {
                let reply = pair.world.post(&format!("/agents/{id}"), &call).await;
                assert_eq!(
                    (reply.status, reply.code(), reply.raw("id").as_str()),
                    (404, -32600, "\"q1\"")
                );
                assert!(reply.message().contains(id), "{}", reply.body);
            }
        }
        assert!(pair.alpha.calls().is_empty() && pair.beta.calls().is_empty());
    }
}
