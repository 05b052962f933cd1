//! The gateway stops and starts again.

use serde_json::json;

use super::{PAIR, Pair};
use crate::dialect::{BOTH, TASK_OPERATIONS};

#[tokio::test]
async fn c055_with_the_same_key_every_task_is_still_with_its_agent() {
    for dialect in BOTH {
        let mut pair = Pair::start(dialect).await;
        let mut sent = Vec::new();
        for id in PAIR {
            sent.push((id, pair.world.call(dialect.send_to(id, "ping")).await));
        }
        pair.world.restart().await;
        for (id, reply) in &sent {
            let (task, others) = (reply.task_id(), pair.other(id).calls().len());
            for operation in TASK_OPERATIONS {
                let answer = pair.world.call(dialect.about(operation, &task)).await;
                assert!(answer.body.contains(&task), "{operation}: {}", answer.body);
                assert_eq!(pair.mock(id).calls().pop().unwrap().params()["id"], "1");
            }
            for (member, value) in [("taskId", task), ("contextId", reply.context_id())] {
                let mut call = dialect.send("more");
                call["params"]["message"][member] = json!(value);
                let again = pair.world.call(call).await;
                assert_eq!(
                    (again.task_id(), again.context_id()),
                    (reply.task_id(), reply.context_id())
                );
            }
            assert_eq!(pair.other(id).calls().len(), others);
        }
    }
}

#[tokio::test]
async fn c055_what_was_decided_before_is_still_recorded_and_still_completed() {
    for dialect in BOTH {
        let mut pair = Pair::start(dialect).await;
        let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
        let decision = pair.world.decision_of(&sent).await;
        pair.world.restart().await;
        let id = decision["id"].as_str().unwrap();
        assert_eq!(
            pair.world.decision(id).await["candidates"],
            decision["candidates"]
        );
        pair.world
            .call(dialect.about("GetTask", &sent.task_id()))
            .await;
        pair.world.outcome(&decision["id"], "completed").await;
    }
}

#[tokio::test]
async fn c055_with_another_key_no_earlier_id_is_known() {
    for dialect in BOTH {
        let mut pair = Pair::start(dialect).await;
        let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
        pair.world.forget_key();
        pair.world.restart().await;
        for operation in TASK_OPERATIONS {
            let random = pair.world.call(dialect.about(operation, "random")).await;
            let earlier = pair
                .world
                .call(dialect.about(operation, &sent.task_id()))
                .await;
            assert_eq!((earlier.code(), &earlier.body), (-32001, &random.body));
        }
        for (member, value) in [("taskId", sent.task_id()), ("contextId", sent.context_id())] {
            let mut call = dialect.send("more");
            call["params"]["message"][member] = json!(value);
            assert_eq!(pair.world.call(call).await.code(), -32001);
        }
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (1, 0));
    }
}
