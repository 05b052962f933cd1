//! Streams: what an event means for the events around it.

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::conversion::Conversion;
use super::fields::Read;
use super::{Dialect, Losses};
use crate::{Error, TaskState};

/// Remembers what the events of one stream said so far.
#[derive(Debug, Clone, Default)]
pub struct StreamState {
    has_begun: bool,
    is_over: bool,
    task_id: Option<String>,
    context_id: Option<String>,
    task_state: Option<TaskState>,
}

/// Is an event of a stream after conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent {
    /// The event.
    pub value: Value,
    /// Whether a snapshot of the task must go before it: it is the first event of a 0.3 agent but neither a task nor
    /// a message, and a 1.0 client may count on one of them (A2A §3.1.2, §3.1.6).
    pub needs_snapshot: bool,
}

impl StreamEvent {
    /// Builds the task to send before the event, if one is needed; `None` as well for an event that names none.
    ///
    /// It says no more than the event implies: a task fetched now could already hold what the next events bring.
    pub fn opening(&self) -> Option<Value> {
        let updates = ["statusUpdate", "artifactUpdate"];
        let update = updates.iter().find_map(|name| self.value.get(name));
        let update = update.filter(|_| self.needs_snapshot)?;
        let mut task = Map::new();
        task.insert("id".to_owned(), update.get("taskId")?.clone());
        if let Some(context) = update.get("contextId") {
            task.insert("contextId".to_owned(), context.clone());
        }
        let status = update.get("status").cloned();
        let status = status.unwrap_or_else(|| json!({ "state": "TASK_STATE_WORKING" }));
        task.insert("status".to_owned(), status);
        Some(json!({ "task": task }))
    }
}

impl StreamState {
    /// Starts a stream of a task whose context is known, for agents that leave it out.
    pub fn in_context(context_id: impl Into<String>) -> Self {
        Self {
            context_id: Some(context_id.into()),
            ..Self::default()
        }
    }

    /// Tells whether nothing should follow: a message, a terminal state or a 0.3 `final` was seen.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the task that the stream is about, once an event named it.
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// Returns the state of the task that was told last.
    pub fn task_state(&self) -> Option<TaskState> {
        self.task_state
    }

    /// Takes note of an event, and fills in the context if the event lacks it; tells whether it starts as it should.
    fn note(&mut self, answer: &mut Answer) -> bool {
        let starts_well = self.has_begun || matches!(answer, Answer::Task(_) | Answer::Message(_));
        self.has_begun = true;
        let (task, context, state) = match answer {
            Answer::Message(message) => {
                self.is_over = true;
                self.task_id = message.task_id.clone().or(self.task_id.take());
                return starts_well;
            }
            Answer::Task(task) => {
                let state = task.status.as_ref().map(|status| status.state);
                (&task.id, &mut task.context_id, state)
            }
            Answer::StatusUpdate(event) => {
                self.is_over |= event.is_final == Some(true);
                let state = event.status.as_ref().map(|status| status.state);
                (&event.task_id, &mut event.context_id, state)
            }
            Answer::ArtifactUpdate(event) => (&event.task_id, &mut event.context_id, None),
        };
        match context {
            Some(context) => self.context_id = Some(context.clone()),
            None => context.clone_from(&self.context_id),
        }
        self.task_id = Some(task.clone());
        self.task_state = state.or(self.task_state);
        self.is_over |= state.is_some_and(TaskState::is_terminal);
        starts_well
    }
}

/// Converts the next event.
pub(super) fn convert(
    value: Value,
    state: &mut StreamState,
    conversion: &mut Conversion<'_>,
) -> Result<StreamEvent, Error> {
    if conversion.is_identity() {
        note_unchanged(&value, state, conversion);
        let needs_snapshot = false;
        return Ok(StreamEvent {
            value,
            needs_snapshot,
        });
    }
    read(value, state, conversion).map_err(|fault| conversion.refuse(fault))
}

fn read(
    value: Value,
    state: &mut StreamState,
    conversion: &mut Conversion<'_>,
) -> Read<StreamEvent> {
    let mut answer = Answer::read(value, conversion)?;
    let starts_well = state.note(&mut answer);
    Ok(StreamEvent {
        value: answer.write(conversion),
        needs_snapshot: !starts_well && conversion.to == Dialect::V1,
    })
}

/// Follows a stream that is not converted, as far as its events can be read.
fn note_unchanged(value: &Value, state: &mut StreamState, conversion: &mut Conversion<'_>) {
    let mut unused = Losses::default();
    let mut reading = Conversion {
        losses: &mut unused,
        ..*conversion
    };
    if let Ok(mut answer) = Answer::read(value.clone(), &mut reading) {
        state.note(&mut answer);
    }
}
