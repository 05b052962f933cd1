//! What an agent may answer with, and how each dialect tells which of the four it is.

use serde_json::Value;

use super::Dialect;
use super::conversion::Conversion;
use super::event::{ArtifactUpdate, StatusUpdate};
use super::fields::{Fault, Fields, Object, Read};
use super::message::Message;
use super::task::Task;
use crate::view::ResultKind;

/// Is a result of sending, or an event of a stream.
#[derive(Debug)]
pub(super) enum Answer {
    Task(Task),
    Message(Message),
    StatusUpdate(StatusUpdate),
    ArtifactUpdate(ArtifactUpdate),
}

/// Each object with the wrappers that name it and its 0.3 `kind`; `msg` is how older protobuf writers wrap a message.
const FORMS: [(ResultKind, &[&str], &str); 4] = [
    (ResultKind::Task, &["task"], "task"),
    (ResultKind::Message, &["message", "msg"], "message"),
    (ResultKind::StatusUpdate, &["statusUpdate"], "status-update"),
    (
        ResultKind::ArtifactUpdate,
        &["artifactUpdate"],
        "artifact-update",
    ),
];

impl Answer {
    /// Reads an answer by its `kind`, by its wrapper or, where an agent gives neither, by its members.
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        if let Some(kind) = bare_kind(&fields) {
            return Self::read_as(kind, fields.into_value(), conversion);
        }
        for (kind, wrappers, _) in FORMS {
            for wrapper in wrappers {
                let Some(value) = fields.take(wrapper) else {
                    continue;
                };
                let answer = Self::read_as(kind, value, conversion);
                fields.finish(conversion.losses);
                return answer.map_err(|fault| fault.within(wrapper));
            }
        }
        match guess(&fields) {
            Some(kind) => Self::read_as(kind, fields.into_value(), conversion),
            None => Err(Fault::new(
                "result",
                "must be a task, a message, a status update or an artifact update",
            )),
        }
    }

    fn read_as(kind: ResultKind, value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        match kind {
            ResultKind::Task => Task::read(value, conversion).map(Self::Task),
            ResultKind::Message => Message::read(value, conversion).map(Self::Message),
            ResultKind::StatusUpdate => {
                StatusUpdate::read(value, conversion).map(Self::StatusUpdate)
            }
            ResultKind::ArtifactUpdate => {
                ArtifactUpdate::read(value, conversion).map(Self::ArtifactUpdate)
            }
        }
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let (wrapper, object) = match self {
            Self::Task(task) => ("task", task.write(conversion)),
            Self::Message(message) => ("message", message.write(conversion)),
            Self::StatusUpdate(event) => ("statusUpdate", event.write(conversion)),
            Self::ArtifactUpdate(event) => ("artifactUpdate", event.write(conversion)),
        };
        if conversion.to == Dialect::V03 {
            return object;
        }
        let mut wrapped = Object::default();
        wrapped.put(wrapper, object);
        wrapped.into()
    }
}

/// Recognizes an object that stands alone, by its `kind` or because only a task has both an id and a status.
fn bare_kind(fields: &Fields) -> Option<ResultKind> {
    let kind = fields.peek("kind").and_then(Value::as_str);
    let named = FORMS.into_iter().find(|(_, _, name)| kind == Some(*name));
    let is_task = fields.has("id") && fields.has("status");
    named
        .map(|(kind, _, _)| kind)
        .or(is_task.then_some(ResultKind::Task))
}

fn guess(fields: &Fields) -> Option<ResultKind> {
    if fields.has("taskId") && (fields.has("final") || fields.has("status")) {
        Some(ResultKind::StatusUpdate)
    } else if fields.has("artifact") {
        Some(ResultKind::ArtifactUpdate)
    } else if fields.has("messageId") {
        Some(ResultKind::Message)
    } else {
        fields.has("id").then_some(ResultKind::Task)
    }
}
