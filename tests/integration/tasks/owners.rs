//! Operations on a task go to the agent that owns it.

use serde_json::json;

use super::{PAIR, Pair};
use crate::{
    dialect::{BOTH, TASK_OPERATIONS},
    mock::Answer,
};

#[tokio::test]
async fn c047_every_operation_reaches_the_owner_with_the_owners_own_id() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        for id in PAIR {
            let sent = pair.world.call(dialect.send_to(id, "ping")).await;
            for operation in TASK_OPERATIONS {
                let (before, others) = (pair.mock(id).calls().len(), pair.other(id).calls().len());
                let params = json!({ "id": sent.task_id(), "metadata": { "k": 1.0 } });
                let reply = pair.world.call(dialect.call(operation, &params)).await;
                let got = pair.mock(id).calls();
                assert_eq!(got.len(), before + 1, "{id} {operation}: {}", reply.body);
                let last = &got[before];
                assert_eq!(last.rpc_method(), dialect.method(operation));
                assert_eq!(
                    last.params(),
                    json!({ "id": "1", "metadata": { "k": 1.0 } })
                );
                assert_eq!(pair.other(id).calls().len(), others, "{id} {operation}");
                assert!(
                    reply.body.contains(&sent.task_id()),
                    "{operation}: {}",
                    reply.body
                );
            }
        }
    }
}

#[tokio::test]
async fn agents_that_number_their_tasks_alike_never_mix() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let mut sent = Vec::new();
        for id in PAIR {
            let reply = pair.world.call(dialect.send_to(id, "ping")).await;
            let decision = pair.world.decision_of(&reply).await;
            sent.push((
                id,
                reply.task_id(),
                reply.context_id(),
                decision["id"].clone(),
            ));
        }
        assert_ne!(sent[0].1, sent[1].1);
        assert_ne!(sent[0].2, sent[1].2);

        // The same again is the same task to a client.
        let again = pair.world.call(dialect.send_to("alpha", "ping")).await;
        assert_eq!(
            (again.task_id(), again.context_id()),
            (sent[0].1.clone(), sent[0].2.clone())
        );

        // Each agent reports another end of its task 1; each decision takes over its own.
        for (mock, state) in [(&pair.alpha, "failed"), (&pair.beta, "rejected")] {
            mock.answers(move |call| {
                Answer::json(crate::dialect::success(
                    call,
                    &dialect.task("1", "1", state),
                ))
            });
        }
        for ((_, task, context, decision), state) in sent.iter().zip(["failed", "rejected"]) {
            let polled = pair.world.call(dialect.about("GetTask", task)).await;
            assert_eq!(polled.result()["status"]["state"], dialect.state(state));
            assert_eq!(
                (&polled.result()["id"], &polled.result()["contextId"]),
                (&json!(task), &json!(context))
            );
            let ended = pair.world.outcome(decision, state).await;
            assert_eq!(ended["outcome"]["task_id"], "1");
        }
    }
}

#[tokio::test]
async fn streams_of_agents_that_number_alike_never_mix() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let mut ids = Vec::new();
        for id in PAIR {
            let mut call = dialect.stream("ping");
            call["params"]["metadata"] = json!({ "agent": id });
            let results = pair.world.follow("/a2a", call).await.results().await;
            let task = match results[0].get("task") {
                Some(task) => task.clone(),
                None => results[0].clone(),
            };
            let task = task["id"].as_str().unwrap().to_owned();
            for result in &results[1..] {
                assert!(result.to_string().contains(&task), "{result}");
            }
            let subscribed = pair
                .world
                .follow("/a2a", dialect.about("SubscribeToTask", &task))
                .await;
            assert!(
                subscribed
                    .rest()
                    .await
                    .iter()
                    .all(|event| event.data.contains(&task))
            );
            assert_eq!(pair.mock(id).calls().last().unwrap().params()["id"], "t-1");
            ids.push(task);
        }
        assert_ne!(ids[0], ids[1]);
        assert_eq!((pair.alpha.calls().len(), pair.beta.calls().len()), (2, 2));
    }
}

#[tokio::test]
async fn ids_of_any_form_come_back_to_the_agent_unchanged() {
    let odd = [
        "1",
        "",
        " ",
        "a/b?c=d&e",
        "ñ 漢 \u{1f600}",
        "gw1-x",
        "\"\\\n",
        &"x".repeat(2000),
    ];
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        for id in odd.into_iter().filter(|id| !id.is_empty()) {
            let owned = id.to_owned();
            pair.alpha.answers(move |call| {
                Answer::json(crate::dialect::success(
                    call,
                    &dialect.sent_task(&owned, &owned, "working"),
                ))
            });
            let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
            assert_ne!(sent.task_id(), id);
            pair.world
                .call(dialect.about("GetTask", &sent.task_id()))
                .await;
            assert_eq!(pair.alpha.calls().last().unwrap().params()["id"], id);
        }
    }
}
