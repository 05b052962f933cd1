//! What is refused, and what must pass.

use proptest::prelude::*;

use super::*;

const SEND: Operation = Operation::SendMessage;

fn checked(operation: Operation, dialect: Dialect, params: &str) -> Result<(), Error> {
    check_params(
        operation,
        dialect,
        Some(serde_json::from_str(params).unwrap()),
    )
}

fn refused(operation: Operation, dialect: Dialect, params: &str) -> (String, String) {
    let error = checked(operation, dialect, params).expect_err(params);
    assert_eq!(error.code(), -32602);
    let violation = &error.data()[0]["fieldViolations"][0];
    (
        violation["field"].as_str().unwrap().to_owned(),
        error.message,
    )
}

/// A message of a dialect with some members replaced or added; `null` removes.
fn message(dialect: Dialect, change: &str) -> String {
    let mut message = match dialect {
        Dialect::V03 => serde_json::json!({ "kind": "message", "messageId": "m", "role": "user",
            "parts": [{ "kind": "text", "text": "hi" }] }),
        Dialect::V03Proto => serde_json::json!({ "messageId": "m", "role": "ROLE_USER",
            "content": [{ "text": "hi" }] }),
        Dialect::V1 => {
            serde_json::json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "hi" }] })
        }
    };
    let change: serde_json::Map<String, serde_json::Value> = serde_json::from_str(change).unwrap();
    message.as_object_mut().unwrap().extend(change);
    format!("{{\"message\":{message}}}")
}

fn assert_refused(dialect: Dialect, cases: &[(&str, &str)]) {
    for (change, field) in cases {
        for operation in [SEND, Operation::SendStreamingMessage] {
            let (path, text) = refused(operation, dialect, &message(dialect, change));
            assert_eq!(path, *field, "{change}");
            assert!(text.starts_with(&format!("`{field}` ")), "{text}");
        }
    }
}

