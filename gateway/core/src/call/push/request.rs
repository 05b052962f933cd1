//! What the parameters of a push operation say, whichever version they are in.

use gateway_protocol::{
    Error, ErrorKind, Operation,
    translate::{Dialect, Loss, Losses, Translator},
};
use serde_json::Value;

use super::super::{Call, Gateway};
use crate::{
    failure::Failure,
    ports::Webhook,
    push::{Names, member},
};

/// The parameters of a push operation.
#[derive(Debug)]
pub(super) struct Request {
    /// The task, as the client knows it.
    pub(super) task_id: String,
    pub(super) asked: Asked,
}

/// What is asked for.
#[derive(Debug)]
pub(super) enum Asked {
    Create(Box<Webhook>),
    /// The id is absent where 0.3 leaves it out.
    Get(Option<String>),
    List,
    Delete(String),
}

impl Request {
    pub(super) fn read(gateway: &Gateway, call: &Call) -> Result<Self, Failure> {
        let params: Value = serde_json::from_str(call.params.get())
            .map_err(|_| Failure::internal("parameters were spoilt on the way"))?;
        let mut losses = Losses::default();
        let params = Translator::new(call.dialect, Dialect::V1)
            .params(call.operation, params, &mut losses)
            .map_err(Failure::bad_request)?;
        let text = |name| {
            member(&params, name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let filled = |name| text(name).filter(|text| !text.is_empty());
        let task_id = filled("taskId").ok_or_else(|| missing("taskId"))?;
        let asked = match call.operation {
            Operation::CreateTaskPushNotificationConfig => {
                let allow = &gateway.push.settings.allow;
                let webhook = Webhook::read(&params, names(call.dialect), allow)
                    .map_err(Failure::bad_request)?;
                Asked::Create(Box::new(webhook))
            }
            // The translator fills in an id where 0.3 left it out.
            Operation::GetTaskPushNotificationConfig if losses.contains(Loss::PushConfigId) => {
                Asked::Get(None)
            }
            Operation::GetTaskPushNotificationConfig => {
                Asked::Get(Some(filled("id").ok_or_else(|| missing("id"))?))
            }
            Operation::DeleteTaskPushNotificationConfig => {
                Asked::Delete(filled("id").ok_or_else(|| missing("id"))?)
            }
            _ => Asked::List,
        };
        Ok(Self { task_id, asked })
    }
}

/// Returns what clients of a dialect call the members of a configuration.
pub(super) fn names(dialect: Dialect) -> Names {
    match dialect {
        Dialect::V03 => Names {
            prefix: "pushNotificationConfig.",
            scheme: "schemes",
        },
        Dialect::V03Proto => Names {
            prefix: "config.pushNotificationConfig.",
            scheme: "schemes",
        },
        Dialect::V1 => Names {
            prefix: "",
            scheme: "scheme",
        },
    }
}

fn missing(field: &str) -> Failure {
    let problem = "is missing";
    let error = Error::new(ErrorKind::InvalidParams, format!("`{field}` {problem}"));
    Failure::bad_request(error.field_violation(field, problem))
}
