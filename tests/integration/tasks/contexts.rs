//! A conversation stays with its agent.

use serde_json::{Value, json};

use super::{PAIR, Pair};
use crate::dialect::{BOTH, Dialect};

/// Words that fit `beta` better.
const FOR_BETA: &str = "library opening hours";
/// Words that fit `alpha` better.
const FOR_ALPHA: &str = "parking permits for cars";

fn in_context(dialect: Dialect, context: &str, text: &str) -> [Value; 2] {
    [dialect.send(text), dialect.stream(text)].map(|mut call| {
        call["params"]["message"]["contextId"] = context.into();
        call
    })
}

#[tokio::test]
async fn c049_a_context_given_out_leads_back_to_its_agent_whatever_the_text() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let control = pair.world.call(dialect.send(FOR_BETA)).await;
        assert_eq!(
            pair.beta.calls().len(),
            1,
            "the text alone leads to beta: {}",
            control.body
        );
        let context = pair
            .world
            .call(dialect.send_to("alpha", "ping"))
            .await
            .context_id();
        for call in in_context(dialect, &context, FOR_BETA) {
            let reply = pair.world.call(&call).await;
            let last = pair.alpha.calls().pop().unwrap().params();
            assert_eq!(last["message"]["contextId"], "1", "{}", reply.body);
            let decision = pair.world.decision_of(&reply).await;
            assert_eq!(
                (&decision["kind"], &decision["candidates"][0]["agent"]),
                (&json!("context"), &json!("alpha"))
            );
        }
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (3, 1));
    }
}

#[tokio::test]
async fn c049_the_ids_of_a_message_must_all_belong_to_one_agent() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let mut sent = Vec::new();
        for id in PAIR {
            let reply = pair.world.call(dialect.send_to(id, "ping")).await;
            sent.push((reply.task_id(), reply.context_id()));
        }
        let [(alpha_task, alpha_context), (beta_task, _)] = sent.as_slice() else {
            unreachable!()
        };
        let conflicts = [
            (
                json!({ "taskId": beta_task, "contextId": alpha_context }),
                "message.contextId",
            ),
            (
                json!({ "taskId": alpha_task, "referenceTaskIds": [beta_task] }),
                "message.referenceTaskIds",
            ),
            (
                json!({ "contextId": alpha_context, "referenceTaskIds": [beta_task] }),
                "message.referenceTaskIds",
            ),
            (
                json!({ "referenceTaskIds": [alpha_task, beta_task] }),
                "message.referenceTaskIds",
            ),
        ];
        for (ids, field) in conflicts {
            let mut call = dialect.send("ping");
            for (name, value) in ids.as_object().unwrap() {
                call["params"]["message"][name] = value.clone();
            }
            let refused = pair.world.call(&call).await;
            assert_eq!(refused.code(), -32602, "{ids}: {}", refused.body);
            assert!(refused.message().contains(field), "{ids}: {}", refused.body);
        }
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (1, 1));
    }
}

#[tokio::test]
async fn c049_a_task_that_is_referred_to_leads_to_its_agent() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let task = pair
            .world
            .call(dialect.send_to("alpha", "ping"))
            .await
            .task_id();
        let mut call = dialect.send(FOR_BETA);
        call["params"]["message"]["referenceTaskIds"] = json!([task, task]);
        pair.world.call(call).await;
        let last = pair.alpha.calls().pop().unwrap();
        assert_eq!(
            last.params()["message"]["referenceTaskIds"],
            json!(["1", "1"])
        );
        assert!(pair.beta.calls().is_empty());
    }
}

#[tokio::test]
async fn c049_a_context_of_the_clients_own_making_comes_back_unchanged_and_keeps_its_agent() {
    for dialect in BOTH {
        let mut pair = Pair::start(dialect).await;
        pair.alpha.answers(move |call| {
            let context = call.params()["message"]["contextId"]
                .as_str()
                .unwrap_or("1")
                .to_owned();
            if call.rpc_method() == dialect.method("GetTask") {
                let task = dialect.task("1", "conversation 7/é", "working");
                return crate::mock::Answer::json(crate::dialect::success(call, &task));
            }
            let task = dialect.sent_task("1", &context, "working");
            crate::mock::Answer::json(crate::dialect::success(call, &task))
        });
        let own = "conversation 7/é";
        let [first, _] = in_context(dialect, own, FOR_ALPHA);
        let sent = pair.world.call(&first).await;
        assert_eq!(sent.context_id(), own);
        for restarted in [false, true] {
            if restarted {
                pair.world.restart().await;
            }
            for call in in_context(dialect, own, FOR_BETA) {
                let reply = pair.world.call(&call).await;
                assert!(reply.body.contains(own), "{}", reply.body);
                assert_eq!(
                    pair.alpha.calls().pop().unwrap().params()["message"]["contextId"],
                    own
                );
            }
            let polled = pair
                .world
                .call(dialect.about("GetTask", &sent.task_id()))
                .await;
            assert_eq!(polled.result()["contextId"], own, "{}", polled.body);
        }
        assert!(pair.beta.calls().is_empty());
        // Another one is another conversation.
        let [other, _] = in_context(dialect, "conversation 8", FOR_BETA);
        pair.world.call(other).await;
        assert_eq!(pair.beta.calls().len(), 1);
    }
}

#[tokio::test]
async fn c049_a_context_of_the_clients_own_making_does_not_move_a_task() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let [first, _] = in_context(dialect, "own", FOR_ALPHA);
        pair.world.call(first).await;
        let beta_task = pair
            .world
            .call(dialect.send_to("beta", "ping"))
            .await
            .task_id();
        let [mut call, _] = in_context(dialect, "own", "ping");
        call["params"]["message"]["taskId"] = beta_task.as_str().into();
        let refused = pair.world.call(call).await;
        assert_eq!(refused.code(), -32602, "{}", refused.body);
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (1, 1));
    }
}

#[tokio::test]
async fn a_context_whose_message_reached_nobody_is_not_bound_to_anybody() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        pair.alpha.goes_down().await;
        for call in in_context(dialect, "own", FOR_ALPHA) {
            assert_eq!(pair.world.call(&call).await.code(), -32603);
        }
        for call in in_context(dialect, "own", FOR_BETA) {
            let reply = pair.world.call(&call).await;
            assert!(reply.body.contains("result"), "{}", reply.body);
        }
        assert_eq!(pair.beta.calls().len(), 2);
    }
}

#[tokio::test]
async fn a_context_whose_message_may_have_arrived_stays_with_its_agent() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        pair.alpha.always(crate::mock::Answer::nothing().reset());
        for text in [FOR_ALPHA, FOR_BETA] {
            for call in in_context(dialect, "own", text) {
                assert_eq!(pair.world.call(&call).await.code(), -32603);
            }
        }
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (4, 0));
    }
}
