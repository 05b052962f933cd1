use serde_json::json;

use super::*;
use crate::pool::pool;

fn message_type(name: &str) -> MessageType {
    MessageType::new(pool().get_message_by_name(name).unwrap())
}

fn send() -> MessageType {
    message_type("lf.a2a.v1.SendMessageRequest")
}

fn refusal(json: &Value) -> (Option<String>, String) {
    let error = send().encode(Json::Tree(json)).unwrap_err();
    (error.path().map(str::to_owned), error.reason().to_owned())
}

fn part(part: &Value) -> Value {
    let bytes = message_type("lf.a2a.v1.Part")
        .encode(Json::Tree(part))
        .unwrap();
    message_type("lf.a2a.v1.Part").decode(&bytes).unwrap().json
}

#[test]
fn errors_name_the_path() {
    for (json, path) in [
        (
            json!({"message": {"parts": [{"text": "a"}, {"text": 1}]}}),
            "message.parts[1].text",
        ),
        (
            json!({"message": {"parts": [{"raw": "%"}]}}),
            "message.parts[0].raw",
        ),
        (json!({"message": {"parts": {}}}), "message.parts"),
        (json!({"message": {"metadata": "x"}}), "message.metadata"),
        (json!({"message": {"role": true}}), "message.role"),
        (
            json!({"configuration": {"historyLength": 1.5}}),
            "configuration.historyLength",
        ),
        (
            json!({"configuration": {"historyLength": 2_147_483_648_u64}}),
            "configuration.historyLength",
        ),
    ] {
        assert_eq!(refusal(&json).0.as_deref(), Some(path));
    }
}

#[test]
fn two_arms_of_a_oneof_are_refused() {
    let (path, reason) = refusal(&json!({"message": {"parts": [{"text": "a", "url": "b"}]}}));
    assert!(path.unwrap().starts_with("message.parts[0]"));
    assert!(reason.contains("oneof"), "{reason}");
}

#[test]
fn text_that_is_not_one_json_object_is_refused() {
    for text in ["", "[]", "null", "{} {}", r#"{"message":"#, "\"x\""] {
        let error = send().encode(Json::Text(text)).unwrap_err();
        assert_eq!(error.path(), None, "{text}: {error}");
        assert_eq!(error.message(), "lf.a2a.v1.SendMessageRequest");
    }
}

#[test]
fn a_time_without_zone_is_refused() {
    let status = message_type("lf.a2a.v1.TaskStatus");
    let error = status
        .encode(Json::Tree(&json!({"timestamp": "2026-11-30T10:20:30"})))
        .unwrap_err();
    assert_eq!(error.path(), Some("timestamp"));
}

#[test]
fn times_are_written_in_utc_with_three_six_or_nine_digits() {
    let status = message_type("lf.a2a.v1.TaskStatus");
    for (given, written) in [
        ("2026-11-30T10:20:30Z", "2026-11-30T10:20:30Z"),
        ("2026-11-30T10:20:30.5Z", "2026-11-30T10:20:30.500Z"),
        ("2026-11-30T10:20:30.000100Z", "2026-11-30T10:20:30.000100Z"),
        (
            "2026-11-30T10:20:30.123456789+01:30",
            "2026-11-30T08:50:30.123456789Z",
        ),
    ] {
        let bytes = status
            .encode(Json::Tree(&json!({"timestamp": given})))
            .unwrap();
        assert_eq!(
            status.decode(&bytes).unwrap().json,
            json!({"timestamp": written})
        );
    }
}

#[test]
fn whole_numbers_keep_their_spelling() {
    for data in [
        json!([0, -1, 1.5, 9_007_199_254_740_992_u64, 1e300]),
        json!({"a": {"b": [2]}}),
        json!(3),
    ] {
        assert_eq!(part(&json!({"data": data})), json!({"data": data}));
    }
}

#[test]
fn a_present_null_is_told_from_absence() {
    assert_eq!(part(&json!({"data": null})), json!({"data": null}));
    assert_eq!(part(&json!({"text": null})), json!({}));
}

