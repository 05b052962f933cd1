//! Stream events: what each is, how 0.3 marks the end, and what a stream remembers.

use super::*;

/// Converts a whole stream and returns the events and the state after them.
fn stream(pair: (Dialect, Dialect), events: &[&str]) -> (Vec<StreamEvent>, StreamState) {
    let mut state = StreamState::default();
    let translator = Translator::new(pair.0, pair.1);
    let convert = |event: &&str| {
        translator
            .event(read(event), &mut state, &mut Losses::default())
            .unwrap()
    };
    let events = events.iter().map(convert).collect();
    (events, state)
}

#[test]
fn each_event_has_a_form_in_each_dialect() {
    for forms in [
        [
            r#"{"kind":"artifact-update","taskId":"t","contextId":"c","append":true,"lastChunk":false,
                "artifact":{"artifactId":"a","parts":[{"kind":"text","text":"x"}]},"metadata":{"k":1}}"#,
            r#"{"artifactUpdate":{"taskId":"t","contextId":"c","append":true,"lastChunk":false,
                "artifact":{"artifactId":"a","parts":[{"text":"x"}]},"metadata":{"k":1}}}"#,
            r#"{"artifactUpdate":{"taskId":"t","contextId":"c","append":true,"lastChunk":false,
                "artifact":{"artifactId":"a","parts":[{"text":"x"}]},"metadata":{"k":1}}}"#,
        ],
        [
            r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}"#,
            r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":false}}"#,
            r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#,
        ],
        [
            r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"}}"#,
            r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}"#,
            r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}"#,
        ],
        [
            r#"{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}"#,
            r#"{"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"x"}]}}"#,
            r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}"#,
        ],
    ] {
        assert_same_result(Operation::SendStreamingMessage, forms);
        assert_same_result(Operation::SubscribeToTask, forms);
    }
}

#[test]
fn final_follows_from_the_state() {
    for (state, is_final) in [
        ("TASK_STATE_UNSPECIFIED", false),
        ("TASK_STATE_SUBMITTED", false),
        ("TASK_STATE_WORKING", false),
        ("TASK_STATE_AUTH_REQUIRED", false),
        ("TASK_STATE_INPUT_REQUIRED", true),
        ("TASK_STATE_COMPLETED", true),
        ("TASK_STATE_FAILED", true),
        ("TASK_STATE_CANCELED", true),
        ("TASK_STATE_REJECTED", true),
    ] {
        let event = format!(
            r#"{{"statusUpdate":{{"taskId":"t","contextId":"c","status":{{"state":"{state}"}}}}}}"#
        );
        let (old, _) = result(Operation::SubscribeToTask, (V1, V03), &event);
        assert_eq!(old["final"], is_final, "{state}");
        let (proto, _) = result(Operation::SubscribeToTask, (V1, V03Proto), &event);
        assert_eq!(proto["statusUpdate"]["final"], is_final, "{state}");
    }
}

#[test]
fn a_flag_of_the_old_version_stays_within_it() {
    let event = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"auth-required"},"final":true}"#;
    let (proto, lost) = result(Operation::SubscribeToTask, (V03, V03Proto), event);
    assert_eq!(
        (&proto["statusUpdate"]["final"], lost),
        (&Value::Bool(true), vec![])
    );
    let (new, lost) = result(Operation::SubscribeToTask, (V03, V1), event);
    assert!(new["statusUpdate"].get("final").is_none());
    assert_eq!(lost, ["final_flag"]);
    assert!(stream((V03, V1), &[event]).1.is_over());
}

