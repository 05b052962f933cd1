//! What becomes of messages changes what is expected of their agents, also after a restart.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, SKILL, success},
    mock::{Answer, Mock},
    world::{Setup, World, admin::candidate},
};

async fn one(dialect: Dialect, settings: &str) -> (World, Mock) {
    let mock = Mock::start(dialect, "alpha").await;
    let world = Setup::new()
        .agent_with("alpha", &mock, settings)
        .start()
        .await;
    (world, mock)
}

/// Returns what a message would be decided with now.
async fn expected(world: &World) -> Value {
    let explained = world
        .admin_post("/v1/route:explain", &json!({ "text": "echo" }))
        .await;
    assert_eq!(explained.status, 200, "{}", explained.body);
    candidate(&explained.json(), "alpha")["signals"].clone()
}

/// Lets the agent answer tasks of growing ids in a state.
fn answers(mock: &Mock, dialect: Dialect, prefix: &'static str, state: &'static str) {
    let mock_log = mock.clone();
    mock.answers(move |call| {
        let id = format!("{prefix}-{}", mock_log.calls().len());
        Answer::json(success(call, &dialect.sent_task(&id, "c-1", state)))
    });
}

#[tokio::test]
async fn ends_of_tasks_are_learned_from_and_known_after_a_restart() {
    for dialect in BOTH {
        let (mut world, mock) = one(dialect, "quality: 0.6").await;
        let prior = world.signals("alpha", SKILL).await;
        assert_eq!(
            (&prior["quality"]["value"], &prior["quality"]["decisions"]),
            (&json!(0.6), &json!(0))
        );
        assert_eq!(expected(&world).await["quality"]["why"], json!(["prior"]));
        answers(&mock, dialect, "bad", "failed");
        for _ in 0..3 {
            world.call(dialect.send("echo")).await;
        }
        let learned = world.signals("alpha", SKILL).await["quality"].clone();
        assert_eq!(learned["decisions"], 3, "{learned}");
        assert!(learned["value"].as_f64().unwrap() < 0.6, "{learned}");
        let signal = expected(&world).await["quality"].clone();
        assert_eq!(signal["why"], json!(["learned from 3"]));
        assert_eq!(
            (&signal["terms"]["prior"], &signal["terms"]["mean"]),
            (&json!(0.6), &json!(0.0))
        );
        world.restart().await;
        let again = world.signals("alpha", SKILL).await["quality"].clone();
        assert_eq!(again["decisions"], 3, "{again}");
        let (before, after) = (learned["value"].as_f64(), again["value"].as_f64());
        assert!(
            (before.unwrap() - after.unwrap()).abs() < 1e-6,
            "{learned} {again}"
        );
    }
}

#[tokio::test]
async fn an_end_that_a_poll_sees_after_a_restart_is_learned_from() {
    for dialect in BOTH {
        let (mut world, mock) = one(dialect, "").await;
        answers(&mock, dialect, "slow", "working");
        let sent = world.call(dialect.send("echo")).await;
        assert_eq!(
            world.signals("alpha", SKILL).await["quality"]["decisions"],
            0
        );
        world.restart().await;
        mock.answers(move |call| {
            let id = call.params()["id"].as_str().unwrap_or_default().to_owned();
            Answer::json(success(call, &dialect.task(&id, "c-1", "completed")))
        });
        for _ in 0..2 {
            world.call(dialect.about("GetTask", &sent.task_id())).await;
        }
        assert_eq!(
            world.signals("alpha", SKILL).await["quality"]["decisions"],
            1
        );
    }
}

#[tokio::test]
async fn a_cancellation_by_the_caller_is_no_failure_and_one_by_the_agent_is() {
    for dialect in BOTH {
        let (world, mock) = one(dialect, "").await;
        for (operation, failures) in [("CancelTask", 0), ("GetTask", 1)] {
            answers(&mock, dialect, operation, "working");
            let sent = world.call(dialect.send("echo")).await;
            let decision = world.decision_of(&sent).await;
            mock.answers(move |call| {
                let id = call.params()["id"].as_str().unwrap_or_default().to_owned();
                Answer::json(success(call, &dialect.task(&id, "c-1", "canceled")))
            });
            world.call(dialect.about(operation, &sent.task_id())).await;
            world.outcome(&decision["id"], "canceled").await;
            let quality = world.signals("alpha", SKILL).await["quality"].clone();
            assert_eq!(quality["decisions"], failures, "{operation}: {quality}");
        }
    }
}

