//! Profiles and ceilings that a request asks for in the routing extension.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1},
    mock::Mock,
    world::{
        Setup, World,
        admin::{candidate, chosen},
    },
};

const ROUTING: &str = "urn:a2a-gateway:routing:1";

/// Starts `good`, which is dear and writes, and `cheap`, which only reads.
async fn setup(dialect: Dialect) -> (Setup, Mock, Mock) {
    let (good, cheap) = (
        Mock::start(dialect, "good").await,
        Mock::start(dialect, "cheap").await,
    );
    let setup = Setup::new()
        .agent_with(
            "good",
            &good,
            "quality: 1, cost: { per_request: 1 }, skills: { echo: { effect: external_effect } }",
        )
        .agent_with("cheap", &cheap, "quality: 0.1, effect: read")
        .profile("min_fit: 0, max_risk: 1, weights: { quality: 1, cost: 0 }")
        .another_profile(
            "thrifty",
            "extends: balanced, by_request: true, weights: { quality: 0, cost: 1 }",
        )
        .another_profile("inner", "extends: thrifty");
    (setup, good, cheap)
}

fn asking(dialect: Dialect, wishes: &Value) -> Value {
    let mut call = dialect.send("echo");
    call["params"]["message"]["metadata"] = json!({ ROUTING: wishes });
    call
}

async fn decided(world: &World, call: &Value) -> Value {
    world.decision_of(&world.call(call).await).await
}

#[tokio::test]
async fn a_profile_that_is_open_holds_for_the_request_that_asks_for_it() {
    for dialect in BOTH {
        let (setup, ..) = setup(dialect).await;
        let world = setup.start().await;
        let usual = decided(&world, &dialect.send("echo")).await;
        assert_eq!(chosen(&usual), "good");
        let asked = decided(&world, &asking(dialect, &json!({ "profile": "thrifty" }))).await;
        assert_eq!(chosen(&asked), "cheap");
        assert_eq!(asked["request"]["hints"], json!({ "profile": "thrifty" }));
        assert!(
            asked["versions"]["profile"]
                .as_str()
                .unwrap()
                .starts_with("thrifty@")
        );
        // The plain key belongs to everybody.
        let mut plain = dialect.send("echo");
        plain["params"]["metadata"] = json!({ "profile": "thrifty", "max_effect": "read" });
        assert_eq!(chosen(&decided(&world, &plain).await), "good");
    }
}

#[tokio::test]
async fn other_profiles_are_refused_with_the_names_of_those_that_are_open() {
    for dialect in BOTH {
        let (setup, good, cheap) = setup(dialect).await;
        let world = setup.start().await;
        // `inner` extends an open profile and is not open itself.
        for name in ["balanced", "inner", "nonsense"] {
            let refused = world
                .call(asking(dialect, &json!({ "profile": name })))
                .await;
            assert_eq!(refused.code(), -32602, "{}", refused.body);
            assert!(
                refused.message().contains("open are thrifty"),
                "{}",
                refused.body
            );
        }
        for wrong in [
            json!({ "max_effect": "raed" }),
            json!({ "max_effect": null }),
            json!({ "profile": 7 }),
        ] {
            let refused = world.call(asking(dialect, &wrong)).await;
            assert_eq!(refused.code(), -32602, "{wrong} {}", refused.body);
        }
        assert!(good.calls().is_empty() && cheap.calls().is_empty());
    }
}

#[tokio::test]
async fn the_word_of_a_rule_goes_before_that_of_the_request() {
    let (setup, ..) = setup(V1).await;
    let rules = "rules: [{ when: 'request.text.contains(\"echo\")', use: { profile: balanced, max_effect: prepare } }]";
    let world = setup.routing(rules).start().await;
    let decision = decided(
        &world,
        &asking(
            V1,
            &json!({ "profile": "thrifty", "max_effect": "external_effect" }),
        ),
    )
    .await;
    assert!(
        decision["versions"]["profile"]
            .as_str()
            .unwrap()
            .starts_with("balanced@")
    );
    // The request cannot raise the ceiling.
    assert_eq!(candidate(&decision, "good")["reason"], "effect_ceiling");
    assert_eq!(chosen(&decision), "cheap");
}

#[tokio::test]
async fn the_lowest_ceiling_holds_and_is_named() {
    let (setup, ..) = setup(V1).await;
    let world = setup
        .another_profile(
            "careful",
            "extends: balanced, by_request: true, max_effect: prepare",
        )
        .start()
        .await;
    for (wishes, ceiling) in [
        (
            json!({ "profile": "careful" }),
            "prepare set by the profile `careful`",
        ),
        (
            json!({ "max_effect": "reversible_write" }),
            "reversible_write set by the client",
        ),
        (
            json!({ "profile": "careful", "max_effect": "read" }),
            "read set by the client",
        ),
        (
            json!({ "profile": "careful", "max_effect": "external_effect" }),
            "prepare set by the profile `careful`",
        ),
    ] {
        let decision = decided(&world, &asking(V1, &wishes)).await;
        let good = candidate(&decision, "good");
        let detail = good["detail"].as_str().unwrap();
        assert!(
            detail.ends_with(ceiling) && detail.contains("external_effect is above"),
            "{detail}"
        );
        assert_eq!(
            (&good["reason"], chosen(&decision)),
            (&json!("effect_ceiling"), "cheap")
        );
    }
}

#[tokio::test]
async fn a_ceiling_holds_on_the_path_of_an_agent_too() {
    let (setup, good, cheap) = setup(V1).await;
    let world = setup.start().await;
    let call = asking(V1, &json!({ "max_effect": "prepare" }));
    let refused = world.post("/agents/good", &call).await;
    assert!(
        refused
            .message()
            .contains("above the ceiling prepare set by the client"),
        "{}",
        refused.body
    );
    assert_eq!(refused.code(), -32004, "{}", refused.body);
    assert_eq!(world.post("/agents/cheap", &call).await.task()["id"], "t-1");
    assert_eq!((good.calls().len(), cheap.calls().len()), (0, 1));
}
