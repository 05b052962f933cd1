//! The card of an agent that cannot be asked for it after a restart.

use serde_json::{Value, json};

use crate::{
    dialect::V1,
    mock::{Answer, CARD, Mock},
    world::{
        Setup, World,
        admin::{candidate, chosen},
    },
};

/// Starts a gateway that knows two agents and remembers their cards.
async fn knowing(settings: &str) -> (World, Mock, Mock) {
    let alpha = Mock::start(V1, "alpha").await;
    let beta = Mock::start(V1, "beta").await;
    let world = Setup::new()
        .agent_with("alpha", &alpha, settings)
        .agent("beta", &beta)
        .start()
        .await;
    world.remembers(2).await;
    (world, alpha, beta)
}

/// Answers calls, and nobody who asks for the card.
fn loses_its_card(mock: &Mock) {
    mock.at(CARD, |_| Answer::http(500, "", ""));
}

fn problem(agent: &Value) -> &str {
    agent["problem"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn c009_an_agent_is_routed_to_by_its_card_from_before_the_restart() {
    let (mut world, alpha, _beta) = knowing("card: { on_drift: warn }").await;
    let sent = world.call(V1.send_to("alpha", "ping")).await;
    loses_its_card(&alpha);
    for _ in 0..2 {
        world.restart().await;
        let agent = world.agent("alpha").await;
        assert_eq!(agent["state"], "stale", "{agent}");
        assert_eq!(agent["card"]["from_before_start"], true, "{agent}");
        assert!(problem(&agent).contains("answered 500"), "{agent}");

        let again = world.call(V1.send_to("alpha", "ping")).await;
        let decision = world.decision_of(&again).await;
        assert_eq!(chosen(&decision), "alpha");
        assert_eq!(candidate(&decision, "beta")["reason"], "not_requested");
        let polled = world.call(V1.about("GetTask", &sent.task_id())).await;
        assert_eq!(polled.task_id(), sent.task_id());
        assert_eq!(
            world
                .get("/agents/alpha/.well-known/agent-card.json")
                .await
                .status,
            200
        );
    }

    alpha.serves_card(&V1.card("alpha", &alpha.rpc_url()));
    let agent = world
        .refresh("alpha", "the card to be confirmed", |agent| {
            agent["state"] == "ready"
        })
        .await;
    assert_eq!(agent["card"]["from_before_start"], false, "{agent}");
}

#[tokio::test]
async fn an_agent_that_is_down_after_a_restart_is_no_stranger() {
    let (mut world, alpha, _beta) = knowing("card: { on_drift: ignore }").await;
    let sent = world.call(V1.send_to("alpha", "ping")).await;
    alpha.goes_down().await;
    world.restart().await;
    let agent = world.agent("alpha").await;
    assert_eq!(agent["state"], "stale", "{agent}");
    assert!(problem(&agent).contains("connection refused"), "{agent}");
    let polled = world.call(V1.about("GetTask", &sent.task_id())).await;
    assert!(polled.body.contains("connection"), "{}", polled.body);
    let unnamed = world.call(V1.send("ping")).await;
    let decision = world.decision_of(&unnamed).await;
    let known = candidate(&decision, "alpha");
    assert_ne!(known["reason"], "card_unavailable", "{decision}");
    assert!(known["signals"]["availability"].is_object(), "{decision}");
}

#[tokio::test]
async fn c085_a_card_from_before_is_not_used_too_old_nor_at_another_address_nor_against_what_is_demanded()
 {
    let old = "UPDATE card_sightings SET seen_at = seen_at - 90000 * 1000000";
    let cases: [(&str, &str, &str); 4] = [
        (old, "", "is too old"),
        (
            "UPDATE card_sightings SET source = 'sha256:00'",
            "",
            "address",
        ),
        (
            "DELETE FROM card_sightings",
            "",
            "not known when it was last seen",
        ),
        (
            "",
            "card: { origin: \"https://elsewhere.example\" }",
            "card.origin",
        ),
    ];
    for (statement, settings, reason) in cases {
        let (mut world, alpha, beta) = knowing("").await;
        loses_its_card(&alpha);
        world.change(|_| {
            Setup::new()
                .agent_with("alpha", &alpha, settings)
                .agent("beta", &beta)
        });
        world
            .restart_after(async |store| super::pins::execute(store, statement).await)
            .await;
        let agent = world.agent("alpha").await;
        assert_eq!(agent["state"], "unavailable", "{reason}: {agent}");
        assert_eq!(agent["card"], Value::Null, "{reason}");
        assert!(problem(&agent).contains(reason), "{reason}: {agent}");
        let refused = world.call(V1.send_to("alpha", "ping")).await;
        let decision = world.decision_of(&refused).await;
        assert_eq!(candidate(&decision, "alpha")["reason"], "card_unavailable");
        assert!(alpha.calls().is_empty(), "{reason}");
    }
}

#[tokio::test]
async fn another_address_in_the_configuration_has_no_card_from_before() {
    let (mut world, alpha, beta) = knowing("").await;
    let elsewhere = Mock::start(V1, "alpha").await;
    loses_its_card(&elsewhere);
    loses_its_card(&alpha);
    world.change(|_| Setup::new().agent("alpha", &elsewhere).agent("beta", &beta));
    world.restart().await;
    let agent = world.agent("alpha").await;
    assert_eq!(agent["state"], "unavailable", "{agent}");
    assert!(problem(&agent).contains("another now"), "{agent}");
}

#[tokio::test]
async fn c085_a_restart_is_no_way_around_a_quarantine_while_the_card_cannot_be_had() {
    let (mut world, alpha, _beta) = knowing("card: { on_drift: quarantine }").await;
    let sent = world.call(V1.send_to("alpha", "ping")).await;
    alpha.serves_card(&V1.card_about("alpha", &alpha.rpc_url(), "something else"));
    let held = world
        .refresh("alpha", "the quarantine", |agent| {
            agent["state"] == "quarantined"
        })
        .await;
    let refused = world.call(V1.send_to("alpha", "ping")).await;
    let decision = world.decision_of(&refused).await;
    assert_eq!(candidate(&decision, "alpha")["reason"], "card_quarantined");
    world.remembers_quarantine().await;
    loses_its_card(&alpha);
    let before = alpha.calls().len();
    world.restart().await;
    let agent = world.agent("alpha").await;
    assert_eq!(agent["state"], "quarantined", "{agent}");
    assert!(problem(&agent).contains("gets nothing new"), "{agent}");
    for path in ["/a2a", "/agents/alpha"] {
        let refused = world.post(path, V1.send_to("alpha", "ping")).await;
        let decision = world.decision_of(&refused).await;
        assert_eq!(candidate(&decision, "alpha")["reason"], "card_quarantined");
    }
    assert_eq!(alpha.calls().len(), before);
    let polled = world.call(V1.about("GetTask", &sent.task_id())).await;
    assert_eq!(polled.task_id(), sent.task_id(), "what it has it finishes");

    alpha.serves_card(&V1.card_about("alpha", &alpha.rpc_url(), "something else"));
    let again = world
        .refresh("alpha", "the card that waits", |agent| {
            agent["held"].is_object()
        })
        .await;
    assert_eq!(again["held"]["fingerprint"], held["held"]["fingerprint"]);
    let body = json!({ "fingerprint": held["held"]["fingerprint"] });
    let accepted = world
        .admin_post("/v1/agents/alpha/accept-card", &body)
        .await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    world.call(V1.send_to("alpha", "ping")).await.task();
}
