//! Messages, tasks and artifacts.

use super::*;

#[test]
fn c018_a_task_is_the_same_in_all_dialects() {
    assert_same_result(
        Operation::GetTask,
        [
            r#"{"kind":"task","id":"t-1","contextId":"c-1",
                "status":{"state":"input-required","timestamp":"2026-11-30T10:00:00.120Z",
                    "message":{"kind":"message","messageId":"m-2","role":"agent","taskId":"t-1",
                        "parts":[{"kind":"text","text":"which?"}]}},
                "artifacts":[{"artifactId":"a","name":"n","description":"d","extensions":["urn:x"],
                    "parts":[{"kind":"data","data":{"x":1}}],"metadata":{"m":1}}],
                "history":[{"kind":"message","messageId":"m-1","role":"user","contextId":"c-1",
                    "parts":[{"kind":"file","file":{"bytes":"AAEC","name":"x.bin","mimeType":"a/b"}}],
                    "extensions":["urn:y"]}],
                "metadata":{"kind":"task","state":"working"}}"#,
            r#"{"id":"t-1","contextId":"c-1",
                "status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-30T10:00:00.120Z",
                    "message":{"messageId":"m-2","role":"ROLE_AGENT","taskId":"t-1",
                        "content":[{"text":"which?"}]}},
                "artifacts":[{"artifactId":"a","name":"n","description":"d","extensions":["urn:x"],
                    "parts":[{"data":{"data":{"x":1}}}],"metadata":{"m":1}}],
                "history":[{"messageId":"m-1","role":"ROLE_USER","contextId":"c-1",
                    "content":[{"file":{"fileWithBytes":"QUFFQw==","name":"x.bin","mimeType":"a/b"}}],
                    "extensions":["urn:y"]}],
                "metadata":{"kind":"task","state":"working"}}"#,
            r#"{"id":"t-1","contextId":"c-1",
                "status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-30T10:00:00.120Z",
                    "message":{"messageId":"m-2","role":"ROLE_AGENT","taskId":"t-1",
                        "parts":[{"text":"which?"}]}},
                "artifacts":[{"artifactId":"a","name":"n","description":"d","extensions":["urn:x"],
                    "parts":[{"data":{"x":1}}],"metadata":{"m":1}}],
                "history":[{"messageId":"m-1","role":"ROLE_USER","contextId":"c-1",
                    "parts":[{"raw":"AAEC","filename":"x.bin","mediaType":"a/b"}],
                    "extensions":["urn:y"]}],
                "metadata":{"kind":"task","state":"working"}}"#,
        ],
    );
}

