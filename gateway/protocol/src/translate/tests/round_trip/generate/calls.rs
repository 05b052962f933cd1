//! Makes the parameters and results of every operation that both versions have.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Dialect, Half, Operation, Sample, V1, V03, Value};
use super::{
    Values, artifact_update, count, flag, id, ids, may, message, metadata, must, object,
    status_update, task, text,
};

/// Makes a value of a dialect, for any operation.
pub(in super::super) fn sample(dialect: Dialect) -> BoxedStrategy<Sample> {
    let operations = Operation::ALL
        .into_iter()
        .filter(|operation| *operation != Operation::ListTasks);
    let samples = operations.flat_map(move |operation| {
        let make = move |half| {
            move |value| Sample {
                dialect,
                operation,
                half,
                value,
            }
        };
        [
            params(operation, dialect)
                .prop_map(make(Half::Params))
                .boxed(),
            result(operation, dialect)
                .prop_map(make(Half::Result))
                .boxed(),
        ]
    });
    proptest::strategy::Union::new(samples).boxed()
}

fn params(operation: Operation, dialect: Dialect) -> Values {
    let is_new = dialect == V1;
    let mut members = match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => vec![
            must("message", message(dialect)),
            configuration(operation, dialect),
            may("metadata", metadata()),
        ],
        Operation::GetTask => vec![must("id", id()), may("historyLength", count())],
        Operation::CancelTask => vec![must("id", id()), may("metadata", metadata())],
        Operation::SubscribeToTask => vec![must("id", id())],
        Operation::CreateTaskPushNotificationConfig => return registration(dialect),
        Operation::GetTaskPushNotificationConfig if is_new => {
            vec![must("taskId", id()), must("id", id())]
        }
        Operation::GetTaskPushNotificationConfig => {
            vec![must("id", id()), may("pushNotificationConfigId", id())]
        }
        Operation::DeleteTaskPushNotificationConfig if is_new => {
            vec![must("taskId", id()), must("id", id())]
        }
        Operation::DeleteTaskPushNotificationConfig => {
            vec![must("id", id()), must("pushNotificationConfigId", id())]
        }
        Operation::ListTaskPushNotificationConfigs if is_new => {
            let sizes = (1..9_i32).prop_map(Value::from).boxed();
            vec![
                must("taskId", id()),
                may("pageSize", sizes),
                may("pageToken", id()),
            ]
        }
        Operation::ListTaskPushNotificationConfigs => vec![must("id", id())],
        Operation::ListTasks | Operation::GetExtendedAgentCard => vec![],
    };
    let sends = operation.sends_message();
    if is_new {
        members.push(may("tenant", id()));
    } else if !sends
        && !matches!(
            operation,
            Operation::CancelTask | Operation::GetExtendedAgentCard
        )
    {
        members.push(may("metadata", metadata()));
    }
    object(members)
}

fn configuration(
    operation: Operation,
    dialect: Dialect,
) -> (&'static str, BoxedStrategy<Option<Value>>) {
    let (flag_name, push_name) = match dialect {
        V03 => ("blocking", "pushNotificationConfig"),
        _ => ("returnImmediately", "taskPushNotificationConfig"),
    };
    let is_stream = operation == Operation::SendStreamingMessage;
    let flag = match (dialect, is_stream) {
        // A 0.3 message without the flag waits, and is sent on as one that says so.
        (V03, false) => must(flag_name, flag()),
        _ => may(flag_name, flag()),
    };
    let value = object(vec![
        may("acceptedOutputModes", ids()),
        may("historyLength", count()),
        may(push_name, push_config(dialect)),
        flag,
    ]);
    may("configuration", value)
}

fn push_config(dialect: Dialect) -> Values {
    let schemes = match dialect {
        V03 => must("schemes", vec(id(), 0..4).prop_map(Value::from).boxed()),
        _ => may("scheme", id()),
    };
    let mut members = vec![
        must("url", id()),
        may("id", id()),
        may("token", id()),
        may(
            "authentication",
            object(vec![schemes, may("credentials", id())]),
        ),
    ];
    if dialect == V1 {
        members.extend([may("tenant", id()), may("taskId", id())]);
    }
    object(members)
}

fn registration(dialect: Dialect) -> Values {
    let named = (push_config(dialect), id());
    named
        .prop_map(move |(mut config, task)| {
            if dialect == V1 {
                config["taskId"] = task;
                return config;
            }
            serde_json::json!({ "taskId": task, "pushNotificationConfig": config })
        })
        .boxed()
}

/// Makes a registration as agents return it, which has an id.
fn stored(dialect: Dialect) -> Values {
    let named = (registration(dialect), id());
    named
        .prop_map(move |(mut stored, id)| {
            if dialect == V1 {
                stored["id"] = id;
            } else {
                stored["pushNotificationConfig"]["id"] = id;
            }
            stored
        })
        .boxed()
}

fn result(operation: Operation, dialect: Dialect) -> Values {
    match operation {
        Operation::SendMessage => prop_oneof![
            wrapped(dialect, "task", task(dialect)),
            wrapped(dialect, "message", message(dialect)),
        ]
        .boxed(),
        Operation::SendStreamingMessage | Operation::SubscribeToTask => prop_oneof![
            wrapped(dialect, "task", task(dialect)),
            wrapped(dialect, "message", message(dialect)),
            wrapped(dialect, "statusUpdate", status_update(dialect)),
            wrapped(dialect, "artifactUpdate", artifact_update(dialect)),
        ]
        .boxed(),
        Operation::GetTask | Operation::CancelTask | Operation::ListTasks => task(dialect),
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            stored(dialect)
        }
        Operation::ListTaskPushNotificationConfigs => {
            let configs = vec(stored(dialect), 0..3).prop_map(Value::from).boxed();
            match dialect {
                V03 => configs,
                _ => object(vec![
                    must("configs", configs),
                    must("nextPageToken", text()),
                ]),
            }
        }
        Operation::DeleteTaskPushNotificationConfig => Just(Value::Null).boxed(),
        Operation::GetExtendedAgentCard => object(vec![must("name", id())]),
    }
}

fn wrapped(dialect: Dialect, wrapper: &'static str, value: Values) -> Values {
    match dialect {
        V03 => value,
        _ => object(vec![must(wrapper, value)]),
    }
}
