//! Limits of the profile.

use serde_json::json;

use crate::{
    dialect::BOTH,
    mock::Mock,
    world::{
        Setup,
        admin::{candidate, chosen},
    },
};

#[tokio::test]
async fn an_agent_above_the_risk_ceiling_is_passed_over() {
    for dialect in BOTH {
        let (alpha, beta) = (
            Mock::start(dialect, "alpha").await,
            Mock::start(dialect, "beta").await,
        );
        let world = Setup::new()
            .agent_with("alpha", &alpha, "quality: 1, effect: external_effect")
            .agent_with("beta", &beta, "quality: 0.1, effect: read")
            .profile("min_fit: 0, max_risk: 0.4")
            .start()
            .await;
        let decision = world
            .decision_of(&world.call(dialect.send("echo")).await)
            .await;
        assert_eq!(chosen(&decision), "beta");
        let risky = candidate(&decision, "alpha");
        assert_eq!(
            (&risky["verdict"], &risky["reason"]),
            (&json!("discarded"), &json!("risk_ceiling"))
        );
        assert!(
            risky["detail"].as_str().unwrap().contains("0.40"),
            "{risky}"
        );
        assert!(
            risky["score"].is_number() && risky["signals"]["risk"]["terms"].is_object(),
            "{risky}"
        );
        // A client's own word does not lift the ceiling.
        let refused = world.call(dialect.send_to("alpha", "echo")).await;
        assert!(
            refused.message().contains("1 risk_ceiling"),
            "{}",
            refused.body
        );
        assert!(alpha.calls().is_empty());
    }
}

#[tokio::test]
async fn the_effect_of_a_skill_counts_and_what_a_card_says_does_not() {
    let (alpha, beta) = (
        Mock::start(crate::dialect::V1, "alpha").await,
        Mock::start(crate::dialect::V1, "beta").await,
    );
    let mut card = crate::dialect::V1.card("alpha", &alpha.rpc_url());
    card["effect"] = "read".into();
    card["skills"][0]["effect"] = "read".into();
    alpha.serves_card(&card);
    let world = Setup::new()
        .agent_with(
            "alpha",
            &alpha,
            "effect: read, skills: { echo: { effect: external_effect } }",
        )
        .agent_with(
            "beta",
            &beta,
            "effect: external_effect, skills: { echo: { effect: read } }",
        )
        .profile("min_fit: 0, max_risk: 0.4")
        .start()
        .await;
    let decision = world
        .decision_of(&world.call(crate::dialect::V1.send("echo")).await)
        .await;
    assert_eq!(
        (chosen(&decision), &candidate(&decision, "alpha")["reason"]),
        ("beta", &json!("risk_ceiling"))
    );
}

#[tokio::test]
async fn of_very_many_discarded_agents_the_closest_are_listed_and_the_rest_counted() {
    let old = Mock::start(crate::dialect::V1, "old").await;
    let mut card = crate::dialect::V1.card("old", "unused");
    card["supportedInterfaces"] = json!([
        { "url": "https://x.example", "protocolBinding": "urn:pigeon", "protocolVersion": "1.0" }
    ]);
    old.serves_card(&card);
    let new = Mock::start(crate::dialect::V1, "new").await;
    let setup = (0..110).fold(Setup::new(), |setup, number| {
        setup.agent(&format!("old-{number}"), &old)
    });
    let world = setup.agent("new", &new).start().await;
    let decision = world
        .decision_of(&world.call(crate::dialect::V1.send("echo")).await)
        .await;
    assert_eq!(chosen(&decision), "new");
    assert_eq!(decision["candidates"].as_array().unwrap().len(), 31);
    let counted = json!({ "outscored": 0, "discarded": { "version_unreachable": 80 } });
    assert_eq!(decision["unlisted"], counted);
    let refused = world.call(crate::dialect::V1.send_to("none", "echo")).await;
    assert!(
        refused.message().contains("110 version_unreachable"),
        "{}",
        refused.body
    );
}
