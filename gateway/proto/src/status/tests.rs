use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::*;

/// What the official Python packages encode for one `ErrorInfo` and one `BadRequest`.
const ENCODED: &str = include_str!("../../tests/round_trips/status.base64");

fn details() -> Vec<Value> {
    vec![
        json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org",
            "metadata": {"taskId": "t-1"},
        }),
        json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{"field": "message.parts", "description": "must not be empty"}],
        }),
    ]
}

fn round_trip(detail: Value) -> Value {
    let decoded = read_status_details(&status_details(3, "refused", &[detail])).unwrap();
    decoded.details.into_iter().next().unwrap()
}

#[test]
fn encoding_equals_that_of_the_official_packages() {
    let encoded = status_details(5, "task `t-1` not found", &details());
    assert_eq!(BASE64_STANDARD.encode(encoded), ENCODED.trim());
}

#[test]
fn code_message_and_details_come_back() {
    let bytes = BASE64_STANDARD.decode(ENCODED.trim()).unwrap();
    let expected = StatusDetails {
        code: 5,
        message: "task `t-1` not found".to_owned(),
        details: details(),
    };
    assert_eq!(read_status_details(&bytes).unwrap(), expected);
}

#[test]
fn a_detail_of_an_unknown_type_keeps_its_bytes() {
    let retry = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "value": "CgIIBQ=="});
    assert_eq!(round_trip(retry.clone()), retry);
}

#[test]
fn bytes_that_do_not_fit_their_type_are_kept() {
    let broken = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "value": "//8="});
    assert_eq!(round_trip(broken.clone()), broken);
}

#[test]
fn a_json_detail_of_an_unknown_type_comes_back_whole() {
    for detail in [
        json!({"@type": "https://agent.example/Quota", "left": 3, "of": [10, 20.5]}),
        json!({"@type": "https://agent.example/Quota", "value": "not base64!"}),
        json!({"@type": "no slash"}),
    ] {
        assert_eq!(round_trip(detail.clone()), detail);
    }
}

#[test]
fn a_detail_that_does_not_fit_its_type_comes_back_whole() {
    let detail =
        json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "metadata": {"left": 3}});
    assert_eq!(round_trip(detail.clone()), detail);
}

#[test]
fn a_detail_without_a_type_gets_one() {
    assert_eq!(
        round_trip(json!({"left": 3})),
        json!({"@type": STRUCT, "value": {"left": 3}})
    );
    assert_eq!(
        round_trip(json!("why")),
        json!({"@type": VALUE, "value": "why"})
    );
}

#[test]
fn a_detail_nested_too_deeply_is_left_out() {
    let deep = (0..120).fold(json!(1), |inner, _| json!([inner]));
    let decoded =
        read_status_details(&status_details(3, "refused", &[deep, json!({"left": 3})])).unwrap();
    assert_eq!(decoded.details.len(), 1);
}

#[test]
fn bytes_of_another_message_are_refused() {
    let error = read_status_details(b"\xff\xff").unwrap_err();
    assert_eq!(error.message(), "google.rpc.Status");
}
