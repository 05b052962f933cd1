//! What readers of `ProtoJSON` accept, and that unknown members come in but never leave.

use super::*;

#[test]
fn snake_case_numbers_and_null_are_read() {
    let request = r#"{"message":{"message_id":"m","role":1,"parts":[{"text":"x","media_type":null}],
            "task_id":null,"context_id":"","reference_task_ids":["r"],"extensions":null,"metadata":null},
        "configuration":{"accepted_output_modes":["a/b"],"history_length":"4","return_immediately":true,
            "task_push_notification_config":{"task_id":"","url":"https://h.example"}}}"#;
    let expected = r#"{"message":{"kind":"message","messageId":"m","role":"user",
            "parts":[{"kind":"text","text":"x"}],"referenceTaskIds":["r"]},
        "configuration":{"acceptedOutputModes":["a/b"],"historyLength":4,"blocking":false,
            "pushNotificationConfig":{"url":"https://h.example"}}}"#;
    let converted = params(Operation::SendMessage, (V1, V03), request);
    assert_eq!(converted, (read(expected), vec![]));
}

#[test]
fn the_python_client_of_old_rest_is_read() {
    let request = r#"{"request":{"message_id":"m","role":"ROLE_USER","content":[{"text":"x"},
            {"file":{"file_with_bytes":"QUFFQw==","mime_type":"a/b"}},{"data":{"data":{"a":1.0}}}]},
        "configuration":{"accepted_output_modes":["a/b"],"blocking":true}}"#;
    let expected = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"},
            {"raw":"AAEC","mediaType":"a/b"},{"data":{"a":1.0}}]},
        "configuration":{"acceptedOutputModes":["a/b"]}}"#;
    let converted = params(Operation::SendMessage, (V03Proto, V1), request);
    assert_eq!(converted, (read(expected), vec![]));
}

#[test]
fn url_safe_base64_is_rewritten() {
    for raw in ["-_8", "-_8=", "+/8", "+/8="] {
        let (old, _) = part((V1, V03), &format!(r#"{{"raw":"{raw}"}}"#));
        assert_eq!(old["file"]["bytes"], "+/8=", "{raw}");
        let (new, _) = part(
            (V03, V1),
            &format!(r#"{{"kind":"file","file":{{"bytes":"{raw}"}}}}"#),
        );
        assert_eq!(new["raw"], "+/8=", "{raw}");
    }
}

#[test]
fn unknown_members_are_dropped_and_counted() {
    let task = r#"{"id":"t","x":1,"contextId":"c","status":{"state":"working","x":1},
        "artifacts":[{"artifactId":"a","x":1,"parts":[{"kind":"text","text":"t","x":1}]}],
        "history":[{"messageId":"m","role":"user","x":1,"parts":[]}],
        "metadata":{"x":1},"nothing":null}"#;
    let expected = r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},
        "artifacts":[{"artifactId":"a","parts":[{"text":"t"}]}],
        "history":[{"messageId":"m","role":"ROLE_USER","parts":[]}],"metadata":{"x":1}}"#;
    let mut losses = Losses::default();
    let new = Translator::new(V03, V1)
        .result(Operation::GetTask, read(task), &mut losses)
        .unwrap();
    assert_eq!(new, read(expected));
    assert_eq!(losses.count(Loss::UnknownMember), 5);
}

#[test]
fn user_data_that_looks_like_the_protocol_is_left_alone() {
    let user =
        r#"{"kind":"text","message_id":"x","state":"completed","parts":[{"raw":"?"}],"n":null}"#;
    let (new, lost) = part(
        (V03, V1),
        &format!(r#"{{"kind":"data","data":{user},"metadata":{user}}}"#),
    );
    assert_eq!((&new["data"], &new["metadata"]), (&read(user), &read(user)));
    assert_eq!(lost, [""; 0]);
}

#[test]
fn the_old_discriminator_in_a_new_body_is_no_loss() {
    let (old, lost) = part((V1, V03), r#"{"kind":"text","text":"x"}"#);
    assert_eq!((old, lost), (read(r#"{"kind":"text","text":"x"}"#), vec![]));
}
