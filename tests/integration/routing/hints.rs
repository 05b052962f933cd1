//! What clients may say about where a message should go.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1},
    mock::Mock,
    world::{
        Setup, World,
        admin::{candidate, chosen},
        client::receive,
    },
};

const ROUTING: &str = "urn:a2a-gateway:routing:1";

/// Starts `dear`, which is preferred, slow and dear, and `cheap`, which is none of it.
async fn world(dialect: Dialect) -> (World, Mock, Mock) {
    let (dear, cheap) = (
        Mock::start(dialect, "dear").await,
        Mock::start(dialect, "cheap").await,
    );
    dear.serves_card(&dialect.card_about("dear", &dear.rpc_url(), "echo"));
    cheap.serves_card(&dialect.card_about("cheap", &cheap.rpc_url(), "echo"));
    let world = Setup::new()
        .agent_with(
            "dear",
            &dear,
            "quality: 1, latency: 2s, cost: { per_request: 0.5 }",
        )
        .agent_with(
            "cheap",
            &cheap,
            "quality: 0.1, latency: 100ms, cost: { per_request: 0.01 }",
        )
        .profile("min_fit: 0, weights: { quality: 1 }");
    (world.start().await, dear, cheap)
}

/// Returns the ways in which metadata can say something.
fn placed(dialect: Dialect, hints: &Value) -> Vec<Value> {
    let mut calls = Vec::new();
    for metadata in [hints.clone(), json!({ ROUTING: hints })] {
        let (mut of_request, mut of_message) = (dialect.send("echo"), dialect.send("echo"));
        of_request["params"]["metadata"] = metadata.clone();
        of_message["params"]["message"]["metadata"] = metadata;
        calls.extend([of_request, of_message]);
    }
    calls
}

#[tokio::test]
async fn budgets_skills_and_agents_are_honoured_wherever_they_stand() {
    let cases = [
        (json!({ "agent": "cheap" }), "not_requested"),
        (json!({ "skill": "cheap-skill" }), "not_requested"),
        (json!({ "skill": "cheap.cheap-skill" }), "not_requested"),
        (json!({ "budget": { "max_cost_eur": 0.1 } }), "budget_cost"),
        (
            json!({ "budget": { "max_cost_eur": 0.499 } }),
            "budget_cost",
        ),
        (
            json!({ "budget": { "max_latency_ms": 1999 } }),
            "budget_latency",
        ),
        (
            json!({ "budget": { "max_latency_ms": 1.5e2, "max_cost_eur": 1e1 } }),
            "budget_latency",
        ),
    ];
    for dialect in BOTH {
        let (world, dear, cheap) = world(dialect).await;
        for (hints, reason) in &cases {
            for call in placed(dialect, hints) {
                let reply = world.call(&call).await;
                let decision = world.decision_of(&reply).await;
                assert_eq!(chosen(&decision), "cheap", "{call}");
                assert_eq!(candidate(&decision, "dear")["reason"], *reason, "{call}");
                let got = cheap.calls().pop().unwrap().params();
                assert_eq!(got, call["params"], "hints are the agent's to read, too");
            }
        }
        assert!(dear.calls().is_empty());
        let enough = json!({ "budget": { "max_cost_eur": 0.5, "max_latency_ms": 2000 } });
        for call in placed(dialect, &enough) {
            assert_eq!(
                chosen(&world.decision_of(&world.call(&call).await).await),
                "dear",
                "{call}"
            );
        }
    }
}

#[tokio::test]
async fn hints_of_another_type_are_somebody_elses_and_refused_where_they_are_the_gateways() {
    for dialect in BOTH {
        let (world, dear, cheap) = world(dialect).await;
        for hints in [
            json!({ "agent": 7 }),
            json!({ "agent": { "id": "cheap" } }),
            json!({ "agent": null, "skill": [], "budget": "low" }),
            json!({ "skill": true }),
            json!({ "budget": { "max_cost_eur": "0.1", "max_latency_ms": null } }),
            json!({ "budget": { "max_cost_eur": -1 } }),
            json!({ "budget": [0.1] }),
        ] {
            let mut plain = placed(dialect, &hints);
            let in_extension = plain.split_off(2);
            for call in plain {
                let decision = world.decision_of(&world.call(&call).await).await;
                assert_eq!(
                    (chosen(&decision), &decision["request"]["hints"]),
                    ("dear", &json!({})),
                    "{call}"
                );
                assert_eq!(dear.calls().pop().unwrap().params(), call["params"]);
            }
            let called = dear.calls().len();
            for call in in_extension {
                let refused = world.call(&call).await;
                assert_eq!(refused.code(), -32602, "{call} {}", refused.body);
            }
            assert_eq!((dear.calls().len(), cheap.calls().len()), (called, 0));
        }
    }
}

#[tokio::test]
async fn agents_and_skills_that_do_not_exist_are_no_reason_to_take_another() {
    let (world, dear, cheap) = world(V1).await;
    for hints in [
        json!({ "agent": "none" }),
        json!({ "skill": "none" }),
        json!({ "agent": "cheap", "skill": "dear-skill" }),
    ] {
        for call in placed(V1, &hints) {
            let refused = world.call(&call).await;
            assert_eq!(refused.code(), -32004, "{}", refused.body);
            assert!(
                refused.message().contains("2 not_requested"),
                "{}",
                refused.body
            );
        }
    }
    assert!(dear.calls().is_empty() && cheap.calls().is_empty());
}

#[tokio::test]
async fn a_named_agent_or_skill_needs_no_fit() {
    let (alpha, beta) = (
        Mock::start(V1, "alpha").await,
        Mock::start(V1, "beta").await,
    );
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .profile("")
        .start()
        .await;
    assert_eq!(
        world.call(V1.send("quantum chromodynamics")).await.code(),
        -32004
    );
    for hints in [json!({ "agent": "beta" }), json!({ "skill": "beta.echo" })] {
        let mut call = V1.send("quantum chromodynamics");
        call["params"]["metadata"] = hints;
        assert_eq!(
            chosen(&world.decision_of(&world.call(call).await).await),
            "beta"
        );
    }
}

#[tokio::test]
async fn message_metadata_is_the_closer_word() {
    let (world, ..) = world(V1).await;
    let mut call = V1.send("echo");
    call["params"]["metadata"] = json!({ "agent": "dear", "budget": { "max_cost_eur": 9 } });
    call["params"]["message"]["metadata"] = json!({ "agent": "cheap" });
    let decision = world.decision_of(&world.call(call).await).await;
    assert_eq!(
        decision["request"]["hints"],
        json!({ "agent": "cheap", "max_cost_eur": 9.0 })
    );
    assert_eq!(chosen(&decision), "cheap");
}

#[tokio::test]
async fn clients_that_ask_for_it_are_told_the_decision_in_the_answer() {
    for dialect in BOTH {
        let (world, dear, _) = world(dialect).await;
        let header = if dialect == V1 {
            "a2a-extensions"
        } else {
            "x-a2a-extensions"
        };
        let reply = receive(
            world
                .rpc("/a2a", dialect.send("echo"))
                .header(header, ROUTING),
        )
        .await;
        let decision = reply.header("x-a2a-gateway-decision").unwrap();
        assert_eq!(
            reply.task()["metadata"][ROUTING]["decisionId"],
            decision,
            "{}",
            reply.body
        );
        assert_eq!(reply.header(header), Some(ROUTING));
        assert_eq!(
            dear.only_call().header(header),
            None,
            "the extension is the gateway's own"
        );
        let silent = world.call(dialect.send("echo")).await;
        assert!(!silent.body.contains(ROUTING), "{}", silent.body);
    }
}
