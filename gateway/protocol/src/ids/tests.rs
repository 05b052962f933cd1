//! Every place an id lives, and the places where it must stay.

use std::convert::Infallible;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

/// Marks every id, so that what was exchanged shows in the text.
fn mark(kind: IdKind, id: &str) -> Result<Option<String>, Infallible> {
    Ok(Some(match kind {
        IdKind::Task => format!("T<{id}>"),
        IdKind::Context => format!("C<{id}>"),
    }))
}

fn text(bytes: Cow<'_, [u8]>) -> String {
    String::from_utf8(bytes.into_owned()).unwrap()
}

fn params(operation: Operation, dialect: Dialect, params: &str) -> String {
    text(rewrite_params(operation, dialect, raw(params), &mut mark).unwrap())
}

fn result(operation: Operation, dialect: Dialect, result: &str) -> String {
    text(rewrite_result(operation, dialect, raw(result), &mut mark).unwrap())
}

const MESSAGE: &str = r#"{ "contextId" :"c","taskId":"t", "referenceTaskIds":["r1",  "r2"],"messageId":"m","metadata":{"taskId":"t","n":1E2,"big":123456789012345678901},"parts":[{"text":"taskId t"},{"data":{"taskId":"t","id":"t"}}]}"#;
const MARKED_MESSAGE: &str = r#"{ "contextId" :"C<c>","taskId":"T<t>", "referenceTaskIds":["T<r1>",  "T<r2>"],"messageId":"m","metadata":{"taskId":"t","n":1E2,"big":123456789012345678901},"parts":[{"text":"taskId t"},{"data":{"taskId":"t","id":"t"}}]}"#;