#[test]
fn a_new_client_gets_a_snapshot_before_a_bare_update() {
    let task = r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}"#;
    let message = r#"{"kind":"message","messageId":"m","role":"agent","parts":[]}"#;
    let update = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}"#;
    let chunk = r#"{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]}}"#;
    for (events, expected) in [
        (vec![task, update, chunk], vec![false, false, false]),
        (vec![message], vec![false]),
        (vec![update, update], vec![true, false]),
        (vec![chunk, task], vec![true, false]),
    ] {
        let needs = |(events, _): (Vec<StreamEvent>, _)| -> Vec<_> {
            events.iter().map(|event| event.needs_snapshot).collect()
        };
        assert_eq!(needs(stream((V03, V1), &events)), expected);
        assert!(!needs(stream((V03, V03Proto), &events)).contains(&true));
    }
}

#[test]
fn the_snapshot_says_what_the_first_event_implies() {
    let working = r#"{"state":"TASK_STATE_WORKING"}"#;
    for (first, opening) in [
        (
            r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"auth-required"},"final":false}"#,
            Some(r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_AUTH_REQUIRED"}}}"#.to_owned()),
        ),
        (
            r#"{"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a","parts":[]}}"#,
            Some(format!(r#"{{"task":{{"id":"t","status":{working}}}}}"#)),
        ),
        (r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}"#, None),
    ] {
        let (events, _) = stream((V03, V1), &[first, first]);
        let built = events[0].opening().map(|task| task.to_string());
        assert_eq!(built, opening, "{first}");
        assert_eq!(events[1].opening(), None);
    }
}

#[test]
fn a_stream_knows_its_task_and_its_end() {
    let (_, state) = stream(
        (V1, V03),
        &[
            r#"{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}"#,
            r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}"#,
            r#"{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[]}}}"#,
        ],
    );
    assert_eq!(state.task_id(), Some("t"));
    assert_eq!(state.task_state(), Some(crate::TaskState::InputRequired));
    assert!(!state.is_over());
    for end in [
        r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[]}}"#,
        r#"{"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"}}}"#,
        r#"{"statusUpdate":{"taskId":"t","status":{"state":5}}}"#,
    ] {
        assert!(stream((V1, V03), &[end]).1.is_over(), "{end}");
        assert!(stream((V1, V1), &[end]).1.is_over(), "{end}");
    }
}

#[test]
fn a_known_context_fills_the_gap() {
    let update = r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let task = r#"{"task":{"id":"t","contextId":"c"}}"#;
    let (events, _) = stream((V1, V03), &[update, task, update]);
    let contexts: Vec<_> = events
        .iter()
        .map(|event| &event.value["contextId"])
        .collect();
    assert_eq!(contexts, ["", "c", "c"]);

    let mut state = StreamState::in_context("known");
    let mut losses = Losses::default();
    let event = Translator::new(V1, V03).event(read(update), &mut state, &mut losses);
    assert_eq!(event.unwrap().value["contextId"], "known");
}

#[test]
fn objects_that_name_nothing_are_guessed() {
    for (old, wrapper) in [
        (r#"{"id":"t","status":{"state":"working"}}"#, "task"),
        (r#"{"id":"t"}"#, "task"),
        (
            r#"{"taskId":"t","status":{"state":"working"},"final":true}"#,
            "statusUpdate",
        ),
        (
            r#"{"taskId":"t","artifact":{"artifactId":"a","parts":[]}}"#,
            "artifactUpdate",
        ),
        (
            r#"{"messageId":"m","taskId":"t","role":"agent","parts":[]}"#,
            "message",
        ),
        (
            r#"{"msg":{"messageId":"m","role":"agent","content":[]}}"#,
            "message",
        ),
    ] {
        let (new, _) = result(Operation::SubscribeToTask, (V03, V1), old);
        assert!(new.get(wrapper).is_some(), "{new}");
    }
    for other in [
        "{}",
        "null",
        "[]",
        r#"{"task":1}"#,
        r#"{"kind":"task"}"#,
        r#"{"statusUpdate":{}}"#,
    ] {
        let mut losses = Losses::default();
        let error = Translator::new(V03, V1)
            .event(read(other), &mut StreamState::default(), &mut losses)
            .unwrap_err();
        assert_eq!(error.code(), -32006, "{other}");
    }
}
