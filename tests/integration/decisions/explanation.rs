//! Explanations of recorded decisions: what would have made another agent win.

use serde_json::{Value, json};

use crate::{
    dialect::BOTH,
    mock::Mock,
    world::{Setup, World},
};

/// Two agents of the same words, of which one is better; and one of other words.
async fn decided(dialect: crate::dialect::Dialect) -> (World, Vec<Mock>, String) {
    let mut setup = Setup::new().profile("min_fit: 0.25");
    let mut mocks = Vec::new();
    for (id, words, settings) in [
        ("good", "library books", "quality: 0.9"),
        ("poor", "library books", "quality: 0.7"),
        ("parking", "parking permits", "quality: 0.9"),
    ] {
        let mock = Mock::start(dialect, id).await;
        mock.serves_card(&dialect.card_about(id, &mock.rpc_url(), words));
        setup = setup.agent_with(id, &mock, settings);
        mocks.push(mock);
    }
    let world = setup.start().await;
    let sent = world.call(dialect.send("library books")).await;
    let id = world.decision_of(&sent).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    (world, mocks, id)
}

async fn explanation(world: &World, id: &str) -> Value {
    let reply = world
        .admin_get(&format!("/v1/decisions/{id}/explanation"))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

fn other<'e>(explanation: &'e Value, agent: &str) -> &'e Value {
    let others = explanation["others"].as_array().unwrap();
    others.iter().find(|other| other["agent"] == agent).unwrap()
}

#[tokio::test]
async fn the_smallest_change_of_each_signal_is_named() {
    for dialect in BOTH {
        let (world, _mocks, id) = decided(dialect).await;
        let explained = explanation(&world, &id).await;
        assert_eq!(explained["chosen"]["agent"], "good");
        assert_eq!(explained["chosen"]["by"], "score");
        let changes = other(&explained, "poor")["changes"]
            .as_array()
            .unwrap()
            .clone();
        let quality = changes
            .iter()
            .find(|change| change["signal"] == "quality")
            .unwrap();
        // Both differ in nothing but quality.
        let to = quality["to"].as_f64().unwrap();
        assert!((to - 0.9).abs() < 1e-6, "{quality}");
        let parking = other(&explained, "parking");
        assert_eq!(parking["reason"], "below_min_fit");
        assert_eq!(parking["requirements"][0]["limit"], 0.25);
        assert!(parking["wins_then"].is_boolean(), "{parking}");
    }
}

#[tokio::test]
async fn stored_decisions_are_explained_with_the_limits_of_then_or_none() {
    let dialect = BOTH[0];
    let (mut world, _mocks, id) = decided(dialect).await;
    let before = explanation(&world, &id).await;
    world.restart().await;
    assert_eq!(explanation(&world, &id).await, before);
    world.change(|setup| setup.profile("min_fit: 0.6"));
    world.restart().await;
    let after = explanation(&world, &id).await;
    assert_eq!(after["limits_known"], json!(false));
    assert_eq!(
        other(&after, "parking")["requirements"][0]["limit"],
        Value::Null
    );
    let missing = world.admin_get("/v1/decisions/none/explanation").await;
    assert_eq!(missing.status, 404);
}