#[test]
fn c067_messages_without_usable_parts_are_refused_with_the_path() {
    let cases = [
        (r#"{"parts":[]}"#, "message.parts"),
        (r#"{"parts":null}"#, "message.parts"),
        (r#"{"parts":{}}"#, "message.parts"),
        (r#"{"parts":["hi"]}"#, "message.parts[0]"),
        (r#"{"parts":[{"text":"a"},{}]}"#, "message.parts[1]"),
        (r#"{"parts":[{"text":null}]}"#, "message.parts[0]"),
        (r#"{"parts":[{"text":7}]}"#, "message.parts[0].text"),
        (r#"{"parts":[{"metadata":{}}]}"#, "message.parts[0]"),
        (
            r#"{"parts":[{"kind":"file","file":{"uri":"x"}}]}"#,
            "message.parts[0]",
        ),
    ];
    assert_refused(Dialect::V1, &cases);
    let old_cases = [
        (r#"{"parts":[]}"#, "message.parts"),
        (r#"{"parts":[{"kind":"text"}]}"#, "message.parts[0]"),
        (
            r#"{"parts":[{"kind":"data","data":null}]}"#,
            "message.parts[0]",
        ),
        (
            r#"{"parts":[{"file":{"name":"x"}}]}"#,
            "message.parts[0].file",
        ),
        (r#"{"parts":[{"file":"x"}]}"#, "message.parts[0].file"),
    ];
    assert_refused(Dialect::V03, &old_cases);
    let proto_cases = [
        (r#"{"content":[]}"#, "message.content"),
        (
            r#"{"content":null,"parts":[{"text":"a"}]}"#,
            "message.content",
        ),
        (r#"{"content":[{"text":"a"},{}]}"#, "message.content[1]"),
        (
            r#"{"content":[{"file":{"name":"x"}}]}"#,
            "message.content[0].file",
        ),
    ];
    assert_refused(Dialect::V03Proto, &proto_cases);
}

#[test]
fn c067_other_members_of_messages_are_refused_with_the_path() {
    let cases = [
        (r#"{"messageId":null}"#, "message.messageId"),
        (r#"{"messageId":""}"#, "message.messageId"),
        (r#"{"messageId":7}"#, "message.messageId"),
        (r#"{"role":null}"#, "message.role"),
        (r#"{"role":"user"}"#, "message.role"),
        (r#"{"role":"ROLE_UNSPECIFIED"}"#, "message.role"),
        (r#"{"taskId":7}"#, "message.taskId"),
        (r#"{"contextId":{}}"#, "message.contextId"),
        (r#"{"referenceTaskIds":"t"}"#, "message.referenceTaskIds"),
        (
            r#"{"referenceTaskIds":["t",1]}"#,
            "message.referenceTaskIds[1]",
        ),
        (r#"{"task_id":"a","taskId":"b"}"#, "message.taskId"),
    ];
    assert_refused(Dialect::V1, &cases);
    assert_refused(Dialect::V03, &[(r#"{"role":"ROLE_USER"}"#, "message.role")]);
    assert_refused(Dialect::V03Proto, &[(r#"{"role":"user"}"#, "message.role")]);
    let twice = message(Dialect::V03Proto, "{}");
    let twice = twice.replace("{\"message\":", "{\"request\":{},\"message\":");
    assert_eq!(refused(SEND, Dialect::V03Proto, &twice).0, "message");
    assert_eq!(refused(SEND, Dialect::V1, "{}").1, "`message` is missing");
    let text = refused(SEND, Dialect::V1, r#"{"message":"hi"}"#).1;
    assert_eq!(text, "`message` must be an object");
}

#[test]
fn what_clients_really_send_passes() {
    for (dialect, change) in [
        (Dialect::V1, "{}"),
        (
            Dialect::V1,
            r#"{"taskId":"","contextId":"","referenceTaskIds":[],"metadata":null,"extensions":[]}"#,
        ),
        (
            Dialect::V1,
            r#"{"taskId":null,"context_id":null,"reference_task_ids":["t"],"novel":1}"#,
        ),
        (Dialect::V1, r#"{"role":1}"#),
        (Dialect::V1, r#"{"role":"ROLE_AGENT"}"#),
        (
            Dialect::V1,
            r#"{"parts":[{"text":""},{"data":null},{"data":[1]},{"raw":"aGk="},{"url":"https://x"}]}"#,
        ),
        (
            Dialect::V1,
            r#"{"parts":[{"kind":"text","text":"hi","metadata":null,"filename":""}]}"#,
        ),
        (Dialect::V03, "{}"),
        (
            Dialect::V03,
            r#"{"role":"agent","contextId":null,"taskId":"t"}"#,
        ),
        (
            Dialect::V03,
            r#"{"parts":[{"text":"no kind"},{"kind":"data","data":{}}]}"#,
        ),
        (
            Dialect::V03,
            r#"{"parts":[{"kind":"file","file":{"bytes":"aGk="}},{"kind":"file","file":{"file_with_uri":"x"}}]}"#,
        ),
        (Dialect::V03Proto, r#"{"role":1,"novel":{},"task_id":"t"}"#),
        (
            Dialect::V03Proto,
            r#"{"content":[{"text":""},{"data":{"data":{}}},{"file":{"fileWithBytes":"aGk="}}]}"#,
        ),
    ] {
        let params = message(dialect, change);
        checked(SEND, dialect, &params).unwrap_or_else(|error| panic!("{params}: {error}"));
    }
    let snake =
        r#"{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"hi"}]},"tenant":""}"#;
    checked(SEND, Dialect::V1, snake).unwrap();
    let named = message(Dialect::V03Proto, "{}").replace("\"message\":", "\"request\":");
    checked(SEND, Dialect::V03Proto, &named).unwrap();
    // A tree cannot hold a lone surrogate, which JavaScript clients may send.
    let surrogate = message(Dialect::V1, "{}").replace("hi", r"\ud800");
    checked(SEND, Dialect::V1, &surrogate).unwrap();
}

#[test]
fn c067_null_params_count_as_absent() {
    for dialect in [Dialect::V03, Dialect::V03Proto, Dialect::V1] {
        for operation in Operation::ALL {
            let null = checked(operation, dialect, "null");
            let absent = check_params(operation, dialect, None);
            assert_eq!(null, absent);
            assert_eq!(null.is_ok(), is_optional(operation), "{operation}");
        }
    }
}

#[test]
fn task_operations_need_their_id() {
    for (operation, dialect, name) in [
        (Operation::GetTask, Dialect::V1, "id"),
        (Operation::CancelTask, Dialect::V03, "id"),
        (Operation::SubscribeToTask, Dialect::V1, "id"),
        (
            Operation::CreateTaskPushNotificationConfig,
            Dialect::V1,
            "taskId",
        ),
        (
            Operation::CreateTaskPushNotificationConfig,
            Dialect::V03,
            "taskId",
        ),
        (Operation::GetTaskPushNotificationConfig, Dialect::V03, "id"),
        (
            Operation::ListTaskPushNotificationConfigs,
            Dialect::V1,
            "taskId",
        ),
        (
            Operation::DeleteTaskPushNotificationConfig,
            Dialect::V03,
            "id",
        ),
    ] {
        checked(
            operation,
            dialect,
            &format!(r#"{{"{name}":"t","historyLength":null}}"#),
        )
        .unwrap();
        for wrong in ["null", "\"\"", "7", "[\"t\"]"] {
            let params = format!(r#"{{"{name}":{wrong}}}"#);
            assert_eq!(refused(operation, dialect, &params).0, name);
        }
        assert_eq!(
            refused(operation, dialect, "{}").1,
            format!("`{name}` is missing")
        );
    }
    checked(
        Operation::ListTasks,
        Dialect::V1,
        r#"{"contextId":"","pageSize":1}"#,
    )
    .unwrap();
    assert_eq!(
        refused(Operation::ListTasks, Dialect::V1, r#"{"contextId":1}"#).0,
        "contextId"
    );
}

#[test]
fn resource_names_are_needed_where_they_stand_for_ids() {
    let proto = Dialect::V03Proto;
    for (operation, name, good) in [
        (Operation::GetTask, "name", "tasks/t"),
        (Operation::CancelTask, "name", "tasks/t"),
        (Operation::SubscribeToTask, "name", "tasks/a/b"),
        (
            Operation::GetTaskPushNotificationConfig,
            "name",
            "tasks/t/pushNotificationConfigs/p",
        ),
        (
            Operation::ListTaskPushNotificationConfigs,
            "parent",
            "tasks/t",
        ),
    ] {
        let params = |value: &str| format!(r#"{{"{name}":{value}}}"#);
        checked(operation, proto, &params(&format!("\"{good}\""))).unwrap();
        for wrong in ["null", "\"\"", "7"] {
            assert_eq!(refused(operation, proto, &params(wrong)).0, name);
        }
    }
    for wrong in ["t", "tasks/", "task/t"] {
        let params = format!(r#"{{"name":"{wrong}"}}"#);
        assert_eq!(refused(Operation::GetTask, proto, &params).0, "name");
    }
}

proptest! {
    #[test]
    fn any_json_is_judged(value in crate::json::tests::any_json()) {
        let wrapped = serde_json::json!({ "message": { "messageId": "m", "role": 1, "parts": value } });
        for text in [value.to_string(), wrapped.to_string()] {
            for operation in Operation::ALL {
                if let Err(error) = checked(operation, Dialect::V1, &text) {
                    prop_assert_eq!(error.code(), -32602);
                }
            }
        }
    }
}
