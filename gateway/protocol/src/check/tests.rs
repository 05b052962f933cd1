//! What is refused, and what must pass.

use proptest::prelude::*;

use super::*;

const SEND: Operation = Operation::SendMessage;

fn checked(operation: Operation, version: Version, params: &str) -> Result<(), Error> {
    check_params(
        operation,
        version,
        Some(serde_json::from_str(params).unwrap()),
    )
}

fn refused(operation: Operation, version: Version, params: &str) -> (String, String) {
    let error = checked(operation, version, params).expect_err(params);
    assert_eq!(error.code(), -32602);
    let violation = &error.data()[0]["fieldViolations"][0];
    (
        violation["field"].as_str().unwrap().to_owned(),
        error.message,
    )
}

/// A message of a version with some members replaced or added; `null` removes.
fn message(version: Version, change: &str) -> String {
    let mut message = match version {
        Version::V03 => serde_json::json!({ "kind": "message", "messageId": "m", "role": "user",
            "parts": [{ "kind": "text", "text": "hi" }] }),
        Version::V1 => {
            serde_json::json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "hi" }] })
        }
    };
    let change: serde_json::Map<String, serde_json::Value> = serde_json::from_str(change).unwrap();
    message.as_object_mut().unwrap().extend(change);
    format!("{{\"message\":{message}}}")
}

fn assert_refused(version: Version, cases: &[(&str, &str)]) {
    for (change, field) in cases {
        for operation in [SEND, Operation::SendStreamingMessage] {
            let (path, text) = refused(operation, version, &message(version, change));
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
    assert_refused(Version::V1, &cases);
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
    assert_refused(Version::V03, &old_cases);
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
    assert_refused(Version::V1, &cases);
    assert_refused(Version::V03, &[(r#"{"role":"ROLE_USER"}"#, "message.role")]);
    assert_eq!(refused(SEND, Version::V1, "{}").1, "`message` is missing");
    let text = refused(SEND, Version::V1, r#"{"message":"hi"}"#).1;
    assert_eq!(text, "`message` must be an object");
}

#[test]
fn what_clients_really_send_passes() {
    for (version, change) in [
        (Version::V1, "{}"),
        (
            Version::V1,
            r#"{"taskId":"","contextId":"","referenceTaskIds":[],"metadata":null,"extensions":[]}"#,
        ),
        (
            Version::V1,
            r#"{"taskId":null,"context_id":null,"reference_task_ids":["t"],"novel":1}"#,
        ),
        (Version::V1, r#"{"role":1}"#),
        (Version::V1, r#"{"role":"ROLE_AGENT"}"#),
        (
            Version::V1,
            r#"{"parts":[{"text":""},{"data":null},{"data":[1]},{"raw":"aGk="},{"url":"https://x"}]}"#,
        ),
        (
            Version::V1,
            r#"{"parts":[{"kind":"text","text":"hi","metadata":null,"filename":""}]}"#,
        ),
        (Version::V03, "{}"),
        (
            Version::V03,
            r#"{"role":"agent","contextId":null,"taskId":"t"}"#,
        ),
        (
            Version::V03,
            r#"{"parts":[{"text":"no kind"},{"kind":"data","data":{}}]}"#,
        ),
        (
            Version::V03,
            r#"{"parts":[{"kind":"file","file":{"bytes":"aGk="}},{"kind":"file","file":{"file_with_uri":"x"}}]}"#,
        ),
    ] {
        let params = message(version, change);
        checked(SEND, version, &params).unwrap_or_else(|error| panic!("{params}: {error}"));
    }
    let snake =
        r#"{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"hi"}]},"tenant":""}"#;
    checked(SEND, Version::V1, snake).unwrap();
    // A tree cannot hold a lone surrogate, which JavaScript clients may send.
    let surrogate = message(Version::V1, "{}").replace("hi", r"\ud800");
    checked(SEND, Version::V1, &surrogate).unwrap();
}

#[test]
fn c067_null_params_count_as_absent() {
    for version in [Version::V03, Version::V1] {
        for operation in Operation::ALL {
            let null = checked(operation, version, "null");
            let absent = check_params(operation, version, None);
            assert_eq!(null, absent);
            assert_eq!(null.is_ok(), is_optional(operation), "{operation}");
        }
    }
}

#[test]
fn task_operations_need_their_id() {
    for (operation, version, name) in [
        (Operation::GetTask, Version::V1, "id"),
        (Operation::CancelTask, Version::V03, "id"),
        (Operation::SubscribeToTask, Version::V1, "id"),
        (
            Operation::CreateTaskPushNotificationConfig,
            Version::V1,
            "taskId",
        ),
        (
            Operation::CreateTaskPushNotificationConfig,
            Version::V03,
            "taskId",
        ),
        (Operation::GetTaskPushNotificationConfig, Version::V03, "id"),
        (
            Operation::ListTaskPushNotificationConfigs,
            Version::V1,
            "taskId",
        ),
        (
            Operation::DeleteTaskPushNotificationConfig,
            Version::V03,
            "id",
        ),
    ] {
        checked(
            operation,
            version,
            &format!(r#"{{"{name}":"t","historyLength":null}}"#),
        )
        .unwrap();
        for wrong in ["null", "\"\"", "7", "[\"t\"]"] {
            let params = format!(r#"{{"{name}":{wrong}}}"#);
            assert_eq!(refused(operation, version, &params).0, name);
        }
        assert_eq!(
            refused(operation, version, "{}").1,
            format!("`{name}` is missing")
        );
    }
    checked(
        Operation::ListTasks,
        Version::V1,
        r#"{"contextId":"","pageSize":1}"#,
    )
    .unwrap();
    assert_eq!(
        refused(Operation::ListTasks, Version::V1, r#"{"contextId":1}"#).0,
        "contextId"
    );
}

proptest! {
    #[test]
    fn any_json_is_judged(value in crate::json::tests::any_json()) {
        let wrapped = serde_json::json!({ "message": { "messageId": "m", "role": 1, "parts": value } });
        for text in [value.to_string(), wrapped.to_string()] {
            for operation in Operation::ALL {
                if let Err(error) = checked(operation, Version::V1, &text) {
                    prop_assert_eq!(error.code(), -32602);
                }
            }
        }
    }
}
