//! Messages that chance sends to another agent than the best.

use crate::{
    dialect::V1,
    mock::Mock,
    world::{Setup, admin::chosen},
};

const MESSAGES: usize = 40;

#[tokio::test]
async fn what_chance_did_is_recorded_counted_and_the_same_for_a_retry() {
    let mocks = [Mock::start(V1, "same").await, Mock::start(V1, "same").await];
    let world = Setup::new()
        .agent_with("alpha", &mocks[0], "effect: read, quality: 1")
        .agent_with("beta", &mocks[1], "effect: read, quality: 0.5")
        .profile("min_fit: 0, weights: { latency: 0, risk: 0 }, exploration: { method: epsilon, share: 0.5 }")
        .start()
        .await;
    let mut explored = 0;
    for number in 0..MESSAGES {
        let mut call = V1.send("echo");
        call["params"]["message"]["messageId"] = format!("m-{number}").into();
        let first = world.decision_of(&world.call(&call).await).await;
        let again = world.decision_of(&world.call(&call).await).await;
        assert_eq!(chosen(&first), chosen(&again));
        let (propensity, is_explored) = match chosen(&first) {
            "alpha" => (0.75, false),
            _ => (0.25, true),
        };
        assert_eq!(first["propensity"], propensity);
        assert_eq!(first["exploration"]["explored"], is_explored);
        explored += usize::from(is_explored);
    }
    assert!((2..MESSAGES / 2).contains(&explored), "{explored}");
    let metrics = world.admin_get("/metrics").await.body;
    let counted = format!(
        r#"explorations_total{{method="epsilon",explored="true"}} {}"#,
        2 * explored
    );
    assert!(metrics.contains(&counted), "{counted} in {metrics}");
}
