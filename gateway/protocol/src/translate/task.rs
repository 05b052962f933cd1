//! Tasks and their status.

use serde_json::{Map, Value};

use super::artifact::Artifact;
use super::conversion::Conversion;
use super::enums::{read_state, write_state};
use super::fields::{Fields, Object, Read};
use super::message::Message;
use super::{Dialect, Loss, time};
use crate::TaskState;

/// Is a task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) context_id: Option<String>,
    pub(super) status: Option<Status>,
    artifacts: Option<Vec<Artifact>>,
    history: Option<Vec<Message>>,
    metadata: Option<Map<String, Value>>,
}

impl Task {
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let task = Self {
            id: fields.required("id")?,
            context_id: fields.filled("contextId")?,
            status: fields.take_as("status", |status| Status::read(status, conversion))?,
            artifacts: fields.list("artifacts", |value| Artifact::read(value, conversion))?,
            history: fields.list("history", |value| Message::read(value, conversion))?,
            metadata: fields.object("metadata")?,
        };
        fields.finish(conversion.losses);
        Ok(task)
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let mut task = Object::default();
        if conversion.to == Dialect::V03 {
            task.put("kind", "task");
        }
        task.put("id", self.id);
        put_context(&mut task, self.context_id, conversion.to);
        put_status(&mut task, self.status, conversion);
        let artifacts = self.artifacts.map(|artifacts| -> Vec<Value> {
            let write = |artifact: Artifact| artifact.write(conversion);
            artifacts.into_iter().map(write).collect()
        });
        task.put_some("artifacts", artifacts);
        let history = self.history.map(|history| -> Vec<Value> {
            let write = |message: Message| message.write(conversion);
            history.into_iter().map(write).collect()
        });
        task.put_some("history", history);
        task.put_some("metadata", self.metadata);
        task.into()
    }
}

/// Is the status of a task.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) state: TaskState,
    message: Option<Message>,
    timestamp: Option<String>,
}

impl Status {
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let name = if fields.has("message") {
            "message"
        } else {
            "update"
        };
        let message = fields.take(name).filter(|message| !is_empty(message));
        let read = |message| Message::read(message, conversion);
        let message = message.map(read).transpose();
        let status = Self {
            message: message.map_err(|fault| fault.within("message"))?,
            state: read_state(fields.take("state").as_ref(), conversion),
            timestamp: read_timestamp(fields.take("timestamp"), conversion),
        };
        fields.finish(conversion.losses);
        Ok(status)
    }

    fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let mut status = Object::default();
        status.put("state", write_state(self.state, conversion.to));
        status.put_some(
            "message",
            self.message.map(|message| message.write(conversion)),
        );
        status.put_some("timestamp", self.timestamp);
        status.into()
    }
}

/// Writes a status where 1.0 may leave it out and 0.3 may not.
pub(super) fn put_status(
    owner: &mut Object,
    status: Option<Status>,
    conversion: &mut Conversion<'_>,
) {
    let unknown = || Status {
        state: TaskState::Unknown,
        message: None,
        timestamp: None,
    };
    let status = match conversion.to {
        Dialect::V03 => Some(status.unwrap_or_else(unknown)),
        Dialect::V03Proto | Dialect::V1 => status,
    };
    owner.put_some("status", status.map(|status| status.write(conversion)));
}

/// Writes a context id where 1.0 may leave it out and 0.3 may not.
pub(super) fn put_context(owner: &mut Object, context_id: Option<String>, to: Dialect) {
    match to {
        Dialect::V03 => owner.put("contextId", context_id.unwrap_or_default()),
        Dialect::V03Proto | Dialect::V1 => owner.put_some("contextId", context_id),
    }
}

/// Some writers of the protobuf form set an empty message where they mean none.
fn is_empty(message: &Value) -> bool {
    message.as_object().is_some_and(Map::is_empty)
}

fn read_timestamp(value: Option<Value>, conversion: &mut Conversion<'_>) -> Option<String> {
    let value = value.filter(|value| value != "")?;
    let timestamp = value.as_str().and_then(time::utc);
    conversion.lose_if(timestamp.is_none(), Loss::Timestamp);
    timestamp
}