#[test]
fn maps_are_written_in_order() {
    let card = message_type("lf.a2a.v1.AgentCard");
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let schemes: Value = names
        .iter()
        .rev()
        .map(|name| ((*name).to_owned(), json!({"mtlsSecurityScheme": {}})))
        .collect();
    let bytes = card
        .encode(Json::Tree(&json!({"securitySchemes": schemes})))
        .unwrap();
    let written = card.decode(&bytes).unwrap().json;
    let written: Vec<_> = written["securitySchemes"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(written, names);
}

#[test]
fn unknown_fields_in_bytes_are_skipped_and_counted() {
    // Field 100, then field 2 (`id`) of a request for a task.
    let bytes = [0xa0, 0x06, 0x01, 0x12, 0x01, b't'];
    let decoded = message_type("lf.a2a.v1.GetTaskRequest").decode(&bytes);
    let json = json!({"id": "t"});
    let unknown_fields = 1;
    assert_eq!(
        decoded.unwrap(),
        Decoded {
            json,
            unknown_fields
        }
    );
    // A message (field 2) with a part (field 5) that has a field 100, and a field 100 after it.
    let bytes = [0x12, 0x05, 0x2a, 0x03, 0xa0, 0x06, 0x01, 0xa0, 0x06, 0x01];
    assert_eq!(send().decode(&bytes).unwrap().unknown_fields, 2);
}

#[test]
fn bytes_of_another_shape_are_refused() {
    for bytes in [&[0x12, 0x05, b't'][..], &[0xff], &[0x12, 0x01, 0xff]] {
        assert!(
            message_type("lf.a2a.v1.GetTaskRequest")
                .decode(bytes)
                .is_err()
        );
    }
}

#[test]
fn a_number_without_json_form_is_refused() {
    // A part whose data is infinity.
    let bytes = [0x22, 0x09, 0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f];
    let error = message_type("lf.a2a.v1.Part").decode(&bytes).unwrap_err();
    assert!(error.reason().contains("non-finite"), "{error}");
}

#[test]
fn what_has_no_place_is_taken_out_and_listed() {
    let mut json = json!({
        "tenant": "acme", "extra": 1,
        "message": {
            "message_id": "m", "kind": "message", "role": "ROLE_ROBOT", "metadata": {"any": {"thing": 1}},
            "parts": [{"text": "a"}, {"text": "b", "kind": "text"}, {"data": {"free": true}}, null],
        },
    });
    let expected = [
        "extra",
        "message.kind",
        "message.role",
        "message.parts[1].kind",
    ];
    assert_eq!(send().strip(&mut json), expected);
    let rest = json!({
        "tenant": "acme",
        "message": {
            "message_id": "m", "metadata": {"any": {"thing": 1}},
            "parts": [{"text": "a"}, {"text": "b"}, {"data": {"free": true}}, null],
        },
    });
    assert_eq!(json, rest);

    let mut card =
        json!({"securitySchemes": {"k": {"apiKeySecurityScheme": {"in": "header", "name": "X"}}}});
    let expected = ["securitySchemes.k.apiKeySecurityScheme.in"];
    assert_eq!(
        message_type("lf.a2a.v1.AgentCard").strip(&mut card),
        expected
    );
}

#[test]
fn numbers_in_any_spelling_are_numbers() {
    let part = message_type("lf.a2a.v1.Part");
    for (given, written) in [
        ("[1e2, 1.50, -0, 1E-2]", "[100,1.5,0,0.01]"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ("9007199254740993", "9007199254740992"),
    ] {
        let bytes = part
            .encode(Json::Text(&format!(r#"{{"data": {given}}}"#)))
            .unwrap();
        assert_eq!(
            part.decode(&bytes).unwrap().json["data"].to_string(),
            written
        );
    }
    let configuration = message_type("lf.a2a.v1.SendMessageConfiguration");
    let bytes = configuration
        .encode(Json::Text(r#"{"historyLength": 1e1}"#))
        .unwrap();
    assert_eq!(
        configuration.decode(&bytes).unwrap().json,
        json!({"historyLength": 10})
    );
}

#[test]
fn a_number_too_large_for_a_double_is_refused_with_its_path() {
    let json = r#"{"message": {"parts": [{"text": "a"}, {"data": {"x": [1, 1e400]}}]}}"#;
    let error = send().encode(Json::Text(json)).unwrap_err();
    assert_eq!(error.path(), Some("message.parts[1].data.x[1]"));
}

/// Counts how many times `data` may be wrapped until its bytes cannot be read.
fn readable_depth(wrap: impl Fn(Value) -> Value) -> usize {
    let mut data = json!(1);
    for depth in 0..128 {
        let request = json!({"message": {"parts": [{"data": data}]}});
        let bytes = send().encode(Json::Tree(&request));
        if !bytes.is_ok_and(|bytes| send().decode(&bytes).is_ok()) {
            return depth - 1;
        }
        data = wrap(data);
    }
    panic!("no limit")
}

#[test]
fn data_is_readable_as_deep_as_other_peers_read_it() {
    assert_eq!(readable_depth(|inner| json!([inner])), 48);
    assert_eq!(readable_depth(|inner| json!({"a": inner})), 33);
}
