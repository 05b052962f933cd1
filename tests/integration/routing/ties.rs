//! The same question gets the same answer.

use std::collections::BTreeMap;

use serde_json::json;

use crate::{
    dialect::V1,
    mock::Mock,
    world::{Setup, World, admin::chosen},
};

/// Weights under which agents that have been measured score like those that have not.
const UNMEASURED: &str = "min_fit: 0, weights: { quality: 0, latency: 0, risk: 0 }";
/// The same, with a weight for quality.
const MEASURED_FOR_QUALITY: &str = "min_fit: 0, weights: { latency: 0, risk: 0 }";
const MESSAGES: usize = 100;

async fn equals(settings: [&str; 2]) -> (Setup, [Mock; 2]) {
    let mocks = [Mock::start(V1, "same").await, Mock::start(V1, "same").await];
    let setup = Setup::new()
        .agent_with("alpha", &mocks[0], settings[0])
        .agent_with("beta", &mocks[1], settings[1]);
    (setup, mocks)
}

/// Sends messages with ids of their own; returns who got each.
async fn shares(world: &World, messages: usize) -> BTreeMap<String, String> {
    let mut got = BTreeMap::new();
    for number in 0..messages {
        let id = format!("message-{number}");
        let mut call = V1.send("echo");
        call["params"]["message"]["messageId"] = id.as_str().into();
        let reply = world.call(call).await;
        got.insert(id, chosen(&world.decision_of(&reply).await).to_owned());
    }
    got
}

#[tokio::test]
async fn c099_ties_are_shared_by_message_id_whatever_the_order_of_the_configuration() {
    let (setup, _mocks) = equals(["", ""]).await;
    let mut world = setup.profile(UNMEASURED).start().await;
    let first = shares(&world, MESSAGES).await;
    let alphas = first.values().filter(|agent| *agent == "alpha").count();
    assert!(
        (MESSAGES / 4..=MESSAGES * 3 / 4).contains(&alphas),
        "alpha got {alphas} of {MESSAGES}"
    );
    assert_eq!(
        shares(&world, MESSAGES).await,
        first,
        "a retry goes where the first try went"
    );
    world.change(Setup::reversed);
    world.restart().await;
    assert_eq!(
        shares(&world, MESSAGES).await,
        first,
        "after a restart in another order"
    );
}

#[tokio::test]
async fn c099_identical_messages_go_to_the_same_agent() {
    let (setup, mocks) = equals(["", ""]).await;
    let mut world = setup.start().await;
    for _ in 0..2 {
        for _ in 0..MESSAGES {
            world.call(V1.send("echo")).await;
        }
        world.change(Setup::reversed);
        world.restart().await;
    }
    let mut counts = mocks.map(|mock| mock.calls().len());
    counts.sort_unstable();
    assert_eq!(counts, [0, 2 * MESSAGES]);
}

#[tokio::test]
async fn c099_a_preference_decides_a_tie_and_nothing_else() {
    let (setup, _mocks) = equals(["preference: 1", ""]).await;
    let world = setup.profile(UNMEASURED).start().await;
    assert!(
        shares(&world, 20)
            .await
            .values()
            .all(|agent| agent == "alpha")
    );
    let (setup, _mocks) = equals(["preference: 100", "quality: 0.81"]).await;
    let world = setup.profile(MEASURED_FOR_QUALITY).start().await;
    assert!(
        shares(&world, 20)
            .await
            .values()
            .all(|agent| agent == "beta")
    );
}

#[tokio::test]
async fn c099_a_record_holds_everything_the_choice_was_made_from() {
    let (setup, _mocks) = equals(["quality: 0.9", "quality: 0.7"]).await;
    let world = setup.start().await;
    let mut call = V1.send("echo something private");
    call["params"]["message"]["metadata"] = json!({ "budget": { "max_cost_eur": 1.5 } });
    let decision = world.decision_of(&world.call(&call).await).await;
    let candidates = decision["candidates"].as_array().unwrap();
    assert_eq!(
        (
            candidates[0]["agent"].as_str(),
            candidates[1]["agent"].as_str()
        ),
        (Some("alpha"), Some("beta"))
    );
    assert_eq!(
        (&candidates[0]["verdict"], &candidates[1]["verdict"]),
        (&json!("chosen"), &json!("outscored"))
    );
    for candidate in candidates {
        for signal in ["fit", "quality", "availability", "latency", "cost", "risk"] {
            let value = candidate["signals"][signal]["value"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&value), "{signal}: {candidate}");
        }
        let parts = candidate["contributions"].as_object().unwrap();
        let sum: f64 = parts.values().map(|part| part.as_f64().unwrap()).sum();
        assert!(
            (sum - candidate["score"].as_f64().unwrap()).abs() < 1e-9,
            "{candidate}"
        );
        assert!(
            candidate["card"].as_str().unwrap().starts_with("sha256:"),
            "{candidate}"
        );
        assert_eq!(candidate["interface"]["version"], "1.0");
    }
    let scores: Vec<_> = candidates
        .iter()
        .map(|candidate| candidate["score"].as_f64().unwrap())
        .collect();
    assert!(
        (scores[0] - scores[1] - decision["margin"].as_f64().unwrap()).abs() < 1e-9,
        "{decision}"
    );
    assert!(
        (scores[0] - scores[1] - 0.25 * 0.2).abs() < 1e-9,
        "quality 0.9 and 0.7 weigh 0.25: {scores:?}"
    );
    assert_eq!(decision["request"]["message_id"], "m-1");
    assert_eq!(decision["request"]["hints"], json!({ "max_cost_eur": 1.5 }));
    assert_eq!(decision["request"]["text_chars"], 22);
    assert_eq!(
        (&decision["operation"], &decision["kind"]),
        (&json!("SendMessage"), &json!("scored"))
    );
    assert!(!decision.to_string().contains("private"), "{decision}");
    for version in ["config", "catalog", "profile"] {
        assert!(
            !decision["versions"][version].as_str().unwrap().is_empty(),
            "{decision}"
        );
    }
}
