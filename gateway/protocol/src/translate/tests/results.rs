//! Results: how each operation wraps them, and pages of tasks.

use super::*;
use Operation::{GetExtendedAgentCard, GetTask, ListTasks, SendMessage};

const OLD_TASK: &str = r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}"#;
const NEW_TASK: &str = r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}"#;

#[test]
fn sending_wraps_and_reading_does_not() {
    let wrapped = format!(r#"{{"task":{NEW_TASK}}}"#);
    assert_same_result(SendMessage, [OLD_TASK, &wrapped, &wrapped]);
    for operation in [GetTask, Operation::CancelTask] {
        assert_same_result(operation, [OLD_TASK, NEW_TASK, NEW_TASK]);
        assert_eq!(
            result(operation, (V1, V03), &wrapped),
            (read(OLD_TASK), vec![])
        );
    }
    assert_eq!(
        result(SendMessage, (V1, V03), NEW_TASK),
        (read(OLD_TASK), vec![])
    );
}

#[test]
fn an_event_answers_no_unary_call() {
    let event = r#"{"statusUpdate":{"taskId":"t","status":{"state":2}}}"#;
    let mut losses = Losses::default();
    let error = Translator::new(V1, V03)
        .result(SendMessage, read(event), &mut losses)
        .unwrap_err();
    assert_eq!(error.code(), -32006);
    assert_eq!(
        error.message,
        "the agent's answer is malformed: `result` must be a task or a message, not an event"
    );
}

#[test]
fn faults_of_agents_name_the_field() {
    for (text, field) in [
        (r#"{"contextId":"c"}"#, "id"),
        (r#"{"id":"t","status":"done"}"#, "status"),
        (r#"{"id":"t","history":{}}"#, "history"),
        (
            r#"{"id":"t","artifacts":[{"parts":[{"text":1}]}]}"#,
            "artifacts[0].parts[0].text",
        ),
        (
            r#"{"id":"t","status":{"message":{"parts":7}}}"#,
            "status.message.parts",
        ),
    ] {
        let mut losses = Losses::default();
        let translator = Translator::new(V1, V03);
        let error = translator
            .result(GetTask, read(text), &mut losses)
            .unwrap_err();
        assert_eq!(
            error.details[0]["fieldViolations"][0]["field"], field,
            "{error}"
        );
    }
}

#[test]
fn agents_may_leave_out_what_clients_may_not() {
    let task = r#"{"id":"t","history":[{"role":"ROLE_AGENT"}],"artifacts":[{}]}"#;
    let (old, _) = result(GetTask, (V1, V03), task);
    let message = r#"{"kind":"message","messageId":"","role":"agent","parts":[]}"#;
    assert_eq!(old["history"][0], read(message));
    assert_eq!(old["artifacts"][0], read(r#"{"artifactId":"","parts":[]}"#));
}

#[test]
fn a_page_has_four_members() {
    let empty = r#"{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}"#;
    for text in ["{}", r#"{"tasks":null,"totalSize":0}"#, empty] {
        assert_eq!(result(ListTasks, (V1, V1), text).0, read(empty), "{text}");
        assert_eq!(
            result(ListTasks, (V03Proto, V1), text).0,
            read(empty),
            "{text}"
        );
    }
    let extra = r#"{"tasks":[{"id":"t","extra":1}],"nextPageToken":"x","pageSize":"50","totalSize":9,"extra":1}"#;
    assert_eq!(result(ListTasks, (V1, V1), extra), (read(extra), vec![]));
}

#[test]
fn pages_of_old_agents_are_read_as_arrays_too() {
    let page = format!(r#"{{"tasks":[{NEW_TASK}],"nextPageToken":"","pageSize":1,"totalSize":1}}"#);
    assert_eq!(
        result(ListTasks, (V03, V1), &format!("[{OLD_TASK}]")),
        (read(&page), vec![])
    );
    let (old, lost) = result(ListTasks, (V1, V03), &page);
    assert_eq!((&old["tasks"][0], lost), (&read(OLD_TASK), vec![]));
}

#[test]
fn cards_are_left_alone() {
    let card = r#"{"name":"n","kind":"x","unknown":1.0}"#;
    assert_eq!(
        result(GetExtendedAgentCard, (V03, V1), card),
        (read(card), vec![])
    );
}

#[test]
fn equal_dialects_leave_values_as_they_are() {
    let odd = r#"{"unknown":1.50,"message":{"parts":"?"}}"#;
    for dialect in DIALECTS {
        assert_eq!(
            params(SendMessage, (dialect, dialect), odd),
            (read(odd), vec![])
        );
        assert_eq!(
            result(SendMessage, (dialect, dialect), odd),
            (read(odd), vec![])
        );
        let streaming = Operation::SendStreamingMessage;
        assert_eq!(
            result(streaming, (dialect, dialect), odd),
            (read(odd), vec![])
        );
    }
}
