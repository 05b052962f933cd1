//! The two events of a stream.

use serde_json::{Map, Value};

use super::artifact::Artifact;
use super::conversion::Conversion;
use super::fields::{Fault, Fields, Object, Read};
use super::task::{Status, put_context, put_status};
use super::{Dialect, Loss};
use crate::TaskState;

/// Is an event that changes the status of a task.
#[derive(Debug)]
pub(super) struct StatusUpdate {
    pub(super) task_id: String,
    pub(super) context_id: Option<String>,
    pub(super) status: Option<Status>,
    /// What a 0.3 agent says of the end of its stream; 1.0 does not say it.
    pub(super) is_final: Option<bool>,
    metadata: Option<Map<String, Value>>,
}

impl StatusUpdate {
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let event = Self {
            task_id: fields.required("taskId")?,
            context_id: fields.filled("contextId")?,
            status: fields.take_as("status", |status| Status::read(status, conversion))?,
            is_final: fields.flag("final")?,
            metadata: fields.object("metadata")?,
        };
        fields.finish(conversion.losses);
        Ok(event)
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let usual = self.ends_streams();
        let mut event = Object::default();
        if conversion.to == Dialect::V03 {
            event.put("kind", "status-update");
        }
        event.put("taskId", self.task_id);
        put_context(&mut event, self.context_id, conversion.to);
        put_status(&mut event, self.status, conversion);
        if conversion.to == Dialect::V1 {
            let is_lost = self.is_final.is_some_and(|is_final| is_final != usual);
            conversion.lose_if(is_lost, Loss::FinalFlag);
        } else {
            event.put("final", self.is_final.unwrap_or(usual));
        }
        event.put_some("metadata", self.metadata);
        event.into()
    }

    /// Tells whether 0.3 agents end their streams in this state, for events that come from 1.0.
    ///
    /// Clients of 0.3 wait for the flag when input is required. When credentials are, the agent may go on alone, and
    /// the stream ends when the agent closes it.
    fn ends_streams(&self) -> bool {
        let state = self.status.as_ref().map(|status| status.state);
        state.is_some_and(|state| state.is_terminal() || state == TaskState::InputRequired)
    }
}

/// Is an event that adds to an artifact of a task.
#[derive(Debug)]
pub(super) struct ArtifactUpdate {
    pub(super) task_id: String,
    pub(super) context_id: Option<String>,
    artifact: Artifact,
    append: Option<bool>,
    last_chunk: Option<bool>,
    metadata: Option<Map<String, Value>>,
}

impl ArtifactUpdate {
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let artifact = fields.take_as("artifact", |value| Artifact::read(value, conversion))?;
        let event = Self {
            task_id: fields.required("taskId")?,
            context_id: fields.filled("contextId")?,
            artifact: artifact.ok_or_else(|| Fault::missing("artifact"))?,
            append: fields.flag("append")?,
            last_chunk: fields.flag("lastChunk")?,
            metadata: fields.object("metadata")?,
        };
        fields.finish(conversion.losses);
        Ok(event)
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let mut event = Object::default();
        if conversion.to == Dialect::V03 {
            event.put("kind", "artifact-update");
        }
        event.put("taskId", self.task_id);
        put_context(&mut event, self.context_id, conversion.to);
        event.put("artifact", self.artifact.write(conversion));
        event.put_some("append", self.append);
        event.put_some("lastChunk", self.last_chunk);
        event.put_some("metadata", self.metadata);
        event.into()
    }
}
