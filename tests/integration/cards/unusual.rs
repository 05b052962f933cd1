//! Cards that leave things out, hold `null`, or are in another shape.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1},
    mock::Mock,
    world::{Setup, World},
};

/// A change to a card, with a word that a finding about it holds; no word where nothing is wrong.
type Case = (&'static str, fn(&mut Value), Option<&'static str>);

fn remove(card: &mut Value, member: &str) {
    card.as_object_mut().unwrap().remove(member);
}

const CASES: [Case; 12] = [
    (
        "skill without tags",
        |card| remove(&mut card["skills"][0], "tags"),
        Some("tags"),
    ),
    (
        "tags null",
        |card| card["skills"][0]["tags"] = Value::Null,
        Some("tags"),
    ),
    (
        "skill without description",
        |card| remove(&mut card["skills"][0], "description"),
        Some("description"),
    ),
    ("no skills", |card| remove(card, "skills"), Some("skills")),
    (
        "skills null",
        |card| card["skills"] = Value::Null,
        Some("skills"),
    ),
    (
        "no capabilities",
        |card| remove(card, "capabilities"),
        Some("capabilities"),
    ),
    (
        "capabilities null",
        |card| card["capabilities"] = Value::Null,
        Some("capabilities"),
    ),
    (
        "no modes",
        |card| {
            remove(card, "defaultInputModes");
            remove(card, "defaultOutputModes");
        },
        Some("defaultInputModes"),
    ),
    (
        "no version",
        |card| remove(card, "version"),
        Some("version"),
    ),
    (
        "wrapped security",
        |card| card["securityRequirements"] = json!([{ "schemes": { "o": { "list": ["r"] } } }]),
        None,
    ),
    (
        "plain security",
        |card| card["security"] = json!([{ "o": ["r"] }]),
        None,
    ),
    (
        "unknown member",
        |card| card["x-vendor"] = json!({ "deep": [1, 2.50, null] }),
        None,
    ),
];

async fn world_of_cases(dialect: Dialect) -> World {
    let mut setup = Setup::new();
    for (number, (_, change, _)) in CASES.iter().enumerate() {
        let mock = Mock::start(dialect, "alpha").await;
        let mut card = dialect.card("alpha", &mock.rpc_url());
        change(&mut card);
        mock.serves_card(&card);
        setup = setup.agent(&format!("agent-{number}"), &mock);
    }
    setup.start().await
}

#[tokio::test]
async fn c012_missing_and_null_members_are_read_as_empty_and_named() {
    for dialect in BOTH {
        let world = world_of_cases(dialect).await;
        for (number, (what, _, word)) in CASES.iter().enumerate() {
            let id = format!("agent-{number}");
            let agent = world.agent(&id).await;
            assert_eq!(agent["state"], "ready", "{what}: {agent}");
            let findings = agent["card"]["findings"].to_string();
            if let Some(word) = word {
                assert!(findings.contains(word), "{what}: {findings}");
            }
            let reply = world
                .post(&format!("/agents/{id}"), dialect.send("ping"))
                .await;
            assert_eq!(reply.task_id(), "t-1", "{what}");
            let served = world.get(&format!("/agents/{id}")).await.json();
            assert!(
                served["skills"].is_array() && served["capabilities"].is_object(),
                "{what}: {served}"
            );
            assert!(served["defaultInputModes"].is_array(), "{what}: {served}");
        }
    }
}

#[tokio::test]
async fn c012_missing_capabilities_mean_no_streaming() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let mut card = dialect.card("alpha", &mock.rpc_url());
        remove(&mut card, "capabilities");
        mock.serves_card(&card);
        let world = World::of("alpha", &mock).await;
        let refused = world.post("/agents/alpha", dialect.stream("ping")).await;
        assert_eq!(refused.code(), -32004, "{}", refused.body);
        assert!(mock.calls().is_empty());
    }
}

#[tokio::test]
async fn c012_unknown_members_survive_in_the_served_card() {
    let mock = Mock::start(V1, "alpha").await;
    let mut card = V1.card("alpha", &mock.rpc_url());
    card["x-vendor"] = json!({ "deep": [1, 2.5, null], "url": "https://docs.example/x" });
    card["skills"][0]["x-skill"] = json!({ "a": 1 });
    card["capabilities"]["x-capability"] = json!(true);
    mock.serves_card(&card);
    let world = World::of("alpha", &mock).await;
    let served = world.get("/agents/alpha").await.json();
    assert_eq!(served["x-vendor"], card["x-vendor"]);
    assert_eq!(served["skills"][0]["x-skill"], card["skills"][0]["x-skill"]);
    assert_eq!(served["capabilities"]["x-capability"], true);
}

#[tokio::test]
async fn c083_a_card_does_not_lead_the_gateway_to_itself() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let mut card = V1.card("alpha", &mock.rpc_url());
    let own =
        json!({ "url": world.address(), "protocolBinding": "GRPC", "protocolVersion": "1.0" });
    card["supportedInterfaces"]
        .as_array_mut()
        .unwrap()
        .insert(0, own);
    mock.serves_card(&card);
    let agent = world
        .refresh("alpha", "the new card", |agent| {
            agent["card"]["findings"]
                .to_string()
                .contains("the gateway itself listens")
        })
        .await;
    let endpoints = agent["card"]["endpoints"].as_array().unwrap();
    assert_eq!(endpoints.len(), 1, "{agent}");
    assert_eq!(endpoints[0]["url"], mock.rpc_url(), "{agent}");
}
