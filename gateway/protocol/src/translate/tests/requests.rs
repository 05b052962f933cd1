//! The parameters of operations on tasks, and of sending.

use super::*;
use Operation::{
    CancelTask, GetExtendedAgentCard, GetTask, ListTasks, SendMessage, SendStreamingMessage,
    SubscribeToTask,
};

#[test]
fn tasks_are_named_by_id_or_resource() {
    let forms = [
        r#"{"id":"t-1"}"#,
        r#"{"name":"tasks/t-1"}"#,
        r#"{"id":"t-1"}"#,
    ];
    for operation in [GetTask, CancelTask, SubscribeToTask] {
        assert_same_params(operation, forms);
    }
    assert_same_params(
        GetTask,
        [
            r#"{"id":"t-1","historyLength":3}"#,
            r#"{"name":"tasks/t-1","historyLength":3}"#,
            r#"{"id":"t-1","historyLength":3}"#,
        ],
    );
}

#[test]
fn zero_history_of_a_task_is_treated_like_that_of_a_message() {
    let zero = r#"{"id":"t","historyLength":0}"#;
    assert_eq!(params(GetTask, (V03, V1), zero), (read(zero), vec![]));
    let proto = read(r#"{"name":"tasks/t","historyLength":1}"#);
    assert_eq!(
        params(GetTask, (V1, V03Proto), zero),
        (proto, vec!["history_length_zero"])
    );
    let proto = r#"{"name":"tasks/t","historyLength":0}"#;
    assert_eq!(
        params(GetTask, (V03Proto, V1), proto),
        (read(r#"{"id":"t"}"#), vec![])
    );
}

#[test]
fn metadata_of_a_request_is_kept_where_there_is_a_place() {
    let with = r#"{"id":"t","metadata":{"k":1}}"#;
    let lost = vec!["request_metadata"];
    for (operation, pair, keeps) in [
        (GetTask, (V03, V1), false),
        (SubscribeToTask, (V03, V1), false),
        (CancelTask, (V03, V1), true),
        (CancelTask, (V1, V03), true),
    ] {
        let (converted, found) = params(operation, pair, with);
        let (expected, losses) = if keeps {
            (with, vec![])
        } else {
            (r#"{"id":"t"}"#, lost.clone())
        };
        assert_eq!(
            (converted, found),
            (read(expected), losses),
            "{operation} {pair:?}"
        );
    }
    let proto = read(r#"{"name":"tasks/t"}"#);
    assert_eq!(params(CancelTask, (V1, V03Proto), with), (proto, lost));
}

#[test]
fn the_tenant_is_lost_to_the_old_version() {
    let message = r#""message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}"#;
    for (operation, text) in [
        (GetTask, r#"{"tenant":"x","id":"t"}"#.to_owned()),
        (SendMessage, format!(r#"{{"tenant":"x",{message}}}"#)),
        (GetExtendedAgentCard, r#"{"tenant":"x"}"#.to_owned()),
    ] {
        let (old, lost) = params(operation, (V1, V03), &text);
        assert!(old.get("tenant").is_none());
        assert_eq!(lost, ["tenant"], "{operation}");
    }
    assert_eq!(
        params(GetTask, (V1, V03), r#"{"tenant":"","id":"t"}"#).1,
        [""; 0]
    );
}

#[test]
fn c018_sending_is_the_same_in_all_dialects() {
    let forms = [
        r#"{"message":{"kind":"message","messageId":"m","role":"user","taskId":"t","contextId":"c",
            "parts":[{"kind":"text","text":"x"}],"metadata":{"a":1}},
            "configuration":{"blocking":false},"metadata":{"b":2}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","taskId":"t","contextId":"c",
            "content":[{"text":"x"}],"metadata":{"a":1}},
            "configuration":{"blocking":false},"metadata":{"b":2}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","taskId":"t","contextId":"c",
            "parts":[{"text":"x"}],"metadata":{"a":1}},
            "configuration":{"returnImmediately":true},"metadata":{"b":2}}"#,
    ];
    assert_same_params(SendMessage, forms);
    assert_same_params(SendStreamingMessage, forms);
}

#[test]
fn the_card_needs_no_parameters() {
    for text in ["null", "{}"] {
        for pair in [(V03, V1), (V1, V03), (V1, V03Proto)] {
            assert_eq!(
                params(GetExtendedAgentCard, pair, text),
                (read("{}"), vec![])
            );
        }
    }
}

#[test]
fn listing_has_no_old_form() {
    for pair in [(V1, V03), (V1, V03Proto), (V03, V1)] {
        let mut losses = Losses::default();
        let translator = Translator::new(pair.0, pair.1);
        let error = translator
            .params(ListTasks, read("{}"), &mut losses)
            .unwrap_err();
        assert_eq!(error.code(), -32004);
    }
    let query = r#"{"pageSize":"5","extra":1}"#;
    assert_eq!(params(ListTasks, (V1, V1), query), (read(query), vec![]));
}

#[test]
fn faults_of_a_task_request_name_the_field() {
    for (dialect, text, field) in [
        (V1, "null", "id"),
        (V1, r#"{"id":7}"#, "id"),
        (V1, r#"{"id":""}"#, "id"),
        (V1, r#"{"id":"t","historyLength":1.5}"#, "historyLength"),
        (V03Proto, r#"{"id":"t"}"#, "name"),
        (V03Proto, r#"{"name":"t"}"#, "name"),
        (V03, r#"{"id":"t","metadata":[]}"#, "metadata"),
    ] {
        let (message, found) = refused(GetTask, dialect, text);
        assert_eq!(found, field, "{text}");
        assert!(message.starts_with(&format!("`{field}` ")), "{message}");
    }
}

#[test]
fn faults_of_a_message_name_the_field() {
    for (members, field) in [
        ("", "message.messageId"),
        (r#""messageId":"m""#, "message.role"),
        (r#""messageId":"m","role":0"#, "message.role"),
        (r#""messageId":"m","role":1"#, "message.parts"),
        (r#""messageId":"m","role":1,"parts":[]"#, "message.parts"),
        (
            r#""messageId":"m","role":1,"parts":[{}]"#,
            "message.parts[0]",
        ),
        (
            r#""messageId":"m","role":1,"parts":[{"text":"a"},{"raw":"?"}]"#,
            "message.parts[1].raw",
        ),
        (
            r#""messageId":"m","role":1,"parts":[{"text":"a"}],"extensions":["a",1]"#,
            "message.extensions[1]",
        ),
    ] {
        let (_, found) = refused(SendMessage, V1, &format!(r#"{{"message":{{{members}}}}}"#));
        assert_eq!(found, field, "{members}");
    }
    let message = r#""message":{"messageId":"m","role":1,"parts":[{"text":"a"}]}"#;
    let text = format!(r#"{{{message},"configuration":{{"historyLength":"x"}}}}"#);
    let (_, found) = refused(SendMessage, V1, &text);
    assert_eq!(found, "configuration.historyLength");
    for text in ["{}", r#"{"message":[]}"#] {
        assert_eq!(refused(SendMessage, V1, text).1, "message", "{text}");
    }
}
