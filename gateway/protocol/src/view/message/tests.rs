//! Messages of both versions, seen.

use proptest::prelude::*;

use super::*;

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

#[test]
fn new_messages_are_seen() {
    let view = MessageView::from_params(
        Dialect::V1,
        raw(
            r#"{"tenant":"t1","message":{"messageId":"m","role":"ROLE_USER","taskId":"t","contextId":"c",
            "referenceTaskIds":["a","b"],"extensions":["urn:e"],"metadata":{"n":1E2},
            "parts":[{"text":"one"},{"text":"<p>","mediaType":"text/html"},{"data":{"amount":1,"to":2}},
                {"url":"https://x/y","mediaType":"image/png"},{"raw":"aGk="},{"text":"two"}]},
            "metadata":{"skill":"s"},
            "configuration":{"acceptedOutputModes":["text/plain"],"returnImmediately":true,
                "taskPushNotificationConfig":{"url":"https://hook"}}}"#,
        ),
    );
    assert_eq!(view.message_id.as_deref(), Some("m"));
    assert_eq!(view.task_id.as_deref(), Some("t"));
    assert_eq!(view.context_id.as_deref(), Some("c"));
    assert_eq!(view.reference_task_ids, ["a", "b"]);
    assert_eq!(view.text, "one\n<p>\ntwo");
    assert_eq!(
        view.media_types,
        ["text/plain", "text/html", "application/json", "image/png"]
    );
    assert_eq!(view.data_keys, ["amount", "to"]);
    assert_eq!(view.extensions, ["urn:e"]);
    assert_eq!(view.metadata, Some(r#"{"n":1E2}"#));
    assert_eq!(view.request_metadata, Some(r#"{"skill":"s"}"#));
    assert_eq!(view.tenant.as_deref(), Some("t1"));
    assert_eq!(view.configuration.accepted_output_modes, ["text/plain"]);
    assert_eq!(view.configuration.wait, Some(false));
    assert!(view.configuration.has_push_config);
}

#[test]
fn old_messages_are_seen() {
    let view = MessageView::from_params(
        Dialect::V03,
        raw(
            r#"{"configuration":{"blocking":true,"pushNotificationConfig":null},
            "message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hé\u006co"},
            {"kind":"file","file":{"uri":"https://x","mimeType":"application/pdf"}},
            {"kind":"file","file":{"bytes":"aGk="}},{"kind":"data","data":{"k":[1]}}]}}"#,
        ),
    );
    assert_eq!(view.text, "hélo");
    assert_eq!(
        view.media_types,
        ["text/plain", "application/pdf", "application/json"]
    );
    assert_eq!(view.data_keys, ["k"]);
    assert_eq!(view.configuration.wait, Some(true));
    assert!(!view.configuration.has_push_config);
}

#[test]
fn old_protobuf_messages_are_seen_under_both_names() {
    for name in ["message", "request"] {
        let params = format!(
            r#"{{"{name}":{{"message_id":"m","role":"ROLE_USER","taskId":"t","content":[{{"text":"hi"}},
                {{"file":{{"fileWithUri":"https://x","mimeType":"application/pdf"}}}},
                {{"data":{{"data":{{"k":[1]}},"novel":{{}}}}}}],"parts":[{{"text":"unread"}}]}},
                "configuration":{{"push_notification":{{"url":"https://hook"}}}}}}"#
        );
        let view = MessageView::from_params(Dialect::V03Proto, raw(&params));
        assert_eq!(
            (view.message_id.as_deref(), view.task_id.as_deref()),
            (Some("m"), Some("t"))
        );
        assert_eq!(view.text, "hi");
        assert_eq!(
            view.media_types,
            ["text/plain", "application/pdf", "application/json"]
        );
        assert_eq!(view.data_keys, ["k"]);
        assert!(view.configuration.has_push_config);
        let elsewhere = MessageView::from_params(Dialect::V1, raw(&params));
        assert_eq!(elsewhere.message_id.is_some(), name == "message");
    }
}

#[test]
fn words_of_json_rpc_are_told_from_those_of_protobuf() {
    for (params, is_rpc) in [
        (r#"{"message":{"role":"user","content":[]}}"#, true),
        (r#"{"request":{"role":"ROLE_USER","parts":[]}}"#, true),
        (
            r#"{"message":{"role":"ROLE_USER","content":[{"parts":1}]}}"#,
            false,
        ),
        (r#"{"parts":[],"role":"user"}"#, false),
        (r#"{"message":"parts"}"#, false),
    ] {
        assert_eq!(is_in_words_of_rpc(raw(params)), is_rpc, "{params}");
    }
}

#[test]
fn snake_case_nulls_and_empty_ids_are_read_like_protobuf_does() {
    let view = MessageView::from_params(
        Dialect::V1,
        raw(
            r#"{"message":{"message_id":"m","task_id":"","context_id":null,"metadata":null,"parts":null},
            "metadata":"text","configuration":{"accepted_output_modes":["a/b"],"return_immediately":false}}"#,
        ),
    );
    assert_eq!(view.message_id.as_deref(), Some("m"));
    assert_eq!((view.task_id, view.context_id), (None, None));
    assert_eq!((view.metadata, view.request_metadata), (None, None));
    assert_eq!(view.configuration.accepted_output_modes, ["a/b"]);
    assert_eq!(view.configuration.wait, Some(true));
}

#[test]
fn long_text_and_long_lists_are_cut() {
    let long = "é".repeat(ROUTING_TEXT_LIMIT);
    let keys: Vec<String> = (0..1000).map(|key| format!("\"k{key}\":1")).collect();
    let params = format!(
        r#"{{"message":{{"parts":[{{"text":"x"}},{{"text":"{long}"}},{{"text":"more"}},{{"data":{{{}}}}}]}}}}"#,
        keys.join(",")
    );
    let view = MessageView::from_params(Dialect::V1, raw(&params));
    assert_eq!(view.text.len(), ROUTING_TEXT_LIMIT);
    assert!(view.text_cut);
    assert!(view.text.ends_with('é'));
    assert_eq!(view.data_keys.len(), DISTINCT_LIMIT);
}

#[test]
fn text_with_a_lone_surrogate_is_still_read() {
    let view = MessageView::from_params(
        Dialect::V1,
        raw(r#"{"message":{"parts":[{"text":"pay \ud800 now"}]}}"#),
    );
    assert_eq!(view.text, r"pay \ud800 now");
}

proptest! {
    #[test]
    fn any_json_is_survived(value in crate::json::tests::any_json()) {
        let wrapped = serde_json::json!({ "message": value, "configuration": value });
        for text in [value.to_string(), wrapped.to_string()] {
            for dialect in [Dialect::V03, Dialect::V03Proto, Dialect::V1] {
                MessageView::from_params(dialect, raw(&text));
            }
        }
    }
}