fn state(pair: (Dialect, Dialect), state: &str) -> (String, Vec<&'static str>) {
    let task = format!(r#"{{"id":"t","contextId":"c","status":{{"state":{state}}}}}"#);
    let (task, lost) = result(Operation::GetTask, pair, &task);
    (task["status"]["state"].as_str().unwrap().to_owned(), lost)
}

#[test]
fn nine_states_have_a_name_in_each_dialect() {
    for (number, [old, proto, new]) in [
        [
            "unknown",
            "TASK_STATE_UNSPECIFIED",
            "TASK_STATE_UNSPECIFIED",
        ],
        ["submitted", "TASK_STATE_SUBMITTED", "TASK_STATE_SUBMITTED"],
        ["working", "TASK_STATE_WORKING", "TASK_STATE_WORKING"],
        ["completed", "TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED"],
        ["failed", "TASK_STATE_FAILED", "TASK_STATE_FAILED"],
        ["canceled", "TASK_STATE_CANCELLED", "TASK_STATE_CANCELED"],
        [
            "input-required",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_INPUT_REQUIRED",
        ],
        ["rejected", "TASK_STATE_REJECTED", "TASK_STATE_REJECTED"],
        [
            "auth-required",
            "TASK_STATE_AUTH_REQUIRED",
            "TASK_STATE_AUTH_REQUIRED",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let quoted = [old, proto, new].map(|name| format!("\"{name}\""));
        for (from, to) in PAIRS {
            let pair = (DIALECTS[from], DIALECTS[to]);
            let expected = [old, proto, new][to].to_owned();
            assert_eq!(state(pair, &quoted[from]), (expected, vec![]), "{pair:?}");
        }
        assert_eq!(state((V1, V03), &number.to_string()).0, old);
        assert_eq!(state((V03Proto, V1), &format!("\"{new}\"")).0, new);
    }
    assert_eq!(state((V03, V1), "\"cancelled\"").0, "TASK_STATE_CANCELED");
}

#[test]
fn states_of_the_future_become_unknown() {
    for wire in ["\"paused\"", "\"TASK_STATE_PAUSED\"", "42", "{}"] {
        let unknown = ("unknown".to_owned(), vec!["unknown_state"]);
        assert_eq!(state((V1, V03), wire), unknown, "{wire}");
        let unspecified = ("TASK_STATE_UNSPECIFIED".to_owned(), vec!["unknown_state"]);
        assert_eq!(state((V03, V1), wire), unspecified, "{wire}");
    }
}

#[test]
fn what_only_the_old_version_requires_is_filled_in() {
    let (old, lost) = result(Operation::GetTask, (V1, V03), r#"{"id":"t"}"#);
    let expected = r#"{"kind":"task","id":"t","contextId":"","status":{"state":"unknown"}}"#;
    assert_eq!((old, lost), (read(expected), vec![]));
    let (new, _) = result(Operation::GetTask, (V03, V1), expected);
    assert_eq!(
        new,
        read(r#"{"id":"t","status":{"state":"TASK_STATE_UNSPECIFIED"}}"#)
    );
}

#[test]
fn roles_that_have_no_name_become_the_agent() {
    for (role, new_loss) in [
        ("\"ROLE_UNSPECIFIED\"", vec![]),
        ("null", vec![]),
        ("\"system\"", vec!["unknown_role"]),
        ("3", vec!["unknown_role"]),
    ] {
        let message = format!(r#"{{"message":{{"messageId":"m","role":{role},"content":[]}}}}"#);
        let (old, lost) = result(Operation::SendMessage, (V03Proto, V03), &message);
        assert_eq!(
            (&old["role"], lost),
            (&Value::from("agent"), vec!["unknown_role"])
        );
        let (new, lost) = result(Operation::SendMessage, (V03Proto, V1), &message);
        assert_eq!(
            (&new["message"]["role"], lost),
            (&Value::from("ROLE_UNSPECIFIED"), new_loss)
        );
    }
}

#[test]
fn references_are_lost_to_the_protobuf_form_alone() {
    let old =
        r#"{"kind":"message","messageId":"m","role":"user","parts":[],"referenceTaskIds":["a"]}"#;
    let (new, lost) = result(Operation::SendMessage, (V03, V1), old);
    assert_eq!(
        (&new["message"]["referenceTaskIds"], lost),
        (&read(r#"["a"]"#), vec![])
    );
    let (proto, lost) = result(Operation::SendMessage, (V1, V03Proto), &new.to_string());
    assert_eq!(lost, ["reference_task_ids"]);
    assert!(proto["message"].get("referenceTaskIds").is_none());
}

#[test]
fn timestamps_become_utc_or_are_lost() {
    for (text, expected, lost) in [
        (
            r#""2026-11-30T10:00:00.123456""#,
            Some("2026-11-30T10:00:00.123456Z"),
            vec![],
        ),
        (
            r#""2026-11-30T12:00:00+02:00""#,
            Some("2026-11-30T10:00:00Z"),
            vec![],
        ),
        (r#""""#, None, vec![]),
        ("null", None, vec![]),
        (r#""yesterday""#, None, vec!["timestamp"]),
        ("1764496800", None, vec!["timestamp"]),
    ] {
        let task = format!(
            r#"{{"id":"t","contextId":"c","status":{{"state":"working","timestamp":{text}}}}}"#
        );
        for pair in [(V03, V1), (V1, V03), (V03Proto, V1)] {
            let (task, found) = result(Operation::GetTask, pair, &task);
            assert_eq!(task["status"]["timestamp"].as_str(), expected, "{text}");
            assert_eq!(found, lost, "{text}");
        }
    }
}

#[test]
fn an_empty_status_message_is_none() {
    for name in ["message", "update"] {
        let task = format!(r#"{{"id":"t","status":{{"state":2,"{name}":{{}}}}}}"#);
        let (new, lost) = result(Operation::GetTask, (V03Proto, V1), &task);
        assert_eq!(new["status"], read(r#"{"state":"TASK_STATE_WORKING"}"#));
        assert_eq!(lost, [""; 0]);
    }
}