#[test]
fn c022_sent_messages_change_in_their_ids_alone() {
    let before = format!(
        r#"{{"message":{MESSAGE}, "metadata":{{"taskId":"t"}},"configuration":{{"taskPushNotificationConfig":{{"taskId":"t","id":"t"}}}}}}"#
    );
    let after = before
        .replace(MESSAGE, MARKED_MESSAGE)
        .replace(r#"Config":{"taskId":"t""#, r#"Config":{"taskId":"T<t>""#);
    for operation in [Operation::SendMessage, Operation::SendStreamingMessage] {
        for dialect in [Dialect::V03, Dialect::V1] {
            assert_eq!(params(operation, dialect, &before), after);
        }
    }
}

#[test]
fn c047_each_operation_has_its_own_names() {
    let all = r#"{"id":"i","taskId":"t","contextId":"c","name":"n"}"#;
    let id = r#"{"id":"T<i>","taskId":"t","contextId":"c","name":"n"}"#;
    let task = r#"{"id":"i","taskId":"T<t>","contextId":"c","name":"n"}"#;
    let context = r#"{"id":"i","taskId":"t","contextId":"C<c>","name":"n"}"#;
    for (operation, old, new) in [
        (Operation::GetTask, id, id),
        (Operation::CancelTask, id, id),
        (Operation::SubscribeToTask, id, id),
        (Operation::ListTasks, context, context),
        (Operation::CreateTaskPushNotificationConfig, task, task),
        (Operation::GetTaskPushNotificationConfig, id, task),
        (Operation::ListTaskPushNotificationConfigs, id, task),
        (Operation::DeleteTaskPushNotificationConfig, id, task),
        (Operation::GetExtendedAgentCard, all, all),
    ] {
        assert_eq!(params(operation, Dialect::V03, all), old, "{operation}");
        assert_eq!(params(operation, Dialect::V1, all), new, "{operation}");
    }
}

fn task(message: &str, task: &str, context: &str) -> String {
    format!(
        r#"{{"artifacts":[{{"artifactId":"t","metadata":{{"taskId":"t"}},"parts":[{{"text":"t"}}]}}],"contextId":"{context}","history":[{message},{message}],"id":"{task}","kind":"task","metadata":{{"id":"t"}},"status":{{"state":"working","message":{message}}}}}"#
    )
}

#[test]
fn tasks_are_exchanged_through_history_and_status() {
    let before = task(MESSAGE, "t", "c");
    let after = task(MARKED_MESSAGE, "T<t>", "C<c>");
    for operation in [
        Operation::SendMessage,
        Operation::GetTask,
        Operation::SubscribeToTask,
    ] {
        assert_eq!(result(operation, Dialect::V03, &before), after);
        assert_eq!(result(operation, Dialect::V1, &before), after);
        let wrap = |object: &str| format!(r#"{{ "task": {object} }}"#);
        assert_eq!(result(operation, Dialect::V1, &wrap(&before)), wrap(&after));
    }
    let list = |object: &str| format!(r#"{{"tasks":[{object},{object}],"nextPageToken":"t"}}"#);
    assert_eq!(
        result(Operation::ListTasks, Dialect::V1, &list(&before)),
        list(&after)
    );
}

#[test]
fn messages_and_events_are_exchanged() {
    let stream = Operation::SendStreamingMessage;
    let kind = |object: &str| object.replacen('{', r#"{"kind":"message","#, 1);
    assert_eq!(
        result(stream, Dialect::V03, &kind(MESSAGE)),
        kind(MARKED_MESSAGE)
    );
    let wrap = |object: &str| format!(r#"{{"message":{object}}}"#);
    assert_eq!(
        result(stream, Dialect::V1, &wrap(MESSAGE)),
        wrap(MARKED_MESSAGE)
    );

    let status =
        format!(r#""taskId":"t","contextId":"c","id":"x","status":{{"message":{MESSAGE}}}"#);
    let marked = format!(
        r#""taskId":"T<t>","contextId":"C<c>","id":"x","status":{{"message":{MARKED_MESSAGE}}}"#
    );
    for (before, after) in [
        (status.as_str(), marked.as_str()),
        (
            r#""task_id":"t","artifact":{"taskId":"t"}"#,
            r#""task_id":"T<t>","artifact":{"taskId":"t"}"#,
        ),
    ] {
        for member in ["statusUpdate", "artifactUpdate", "status_update"] {
            let wrap = |object: &str| format!(r#"{{"{member}":{{{object}}}}}"#);
            assert_eq!(result(stream, Dialect::V1, &wrap(before)), wrap(after));
        }
        for kind in ["status-update", "artifact-update"] {
            let name = |object: &str| format!(r#"{{{object},"kind":"{kind}"}}"#);
            assert_eq!(result(stream, Dialect::V03, &name(before)), name(after));
        }
    }
}

#[test]
fn push_configurations_are_exchanged() {
    let nested = r#"{"taskId":"t","pushNotificationConfig":{"id":"t","url":"u"}}"#;
    let marked = r#"{"taskId":"T<t>","pushNotificationConfig":{"id":"t","url":"u"}}"#;
    let create = Operation::CreateTaskPushNotificationConfig;
    let list = Operation::ListTaskPushNotificationConfigs;
    assert_eq!(params(create, Dialect::V03, nested), marked);
    assert_eq!(result(create, Dialect::V03, nested), marked);
    assert_eq!(
        result(list, Dialect::V03, &format!("[{nested}]")),
        format!("[{marked}]")
    );
    let configs = r#"{"configs":[{"id":"i","taskId":"t"}],"nextPageToken":""}"#;
    assert_eq!(
        result(list, Dialect::V1, configs),
        r#"{"configs":[{"id":"i","taskId":"T<t>"}],"nextPageToken":""}"#
    );
    assert_eq!(
        result(
            Operation::DeleteTaskPushNotificationConfig,
            Dialect::V1,
            "null"
        ),
        "null"
    );
}

#[test]
fn resource_names_are_exchanged_in_their_ids_alone() {
    let proto = Dialect::V03Proto;
    for (operation, before, after) in [
        (
            Operation::GetTask,
            r#"{"name": "tasks/a\/b","n":1E2}"#,
            r#"{"name": "tasks/T<a/b>","n":1E2}"#,
        ),
        (
            Operation::ListTaskPushNotificationConfigs,
            r#"{"parent":"tasks/t"}"#,
            r#"{"parent":"tasks/T<t>"}"#,
        ),
        (
            Operation::DeleteTaskPushNotificationConfig,
            r#"{"name":"tasks/t/pushNotificationConfigs/t"}"#,
            r#"{"name":"tasks/T<t>/pushNotificationConfigs/t"}"#,
        ),
        (
            Operation::CreateTaskPushNotificationConfig,
            r#"{"parent":"tasks/t","config":{"name":"tasks/t/pushNotificationConfigs/p"}}"#,
            r#"{"parent":"tasks/T<t>","config":{"name":"tasks/T<t>/pushNotificationConfigs/p"}}"#,
        ),
        (Operation::GetTask, r#"{"name":"t"}"#, r#"{"name":"t"}"#),
        (
            Operation::GetTask,
            r#"{"name":"tasks/"}"#,
            r#"{"name":"tasks/"}"#,
        ),
        (
            Operation::SendMessage,
            r#"{"request":{"task_id":"t","referenceTaskIds":["r"]}}"#,
            r#"{"request":{"task_id":"T<t>","referenceTaskIds":["T<r>"]}}"#,
        ),
    ] {
        assert_eq!(params(operation, proto, before), after, "{operation}");
    }
    let named = r#"{"name":"tasks/t/pushNotificationConfigs/p"}"#;
    let marked = r#"{"name":"tasks/T<t>/pushNotificationConfigs/p"}"#;
    assert_eq!(
        result(Operation::GetTaskPushNotificationConfig, proto, named),
        marked
    );
    assert_eq!(
        result(
            Operation::ListTaskPushNotificationConfigs,
            proto,
            &format!(r#"{{"configs":[{named}]}}"#)
        ),
        format!(r#"{{"configs":[{marked}]}}"#)
    );
    let update = |id: &str, context: &str| {
        format!(
            r#"{{"statusUpdate":{{"taskId":"{id}","status":{{"update":{{"contextId":"{context}"}}}}}}}}"#
        )
    };
    let stream = Operation::SendStreamingMessage;
    assert_eq!(
        result(stream, proto, &update("t", "c")),
        update("T<t>", "C<c>")
    );
}

#[test]
fn error_info_alone_holds_ids_in_errors() {
    let entry = |kind: &str, task: &str, context: &str| {
        format!(
            r#"{{"metadata":{{"taskId":"{task}","context_id":"{context}","k":"t"}},"@type":"{kind}"}}"#
        )
    };
    let error = |task: &str, context: &str| {
        let info = entry(ERROR_INFO, task, context);
        let other = entry("x", "t", "c");
        format!(r#"{{"code":-32001,"message":"task t not found","data":[{info},{other},"t",7]}}"#)
    };
    let before = error("t", "c");
    let after = rewrite_error(raw(&before), &mut mark).unwrap();
    assert_eq!(text(after), error("T<t>", "C<c>"));
    let free = r#"{"code":1,"message":"m","data":{"taskId":"t"}}"#;
    assert_eq!(text(rewrite_error(raw(free), &mut mark).unwrap()), free);
}

#[test]
fn absent_ids_stay_absent() {
    let before = r#"{"message":{"taskId":"","contextId":null,"referenceTaskIds":["",null,7,{}],"task_id":7}}"#;
    assert_eq!(params(Operation::SendMessage, Dialect::V1, before), before);
}

#[test]
fn kept_ids_cost_no_copy() {
    let source = raw(r#"{"id":"t"}"#);
    let mut keep = |_: IdKind, _: &str| Ok::<_, Infallible>(None);
    let kept = rewrite_params(Operation::GetTask, Dialect::V1, source, &mut keep).unwrap();
    assert!(matches!(kept, Cow::Borrowed(_)));
}

#[test]
fn escaped_ids_and_names_are_understood_and_repeated_ones_all_exchanged() {
    let before = r#"{"i\u0064":"a\"\u00e9","id":"b"}"#;
    let after = r#"{"i\u0064":"T<a\"é>","id":"T<b>"}"#;
    assert_eq!(params(Operation::GetTask, Dialect::V1, before), after);
}

#[test]
fn refusal_ends_the_walk() {
    let mut refuse = |_: IdKind, id: &str| Err(id.to_owned());
    let source = raw(r#"{"id":"forged"}"#);
    let refused = rewrite_params(Operation::GetTask, Dialect::V1, source, &mut refuse);
    assert_eq!(refused.unwrap_err(), "forged");
}

#[test]
fn task_of_an_operation_is_found() {
    for (operation, dialect, text, expected) in [
        (Operation::GetTask, Dialect::V1, r#"{"id":"t"}"#, Some("t")),
        (
            Operation::SendMessage,
            Dialect::V03,
            r#"{"message":{"taskId":"t"}}"#,
            Some("t"),
        ),
        (
            Operation::SendMessage,
            Dialect::V1,
            r#"{"message":{"task_id":""}}"#,
            None,
        ),
        (
            Operation::DeleteTaskPushNotificationConfig,
            Dialect::V1,
            r#"{"id":"i","taskId":"t"}"#,
            Some("t"),
        ),
        (
            Operation::DeleteTaskPushNotificationConfig,
            Dialect::V03,
            r#"{"id":"t"}"#,
            Some("t"),
        ),
        (
            Operation::ListTasks,
            Dialect::V1,
            r#"{"contextId":"c"}"#,
            None,
        ),
    ] {
        assert_eq!(
            task_id(operation, dialect, raw(text)).as_deref(),
            expected,
            "{text}"
        );
    }
}

/// Exchanges ids in a tree, as an independent reading of what a task holds.
fn marked_task(task: &mut Value) {
    fn exchange(object: &mut Value, name: &str, kind: IdKind) {
        if let Some(id) = object
            .get(name)
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty())
        {
            object[name] = mark(kind, id).unwrap().into();
        }
    }
    fn message(message: &mut Value) {
        exchange(message, "taskId", IdKind::Task);
        exchange(message, "task_id", IdKind::Task);
    }
    exchange(task, "id", IdKind::Task);
    if let Some(history) = task.get_mut("history").and_then(Value::as_array_mut) {
        history.iter_mut().for_each(message);
    }
    if let Some(status) = task
        .get_mut("status")
        .and_then(|status| status.get_mut("message"))
    {
        message(status);
    }
}

proptest! {
    #[test]
    fn splicing_equals_exchanging_in_a_tree(mut value in crate::json::tests::any_json(), pretty in any::<bool>()) {
        if let Value::Object(task) = &mut value {
            task.insert("kind".to_owned(), "task".into());
        }
        let source = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let spliced = result(Operation::GetTask, Dialect::V03, &source);
        if value.is_object() {
            marked_task(&mut value);
        }
        prop_assert_eq!(serde_json::from_str::<Value>(&spliced).unwrap(), value);
        let again = result(Operation::GetTask, Dialect::V03, &source);
        prop_assert_eq!(spliced, again);
    }

    #[test]
    fn any_json_is_survived(value in crate::json::tests::any_json()) {
        let source = value.to_string();
        let mut keep = |_: IdKind, _: &str| Ok::<_, Infallible>(None);
        for operation in Operation::ALL {
            for dialect in [Dialect::V03, Dialect::V03Proto, Dialect::V1] {
                let kept = rewrite_result(operation, dialect, raw(&source), &mut keep).unwrap();
                prop_assert_eq!(&*kept, source.as_bytes());
                rewrite_params(operation, dialect, raw(&source), &mut mark).unwrap();
            }
        }
        rewrite_error(raw(&source), &mut mark).unwrap();
    }
}
