//! Messages that fit nobody.

use std::path::Path;

use serde_json::json;

use crate::{
    dialect::{BOTH, Dialect},
    mock::Mock,
    world::{
        Setup, World,
        admin::{candidate, chosen},
    },
};

const ODD: &str = "quantum chromodynamics lattice";

async fn two(dialect: Dialect, profile: &str) -> (World, Mock, Mock) {
    let (alpha, beta) = (
        Mock::start(dialect, "alpha").await,
        Mock::start(dialect, "beta").await,
    );
    alpha.serves_card(&dialect.card_about("alpha", &alpha.rpc_url(), "parking permits"));
    beta.serves_card(&dialect.card_about("beta", &beta.rpc_url(), "library opening hours"));
    let setup = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .profile(profile);
    (setup.start().await, alpha, beta)
}

#[tokio::test]
async fn c097_without_a_fallback_nothing_is_sent_and_the_decision_is_named() {
    for dialect in BOTH {
        let (world, alpha, beta) = two(dialect, "").await;
        for call in [dialect.send(ODD), dialect.stream(ODD)] {
            let refused = world.call(&call).await;
            assert_eq!(refused.code(), -32004, "{}", refused.body);
            assert!(
                refused.message().contains("no suitable agent"),
                "{}",
                refused.body
            );
            assert!(
                refused.message().contains("2 below_min_fit"),
                "{}",
                refused.body
            );
            let decision = world.decision_of(&refused).await;
            let id = decision["id"].as_str().unwrap();
            assert!(
                refused.error()["data"].to_string().contains(id),
                "{}",
                refused.body
            );
            assert_eq!(
                (&decision["kind"], &decision["attempts"]),
                (&json!("no_fit"), &json!([]))
            );
            for agent in ["alpha", "beta"] {
                let considered = candidate(&decision, agent);
                assert_eq!(
                    (&considered["verdict"], &considered["reason"]),
                    (&json!("discarded"), &json!("below_min_fit"))
                );
                assert!(
                    considered["detail"].is_string() && considered["signals"].is_object(),
                    "{considered}"
                );
            }
        }
        assert!(alpha.calls().is_empty() && beta.calls().is_empty());
        // The control: what does fit is sent.
        assert_eq!(
            world
                .call(dialect.send("library opening hours"))
                .await
                .task()["status"]["state"],
            dialect.state("completed")
        );
        assert_eq!(beta.calls().len(), 1);
    }
}

#[tokio::test]
async fn c097_a_fallback_gets_what_fits_nobody_and_is_marked_as_such() {
    for dialect in BOTH {
        let (world, alpha, beta) = two(dialect, "on_no_fit: { fallback: alpha }").await;
        let reply = world.call(dialect.send(ODD)).await;
        let stream = world.follow("/a2a", dialect.stream(ODD)).await;
        for decision in [
            world.decision_of(&reply).await,
            world.decision_of_stream(&stream).await,
        ] {
            assert_eq!(
                (&decision["kind"], chosen(&decision)),
                (&json!("fallback"), "alpha")
            );
            assert_eq!(candidate(&decision, "beta")["reason"], "below_min_fit");
        }
        assert_eq!((alpha.calls().len(), beta.calls().len()), (2, 0));
        let fits = world.call(dialect.send("library opening hours")).await;
        assert_eq!(world.decision_of(&fits).await["kind"], "scored");
        // Who names an agent or a skill wants that one and no other.
        for hint in [json!({ "agent": "gamma" }), json!({ "skill": "none" })] {
            let mut call = dialect.send(ODD);
            call["params"]["metadata"] = hint;
            assert_eq!(world.call(call).await.code(), -32004);
        }
        assert_eq!((alpha.calls().len(), beta.calls().len()), (2, 1));
    }
}

#[tokio::test]
async fn c097_a_fallback_must_meet_every_other_requirement() {
    let dialect = Dialect::V1;
    let (world, alpha, beta) = two(dialect, "on_no_fit: { fallback: alpha }").await;
    let mut call = dialect.send(ODD);
    call["params"]["message"]["parts"] = json!([{ "raw": "AAEC", "mediaType": "image/png" }]);
    let refused = world.call(call).await;
    assert_eq!(refused.code(), -32005);
    assert!(refused.message().contains("input_mode"), "{}", refused.body);
    assert!(alpha.calls().is_empty() && beta.calls().is_empty());
}

#[tokio::test]
async fn c097_a_fallback_that_is_no_agent_is_refused_in_the_configuration() {
    let setup = Setup::new().agent_at("alpha", "http://127.0.0.1:1", "");
    for (fallback, accepted) in [("alpha", true), ("alhpa", false)] {
        let yaml = setup
            .clone()
            .profile(&format!("on_no_fit: {{ fallback: {fallback} }}"))
            .yaml();
        let parsed = gateway::config::parse("test.yaml", Path::new(""), &yaml, &|_| None);
        assert_eq!(parsed.is_ok(), accepted);
        if let Err(errors) = parsed {
            let text = errors.to_string();
            assert!(text.contains("alhpa") && text.contains("alpha"), "{text}");
        }
    }
}

#[tokio::test]
async fn agents_that_are_down_are_told_from_agents_that_do_not_fit() {
    let dialect = Dialect::V1;
    let (alpha, beta) = (Mock::bare().await, Mock::bare().await);
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .start()
        .await;
    let refused = world.call(dialect.send("ping")).await;
    assert_eq!(refused.code(), -32603, "{}", refused.body);
    assert!(
        refused.error()["data"]
            .to_string()
            .contains("AGENTS_UNAVAILABLE"),
        "{}",
        refused.body
    );
    assert!(
        refused.message().contains("2 card_unavailable"),
        "{}",
        refused.body
    );
}
