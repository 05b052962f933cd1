//! Results and events of both versions, seen.

use proptest::prelude::*;

use super::*;

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

#[test]
fn tasks_are_seen_bare_and_wrapped() {
    let task = r#"{"id":"t","contextId":"c","kind":"task","status":{"state":"completed"},"artifacts":[{"artifactId":"a"}]}"#;
    let old = ResultView::read(Dialect::V03, raw(task));
    let wrapped = format!(
        r#"{{"task":{}}}"#,
        task.replace("completed", "TASK_STATE_COMPLETED")
    );
    let new = ResultView::read(Dialect::V1, raw(&wrapped));
    assert_eq!((old.path, new.path), (&[] as &[&str], &["task"] as &[&str]));
    for view in [old, new] {
        assert_eq!(view.kind, Some(ResultKind::Task));
        assert_eq!(view.task_id.as_deref(), Some("t"));
        assert_eq!(view.context_id.as_deref(), Some("c"));
        assert_eq!(view.state, Some(TaskState::Completed));
        assert!(view.has_artifact && view.is_terminal());
    }
}

#[test]
fn old_protobuf_results_are_seen_by_all_of_their_names() {
    let message =
        r#"{"messageId":"r","taskId":"t","contextId":"c","content":[{"text":"so it is"}]}"#;
    for name in ["message", "msg"] {
        let result = format!(r#"{{"{name}":{message}}}"#);
        let view = ResultView::read(Dialect::V03Proto, raw(&result));
        assert_eq!(view.kind, Some(ResultKind::Message));
        assert_eq!(
            (view.path, view.task_id.as_deref()),
            (&[name] as &[&str], Some("t"))
        );
        assert_eq!(result_text(Dialect::V03Proto, raw(&result)), "so it is");
    }
    for name in ["message", "update"] {
        let event = format!(
            r#"{{"status_update":{{"task_id":"t","status":{{"state":"TASK_STATE_CANCELLED","{name}":{message}}},"final":true}}}}"#
        );
        let view = ResultView::read(Dialect::V03Proto, raw(&event));
        assert_eq!(view.kind, Some(ResultKind::StatusUpdate));
        assert_eq!(view.state, Some(TaskState::Canceled));
        assert!(view.is_final);
        assert_eq!(result_text(Dialect::V03Proto, raw(&event)), "so it is");
    }
}

#[test]
fn events_are_seen() {
    let view = ResultView::read(
        Dialect::V1,
        raw(
            r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}"#,
        ),
    );
    assert_eq!(view.kind, Some(ResultKind::StatusUpdate));
    assert_eq!(view.state, Some(TaskState::InputRequired));
    assert_eq!(view.task_id.as_deref(), Some("t"));
    assert!(!view.is_terminal() && !view.has_artifact);

    let view = ResultView::read(
        Dialect::V03,
        raw(
            r#"{"kind":"status-update","taskId":"t","contextId":"c","final":true,"status":{"state":"canceled"}}"#,
        ),
    );
    assert!(view.is_final && view.is_terminal());

    let view = ResultView::read(
        Dialect::V03,
        raw(r#"{"kind":"artifact-update","taskId":"t","artifact":{"parts":[]}}"#),
    );
    assert!(view.has_artifact && !view.is_terminal());
    assert_eq!(view.state, None);
}

#[test]
fn message_replies_end_the_exchange() {
    let view = ResultView::read(
        Dialect::V1,
        raw(r#"{"message":{"messageId":"m","contextId":"c","id":"no"}}"#),
    );
    assert!(view.is_terminal());
    assert_eq!((view.task_id, view.state), (None, None));
}

#[test]
fn odd_results_show_little() {
    for text in [
        "null",
        "[]",
        "{}",
        r#"{"status":{"state":"novel"}}"#,
        r#"{"tasks":[]}"#,
    ] {
        let view = ResultView::read(Dialect::V1, raw(text));
        assert_eq!((view.kind, view.state), (None, None), "{text}");
    }
    let numbered = raw(r#"{"id":"t","status":{"state":3}}"#);
    assert_eq!(
        ResultView::read(Dialect::V1, numbered).state,
        Some(TaskState::Completed)
    );
}

#[test]
fn text_is_joined_without_history() {
    let task = raw(
        r#"{"id":"t","kind":"task","history":[{"parts":[{"kind":"text","text":"question"}]}],
            "status":{"state":"completed","message":{"parts":[{"kind":"text","text":"done"}]}},
            "artifacts":[{"parts":[{"kind":"text","text":"one"},{"kind":"data","data":{"text":"no"}}]},
                {"parts":[{"text":"t\u0077o"}]}]}"#,
    );
    assert_eq!(result_text(Dialect::V03, task), "done\none\ntwo");
    let message = raw(r#"{"message":{"messageId":"m","parts":[{"text":"hi"}]}}"#);
    assert_eq!(result_text(Dialect::V1, message), "hi");
    let event = raw(r#"{"artifactUpdate":{"artifact":{"parts":[{"text":"chunk"}]}}}"#);
    assert_eq!(result_text(Dialect::V1, event), "chunk");
}

proptest! {
    #[test]
    fn any_json_is_survived(value in crate::json::tests::any_json()) {
        let wrapped = serde_json::json!({ "task": value, "status": value, "artifacts": value });
        for text in [value.to_string(), wrapped.to_string()] {
            for dialect in [Dialect::V03, Dialect::V1] {
                ResultView::read(dialect, raw(&text));
                result_text(dialect, raw(&text));
            }
        }
    }
}
