//! Extended cards of every form that agents answer with, for the clients of JSON.

use axum::{body::Body, http::Request};
use gateway_proto::{Method, Service};
use serde_json::{Value, json};

use crate::testing::World;

/// The cards that agents answer with, as the core gets them: 0.3 over JSON-RPC, 0.3 over REST and gRPC, and 1.0.
pub(crate) fn cards() -> [Value; 3] {
    let skill = json!({ "id": "s", "name": "S", "description": "secret", "tags": ["s"] });
    let mut old = json!({
        "protocolVersion": "0.3.0", "name": "for friends", "description": "d", "version": "1",
        "url": "http://agent.test/", "preferredTransport": "JSONRPC",
        "capabilities": { "streaming": true, "stateTransitionHistory": true },
        "supportsAuthenticatedExtendedCard": true,
        "securitySchemes": { "k": { "type": "apiKey", "in": "header", "name": "X" } },
        "security": [{ "k": [] }],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [skill], "x-own": 1,
    });
    old["skills"][0]["security"] = json!([{ "k": [] }]);
    // What protobuf leaves out is not there.
    let proto = json!({
        "protocolVersion": "0.3.0", "name": "for friends", "description": "d",
        "url": "agent.test:443", "preferredTransport": "GRPC",
        "capabilities": { "streaming": true }, "supportsAuthenticatedExtendedCard": true,
        "securitySchemes": { "k": { "apiKeySecurityScheme": { "location": "header", "name": "X" } } },
        "security": [{ "schemes": { "k": { "list": ["a"] } } }],
        "skills": [skill],
    });
    let new = json!({
        "name": "for friends", "description": "d", "version": "1",
        "supportedInterfaces": [
            { "url": "agent.test:443", "protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "theirs" },
        ],
        "capabilities": { "streaming": true, "extendedAgentCard": true },
        "securitySchemes": { "k": { "apiKeySecurityScheme": { "location": "header", "name": "X" } } },
        "securityRequirements": [{ "schemes": { "k": { "list": ["a"] } } }],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [skill], "x-own": 1,
    });
    [old, proto, new]
}

fn get(line: &str) -> Request<Body> {
    let request = Request::get(line).header("host", "gateway.test");
    request.body(Body::empty()).unwrap()
}

fn post(method: &str) -> Request<Body> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
    Request::post("/agents/alpha")
        .header("host", "gateway.test")
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

/// Returns the cards that clients of JSON-RPC and of REST get.
async fn served(world: &World, method: &str, path: &str) -> [Value; 2] {
    let rpc = world.send(post(method)).await.json()["result"].take();
    let rest = world.send(get(&format!("/agents/alpha{path}"))).await;
    assert_eq!(rest.header("cache-control"), Some("private, no-cache"));
    [rpc, rest.json()]
}

fn check(card: &Value) {
    let text = card.to_string();
    assert_eq!(card["name"], "for friends", "{text}");
    let skills = json!([{ "id": "s", "name": "S", "description": "secret", "tags": ["s"] }]);
    assert_eq!(card["skills"], skills);
    assert_eq!(card["capabilities"]["streaming"], true);
    for hidden in ["agent.test", "security", "theirs"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
}

#[tokio::test]
async fn clients_of_1_0_get_cards_of_1_0() {
    for card in cards() {
        let world = World::answering(card);
        for card in served(&world, "GetExtendedAgentCard", "/extendedAgentCard").await {
            check(&card);
            let interfaces = card["supportedInterfaces"].as_array().unwrap();
            assert_eq!(interfaces[0]["url"], "http://gateway.test/agents/alpha");
            assert_eq!(interfaces[2]["tenant"], "alpha");
            assert_eq!(card["capabilities"]["extendedAgentCard"], true);
            let old = [
                "url",
                "protocolVersion",
                "supportsAuthenticatedExtendedCard",
            ];
            assert!(old.iter().all(|name| card.get(name).is_none()), "{card}");
        }
    }
}

#[tokio::test]
async fn clients_of_0_3_get_cards_of_0_3() {
    let method = "agent/getAuthenticatedExtendedCard";
    for card in cards() {
        let world = World::answering(card);
        for card in served(&world, method, "/v1/card").await {
            check(&card);
            assert_eq!(card["url"], "http://gateway.test/agents/alpha");
            assert_eq!(card["preferredTransport"], "JSONRPC");
            assert_eq!(card["supportsAuthenticatedExtendedCard"], true);
            assert_eq!(card.get("supportedInterfaces"), None);
        }
    }
}

#[tokio::test]
async fn cards_over_rest_of_0_3_have_no_members_that_strict_readers_refuse() {
    let method = Method::of(Service::V03, "GetAgentCard").unwrap();
    for (card, unknown) in cards().into_iter().zip([2, 0, 1]) {
        let world = World::answering(card);
        let [rpc, mut rest] =
            served(&world, "agent/getAuthenticatedExtendedCard", "/v1/card").await;
        assert!(method.strip_response(&mut rest).is_empty(), "{rest}");
        assert_eq!(method.strip_response(&mut rpc.clone()).len(), unknown);
        let line = format!(r#"conversion_losses_total{{loss="unknown_member"}} {unknown}"#);
        let metrics = world.metrics();
        assert_eq!(metrics.contains(&line), unknown > 0, "{metrics}");
    }
}

#[tokio::test]
async fn the_federation_has_no_card_beyond_the_public_one() {
    let world = World::answering(json!({}));
    let answered = world.send(get("/a2a/extendedAgentCard")).await;
    assert_eq!(answered.status, 400);
    assert!(world.asked().is_empty());
}
