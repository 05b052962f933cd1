//! Profiles that decide beside the one in use.

use serde_json::json;

use crate::{
    dialect::V1,
    mock::Mock,
    world::{Setup, admin::chosen},
};

#[tokio::test]
async fn a_shadow_is_recorded_and_counted_and_sends_nothing() {
    let mocks = [Mock::start(V1, "same").await, Mock::start(V1, "same").await];
    let world = Setup::new()
        .agent_with("dear", &mocks[0], "quality: 1, cost: { per_request: 0.09 }")
        .agent_with("cheap", &mocks[1], "quality: 0.7")
        .profile("min_fit: 0, weights: { quality: 1, latency: 0, risk: 0 }")
        .shadow("thrifty", "extends: balanced, weights: { cost: 1 }")
        .start()
        .await;
    let decision = world.decision_of(&world.call(V1.send("echo")).await).await;
    assert_eq!(chosen(&decision), "dear");
    let shadow = &decision["shadow"]["thrifty"];
    assert_eq!(
        (&shadow["agent"], &shadow["kind"]),
        (&json!("cheap"), &json!("scored"))
    );
    let profile = shadow["profile"].as_str().unwrap();
    assert!(profile.starts_with("thrifty@"), "{profile}");
    assert_eq!(mocks[1].calls().len(), 0);
    let metrics = world.admin_get("/metrics").await.body;
    let counted = r#"shadow_choices_total{profile="thrifty",agrees="false"} 1"#;
    assert!(metrics.contains(counted), "{metrics}");

    let asked = json!({ "text": "echo" });
    let explained = world.admin_post("/v1/route:explain", &asked).await.json();
    assert_eq!(explained["shadow"]["thrifty"]["agent"], "cheap");
    let metrics = world.admin_get("/metrics").await.body;
    assert!(
        metrics.contains(counted),
        "explaining counts nothing: {metrics}"
    );

    let named = json!({ "text": "echo", "profile": "thrifty" });
    let explained = world.admin_post("/v1/route:explain", &named).await.json();
    assert_eq!(chosen(&explained), "cheap");
    assert!(explained.get("shadow").is_none(), "{explained}");
}
