//! Messages to a task that exists.

use serde_json::{Value, json};

use super::Pair;
use crate::{
    dialect::{BOTH, Dialect, success},
    mock::Answer,
};

fn to_task(dialect: Dialect, task: &str) -> [Value; 2] {
    let text = "library opening hours";
    [dialect.send(text), dialect.stream(text)].map(|mut call| {
        call["params"]["message"]["taskId"] = task.into();
        call
    })
}

/// Starts a pair in which `alpha` waits for an answer to its task.
async fn waiting(dialect: Dialect) -> (Pair, String, String) {
    let pair = Pair::start(dialect).await;
    pair.alpha.answers(move |call| {
        Answer::json(success(
            call,
            &dialect.sent_task("1", "1", "input-required"),
        ))
    });
    let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
    assert_eq!(
        sent.task()["status"]["state"],
        dialect.state("input-required")
    );
    let (task, context) = (sent.task_id(), sent.context_id());
    (pair, task, context)
}

#[tokio::test]
async fn c051_an_answer_to_a_task_reaches_its_agent_under_the_same_ids() {
    for dialect in BOTH {
        let (pair, task, context) = waiting(dialect).await;
        for call in to_task(dialect, &task) {
            let reply = pair.world.call(&call).await;
            let last = pair.alpha.calls().pop().unwrap().params();
            assert_eq!(last["message"]["taskId"], "1");
            assert_eq!(last["message"].get("contextId"), None);
            assert!(
                reply.body.contains(&task) && reply.body.contains(&context),
                "{}",
                reply.body
            );
            let decision = pair.world.decision_of(&reply).await;
            assert_eq!(
                (&decision["kind"], &decision["candidates"][0]["agent"]),
                (&json!("owner"), &json!("alpha"))
            );
        }
        assert!(pair.beta.calls().is_empty());
    }
}

#[tokio::test]
async fn c051_hints_do_not_move_a_task() {
    for dialect in BOTH {
        let (pair, task, _) = waiting(dialect).await;
        for mut call in to_task(dialect, &task) {
            call["params"]["metadata"] =
                json!({ "agent": "beta", "budget": { "max_cost_eur": 0.0 } });
            pair.world.call(call).await;
        }
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (3, 0));
    }
}

#[tokio::test]
async fn c051_when_the_agent_is_down_the_client_is_told_and_nobody_else_gets_the_task() {
    for dialect in BOTH {
        let (pair, task, _) = waiting(dialect).await;
        let calls = pair.alpha.calls().len();
        pair.alpha.goes_down().await;
        for call in to_task(dialect, &task) {
            let reply = pair.world.call(&call).await;
            assert_eq!(reply.code(), -32603, "{}", reply.body);
            assert!(reply.message().contains("`alpha`"), "{}", reply.body);
            let decision = pair.world.decision_of(&reply).await;
            pair.world.outcome(&decision["id"], "error").await;
        }
        assert_eq!(
            (pair.alpha.calls().len(), pair.beta.calls().len()),
            (calls, 0)
        );
    }
}

#[tokio::test]
async fn c051_a_stale_card_of_the_owner_is_good_enough() {
    for dialect in BOTH {
        let (pair, task, _) = waiting(dialect).await;
        pair.alpha
            .at(crate::mock::CARD, |_| Answer::http(500, "", ""));
        pair.world
            .refresh("alpha", "a stale card", |agent| agent["state"] == "stale")
            .await;
        for call in to_task(dialect, &task) {
            pair.world.call(call).await;
        }
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (3, 0));
    }
}
