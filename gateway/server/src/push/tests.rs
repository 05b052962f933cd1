use axum::http::Request;
use serde_json::json;

use super::*;
use crate::testing::{CALLBACK, MAX_BODY, World};

async fn notify(world: &World, token: &str, headers: &[(&str, &str)], body: &str) -> u16 {
    let mut request = Request::builder()
        .method("POST")
        .uri(format!("/push/{token}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    world.send(request).await.status.as_u16()
}

#[tokio::test]
async fn notifications_are_taken_by_address_and_credential() {
    let world = World::answering(json!({}));
    let event = json!({ "statusUpdate": {
        "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" }
    }});
    let event = event.to_string();
    let (token, bearer) = CALLBACK;
    let authorization = format!("Bearer {bearer}");
    for (token, headers, expected) in [
        (token, &[][..], 200),
        (token, &[("authorization", authorization.as_str())], 200),
        (token, &[("x-a2a-notification-token", bearer)], 200),
        (token, &[("authorization", "Bearer other")], 401),
        (token, &[("x-a2a-notification-token", "other")], 401),
        ("other-token", &[], 404),
    ] {
        let status = notify(&world, token, headers, &event).await;
        assert_eq!(status, expected, "{token} {headers:?}");
    }
}

#[tokio::test]
async fn what_is_no_notification_of_this_task_is_refused() {
    let world = World::answering(json!({}));
    let (token, _) = CALLBACK;
    let other = r#"{"task":{"id":"other","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let large = format!(r#"{{"x":"{}"}}"#, "x".repeat(MAX_BODY));
    for (body, expected) in [("{", 400), ("[]", 400), (other, 400), (large.as_str(), 413)] {
        assert_eq!(notify(&world, token, &[], body).await, expected, "{body}");
    }
}
