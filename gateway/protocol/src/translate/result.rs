//! The results of operations that answer once.

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::conversion::Conversion;
use super::fields::{Fault, Fields, Object, Read, elements};
use super::push::PushConfig;
use super::task::Task;
use super::{Dialect, Loss};
use crate::{Error, Operation};

/// Converts a result.
pub(super) fn convert(
    operation: Operation,
    value: Value,
    conversion: &mut Conversion<'_>,
) -> Result<Value, Error> {
    let is_page = operation == Operation::ListTasks;
    if conversion.is_identity() {
        let is_new_page = is_page && conversion.to == Dialect::V1;
        return Ok(if is_new_page {
            complete_page(value)
        } else {
            value
        });
    }
    let converted = match operation {
        Operation::SendMessage | Operation::SendStreamingMessage | Operation::SubscribeToTask => {
            convert_send(value, conversion)
        }
        Operation::GetTask | Operation::CancelTask => convert_task(value, conversion),
        Operation::ListTasks => convert_page(value, conversion),
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            PushConfig::read(value, conversion).map(|config| config.write_result(conversion))
        }
        Operation::ListTaskPushNotificationConfigs => convert_push_list(value, conversion),
        Operation::DeleteTaskPushNotificationConfig => Ok(nothing(conversion.to)),
        Operation::GetExtendedAgentCard => Ok(value),
    };
    converted.map_err(|fault| conversion.refuse(fault))
}

fn convert_send(value: Value, conversion: &mut Conversion<'_>) -> Read<Value> {
    match Answer::read(value, conversion)? {
        answer @ (Answer::Task(_) | Answer::Message(_)) => Ok(answer.write(conversion)),
        Answer::StatusUpdate(_) | Answer::ArtifactUpdate(_) => Err(Fault::new(
            "result",
            "must be a task or a message, not an event",
        )),
    }
}

/// Converts a task, also one that an agent wraps as if it answered a message.
fn convert_task(value: Value, conversion: &mut Conversion<'_>) -> Read<Value> {
    let mut fields = Fields::read(value)?;
    let wrapped = if fields.has("id") {
        None
    } else {
        fields.take("task")
    };
    let task = match wrapped {
        Some(task) => Task::read(task, conversion).map_err(|fault| fault.within("task")),
        None => Task::read(fields.into_value(), conversion),
    };
    Ok(task?.write(conversion))
}

/// Converts a page of tasks; some agents of 0.3 serve one, as an object or as a bare array.
fn convert_page(value: Value, conversion: &mut Conversion<'_>) -> Read<Value> {
    let page = match value {
        Value::Array(_) => json!({ "tasks": value }),
        value => value,
    };
    let mut fields = Fields::read(page)?;
    let tasks = fields.list("tasks", |task| {
        Task::read(task, conversion).map(|task| task.write(conversion))
    })?;
    let tasks = tasks.unwrap_or_default();
    let count = i32::try_from(tasks.len()).unwrap_or(i32::MAX);
    let mut page = Object::default();
    page.put("tasks", tasks);
    page.put(
        "nextPageToken",
        fields.text("nextPageToken")?.unwrap_or_default(),
    );
    page.put("pageSize", fields.integer("pageSize")?.unwrap_or(count));
    page.put("totalSize", fields.integer("totalSize")?.unwrap_or(count));
    fields.finish(conversion.losses);
    Ok(page.into())
}

/// Adds the members that a page must have and writers of `ProtoJSON` leave out when they are empty.
fn complete_page(mut page: Value) -> Value {
    if let Value::Object(page) = &mut page {
        for (name, default) in [
            ("tasks", Value::Array(Vec::new())),
            ("nextPageToken", Value::from("")),
            ("pageSize", Value::from(0)),
            ("totalSize", Value::from(0)),
        ] {
            if page.get(name).is_none_or(Value::is_null) {
                page.insert(name.to_owned(), default);
            }
        }
    }
    page
}

fn convert_push_list(value: Value, conversion: &mut Conversion<'_>) -> Read<Value> {
    let read = |config| PushConfig::read(config, conversion);
    let (configs, next) = match value {
        // An agent of 0.3 that has none may say nothing.
        Value::Null => (Vec::new(), None),
        Value::Array(_) => (elements(value, read)?, None),
        value => {
            let mut fields = Fields::read(value)?;
            let configs = fields.list("configs", read)?.unwrap_or_default();
            let next = fields.filled("nextPageToken")?;
            fields.finish(conversion.losses);
            (configs, next)
        }
    };
    let write = |config: PushConfig| config.write_result(conversion);
    let configs: Vec<Value> = configs.into_iter().map(write).collect();
    if conversion.to == Dialect::V03 {
        conversion.lose_if(next.is_some(), Loss::PushListPaging);
        return Ok(configs.into());
    }
    let mut list = Object::default();
    list.put("configs", configs);
    list.put("nextPageToken", next.unwrap_or_default());
    Ok(list.into())
}

/// Returns the result that says nothing: `null` in JSON-RPC, the empty message of the protobuf form.
fn nothing(to: Dialect) -> Value {
    match to {
        Dialect::V03 | Dialect::V1 => Value::Null,
        Dialect::V03Proto => Value::Object(Map::new()),
    }
}