#[tokio::test]
async fn what_is_reset_stays_forgotten_and_new_ends_count_again() {
    for dialect in BOTH {
        let (mut world, mock) = one(dialect, "").await;
        answers(&mock, dialect, "bad", "failed");
        world.call(dialect.send("echo")).await;
        for path in ["/v1/signals/alpha/other", "/v1/signals/nobody"] {
            world.admin_delete(path).await;
            assert_eq!(
                world.signals("alpha", SKILL).await["quality"]["decisions"],
                1,
                "{path}"
            );
        }
        let path = format!("/v1/signals/alpha/{SKILL}");
        for path in [path.as_str(), "/v1/signals/alpha"] {
            let reset = world.admin_delete(path).await;
            assert_eq!(reset.status, 200, "{}", reset.body);
            let signals = world.signals("alpha", SKILL).await;
            assert_eq!(signals["quality"]["decisions"], 0, "{path}");
            assert_eq!(signals["latency_ms"]["unary"], Value::Null, "{path}");
        }
        world.restart().await;
        assert_eq!(
            world.signals("alpha", SKILL).await["quality"]["decisions"],
            0
        );
        world.call(dialect.send("echo")).await;
        assert_eq!(
            world.signals("alpha", SKILL).await["quality"]["decisions"],
            1
        );
    }
}

#[tokio::test]
async fn reported_usage_is_priced_recorded_and_expected_once_seen_often() {
    for dialect in BOTH {
        let settings =
            "cost: { per_request: 0.5, usage_pointer: /metadata/usage/tokens, per_unit: 0.001 }";
        let (world, mock) = one(dialect, settings).await;
        let log = mock.clone();
        mock.answers(move |call| {
            let mut task = dialect.task(&format!("t-{}", log.calls().len()), "c-1", "completed");
            let tokens = if log.calls().len() % 2 == 0 {
                json!(20)
            } else {
                json!(-20)
            };
            task["metadata"] = json!({ "usage": { "tokens": tokens } });
            let sent = if dialect == Dialect::V1 {
                json!({ "task": task })
            } else {
                task
            };
            Answer::json(success(call, &sent))
        });
        let mut costs = Vec::new();
        for _ in 0..8 {
            let sent = world.call(dialect.send("echo")).await;
            costs.push(world.decision_of(&sent).await["outcome"]["cost"].clone());
        }
        let recorded: Vec<_> = costs.iter().filter(|cost| !cost.is_null()).collect();
        assert_eq!(recorded, [&json!(0.02); 4], "{costs:?}");
        assert_eq!(world.signals("alpha", SKILL).await["cost"]["value"], 0.5);
        for _ in 0..2 {
            world.call(dialect.send("echo")).await;
        }
        let cost = world.signals("alpha", SKILL).await["cost"].clone();
        assert!(
            (cost["value"].as_f64().unwrap() - 0.02).abs() < 1e-9,
            "{cost}"
        );
        let signal = expected(&world).await["cost"].clone();
        assert_eq!(signal["why"], json!(["EUR", "learned from 5"]));
        assert!(
            (signal["raw"].as_f64().unwrap() - 0.02).abs() < 1e-9,
            "{signal}"
        );
    }
}

#[tokio::test]
async fn latency_is_known_per_skill_and_after_a_restart() {
    for dialect in BOTH {
        let (mut world, _mock) = one(dialect, "").await;
        world.call(dialect.send("echo")).await;
        assert_eq!(
            expected(&world).await["latency"]["why"],
            json!(["measured"])
        );
        for _ in 0..7 {
            world.call(dialect.send("echo")).await;
        }
        assert_eq!(
            expected(&world).await["latency"]["why"],
            json!(["measured for the skill"])
        );
        world.restart().await;
        crate::world::eventually("latency to be recalled", async || {
            let signal = expected(&world).await["latency"]["why"].clone();
            if signal == json!(["measured for the skill"]) {
                Ok(())
            } else {
                Err(signal.to_string())
            }
        })
        .await;
    }
}
