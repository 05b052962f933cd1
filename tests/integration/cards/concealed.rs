//! Unknown members of a card are served, and the agent's own address never is.

use serde_json::{Value, json};

use crate::{
    dialect::V1,
    mock::Mock,
    world::{Setup, World, client::receive},
};

/// A gateway in front of an agent whose card names its address wherever it can.
async fn talkative(serve: &str) -> (World, Mock) {
    let mock = Mock::start(V1, "alpha").await;
    let (inner, address) = (mock.url(), mock.address().to_owned());
    let mut card = V1.card("alpha", &mock.rpc_url());
    card["supportedInterfaces"].as_array_mut().unwrap().push(json!({
        "url": "https://node7.corp.example/rpc", "protocolBinding": "urn:pigeon", "protocolVersion": "1.0",
    }));
    card["x-vendor"] = json!({
        "deep": [1, 2.5, null, { "health": format!("{inner}/health") }],
        "docs": "https://docs.example/x", "peer": address, "node": "node7.corp.example",
        "sidecar": "http://10.1.2.3:15000/", "build": "2026-11-30",
    });
    card["skills"][0]["x-skill"] = json!({ "callback": format!("{inner}/cb"), "a": 1 });
    card["capabilities"]["extensions"] =
        json!([{ "uri": "urn:x", "params": { "endpoint": inner, "level": 3 } }]);
    card["documentationUrl"] = json!(format!("{inner}/docs"));
    mock.serves_card(&card);
    let settings = format!("card: {{ serve: {serve} }}");
    let world = Setup::new()
        .agent_with("alpha", &mock, &settings)
        .start()
        .await;
    (world, mock)
}

#[tokio::test]
async fn c005_no_unknown_member_tells_the_address_of_an_agent() {
    let (world, mock) = talkative("rewritten").await;
    for path in ["/agents/alpha", "/a2a"] {
        for version in ["0.3", "1.0"] {
            let request = world.request(reqwest::Method::GET, path);
            let served = receive(request.header("a2a-version", version)).await;
            assert_eq!(served.status, 200);
            for inner in [mock.address(), "10.1.2.3", "node7"] {
                assert!(
                    !served.body.contains(inner),
                    "{path} {inner}: {}",
                    served.body
                );
            }
        }
    }
}

#[tokio::test]
async fn c012_unknown_members_beside_an_inner_address_survive() {
    let (world, _mock) = talkative("rewritten").await;
    let served = world.get("/agents/alpha").await.json();
    assert_eq!(
        served["x-vendor"],
        json!({ "deep": [1, 2.5, null, {}], "docs": "https://docs.example/x", "build": "2026-11-30" })
    );
    assert_eq!(served["skills"][0]["x-skill"], json!({ "a": 1 }));
    let params = &served["capabilities"]["extensions"][0]["params"];
    assert_eq!(params, &json!({ "level": 3 }));
}

#[tokio::test]
async fn what_callers_are_not_shown_is_told_to_the_operator() {
    let (world, _mock) = talkative("rewritten").await;
    let withheld = world.agent("alpha").await["card"]["withheld"].take();
    assert_eq!(withheld["count"], 7, "{withheld}");
    let members = withheld["members"].as_array().unwrap();
    for pointer in [
        "/x-vendor/deep/3/health",
        "/x-vendor/peer",
        "/x-vendor/node",
        "/x-vendor/sidecar",
        "/skills/0/x-skill/callback",
        "/capabilities/extensions/0/params/endpoint",
        "/documentationUrl",
    ] {
        assert!(members.contains(&json!(pointer)), "{pointer}: {withheld}");
    }
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let withheld = world.agent("alpha").await["card"]["withheld"].take();
    assert_eq!(withheld, json!({ "count": 0, "members": [] }));
}

#[tokio::test]
async fn readers_of_another_version_get_a_card_they_understand_in_place_of_a_verbatim_one() {
    let (world, mock) = talkative("verbatim").await;
    let served = async |version: Option<&str>| {
        let mut request = world.request(reqwest::Method::GET, "/agents/alpha");
        if let Some(version) = version {
            request = request.header("a2a-version", version);
        }
        receive(request).await
    };
    let own = served(Some("1.0")).await;
    assert!(own.body.contains(mock.address()));
    assert_eq!(
        served(None).await.body,
        own.body,
        "whoever names no version"
    );
    let old = served(Some("0.3")).await;
    assert_ne!(old.header("etag"), own.header("etag"));
    let card = old.json();
    let url = format!("http://{}/agents/alpha", world.address());
    assert_eq!(card["url"], url);
    let extensions = card["capabilities"]["extensions"].as_array().unwrap();
    let note = |extension: &&Value| extension["uri"] == "urn:a2a-gateway:original-card:1";
    let note = extensions
        .iter()
        .find(note)
        .expect("a note that it is not the agent's");
    let original = note["params"]["url"].as_str().unwrap();
    assert!(original.ends_with("/agents/alpha/.well-known/original-agent-card.json"));
}
