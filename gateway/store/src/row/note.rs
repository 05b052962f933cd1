//! Notes of all kinds as one row.

use std::fmt;

use gateway_core::{
    learning::Forget,
    ports::{Note, StoreError},
};
use gateway_protocol::TaskState;
use serde::Serialize;

use super::attempts::{attempt_line, losses_line};

/// A note ready to be written; its kind says which columns it has.
#[derive(Debug, Default, Serialize)]
pub(crate) struct NoteRow {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<String>,
    /// Binding text.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// Whether the state is terminal.
    ended: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// One more line of that column.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    /// In JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<String>,
    at: i64,
}

impl NoteRow {
    pub(crate) fn new(note: Note) -> Result<Self, StoreError> {
        Self::encode(note)
            .map_err(|error| StoreError(format!("a note cannot be written as JSON: {error}")))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of note")]
    fn encode(note: Note) -> serde_json::Result<Self> {
        Ok(match note {
            Note::Attempt { decision, attempt } => Self {
                kind: "attempt",
                decision: Some(decision),
                attempts: Some(attempt_line(&attempt)?),
                ..Self::default()
            },
            // They stand behind the attempt they belong to, and so in its column.
            Note::Losses { decision, losses } => Self {
                kind: "attempt",
                decision: Some(decision),
                attempts: Some(losses_line(&losses)?),
                ..Self::default()
            },
            Note::Ended {
                decision,
                state,
                error,
                cost,
                at,
            } => Self {
                kind: "ended",
                decision: Some(decision),
                state: Some(state.to_owned()),
                error: error.as_ref().map(serde_json::to_string).transpose()?,
                cost,
                at: at.as_microsecond(),
                ..Self::default()
            },
            Note::Task {
                decision,
                agent,
                task_id,
                context_id,
                caller,
                version,
                state,
                cost,
                at,
            } => Self {
                kind: "task",
                decision: Some(decision),
                agent: Some(agent.to_string()),
                task_id: Some(task_id),
                context_id,
                caller: Some(caller),
                version: Some(version.as_str()),
                ended: TaskState::from_wire(&state).is_some_and(TaskState::is_terminal),
                state: Some(state),
                cost,
                at: at.as_microsecond(),
                ..Self::default()
            },
            Note::State {
                agent,
                task_id,
                state,
                terminal,
                cost,
                at,
            } => Self {
                kind: "state",
                agent: Some(agent.to_string()),
                task_id: Some(task_id),
                state: Some(state),
                ended: terminal,
                cost,
                at: at.as_microsecond(),
                ..Self::default()
            },
            Note::Context {
                caller,
                context_id,
                agent,
                at,
            } => Self {
                kind: "context",
                caller: Some(caller),
                context_id: Some(context_id),
                agent: Some(agent.to_string()),
                at: at.as_microsecond(),
                ..Self::default()
            },
            Note::CancelAsked { agent, task_id } => Self {
                kind: "cancel_asked",
                agent: Some(agent.to_string()),
                task_id: Some(task_id),
                ..Self::default()
            },
            Note::Feedback { decision, feedback } => Self {
                kind: "feedback",
                decision: Some(decision),
                feedback: Some(serde_json::to_string(&feedback)?),
                ..Self::default()
            },
            Note::Forget(Forget { agent, skill, at }) => Self {
                kind: "forget",
                agent: Some(agent.to_string()),
                skill,
                at: at.as_microsecond(),
                ..Self::default()
            },
        })
    }
}

/// Says what the note is about, by ids only: the errors in notes hold text from agents.
impl fmt::Display for NoteRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "note `{}`", self.kind)?;
        for (name, id) in [
            ("decision", &self.decision),
            ("task", &self.task_id),
            ("context", &self.context_id),
            ("agent", &self.agent),
            ("state", &self.state),
        ] {
            if let Some(id) = id {
                write!(formatter, ", {name} `{id}`")?;
            }
        }
        Ok(())
    }
}
