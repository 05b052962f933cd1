//! Storage of decisions and tasks: what is written of them, and how they are asked for.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use gateway_protocol::{Version, translate::Losses};
use jiff::Timestamp;

use crate::{
    agent::AgentId,
    decision::{Attempt, OutcomeError, RouteDecision},
    feedback::Feedback,
    learning::{Forget, Lesson},
};

/// Durable storage of decisions and tasks.
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug {
    /// Records a decision; it is on disk when this returns. It is handed in when the future is first polled,
    /// and the write may wait some milliseconds for company, which [`Store::settle`] cuts short.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn record(&self, decision: Arc<RouteDecision>) -> Result<(), StoreError>;

    /// Queues what became of a decision or task. Notes are applied in order, after every record and note
    /// that was handed in before; a full queue makes the caller wait.
    ///
    /// # Errors
    /// [`StoreError`] when the store has stopped.
    async fn note(&self, note: Note) -> Result<(), StoreError>;

    /// Writes notes, possibly none, and everything that was handed in before, at once; all of it is on disk
    /// when this returns. What is still queued lands there together, in one flush.
    ///
    /// # Errors
    /// [`StoreError`] when these notes could not be written; records and earlier notes answer for themselves.
    async fn settle(&self, notes: Vec<Note>) -> Result<(), StoreError>;

    /// Returns one decision with its attempts and outcome.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be read.
    async fn decision(&self, id: &str) -> Result<Option<RouteDecision>, StoreError>;

    /// Returns the decisions that match, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when they could not be read.
    async fn decisions(&self, filter: &DecisionFilter) -> Result<Vec<RouteDecision>, StoreError>;

    /// Returns the agent that a context of the client's own making was given to.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be read.
    async fn context_agent(
        &self,
        caller: &str,
        context_id: &str,
    ) -> Result<Option<AgentId>, StoreError>;

    /// Returns a page of the tasks of a caller: last changed first, then by agent and id.
    ///
    /// # Errors
    /// [`StoreError`] when they could not be read.
    async fn tasks(&self, filter: &TaskFilter) -> Result<TaskPage, StoreError>;

    /// Returns the decision that led to a task of a caller first.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be read.
    async fn task_decision(
        &self,
        caller: &str,
        agent: &AgentId,
        task_id: &str,
    ) -> Result<Option<String>, StoreError>;

    /// Returns the lessons that changed after a revision, by revision.
    ///
    /// # Errors
    /// [`StoreError`] when they could not be read.
    async fn lessons(&self, after: i64) -> Result<Vec<Lesson>, StoreError>;

    /// Returns what was forgotten, the latest of each.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be read.
    async fn forgotten(&self) -> Result<Vec<Forget>, StoreError>;

    /// Writes everything queued and closes the store.
    async fn close(&self);
}

/// What became of a decision or task after the choice was made.
#[derive(Debug, Clone)]
pub enum Note {
    /// A try to deliver has ended.
    Attempt {
        /// The decision it belongs to.
        decision: String,
        /// The try.
        attempt: Attempt,
    },
    /// A decision ended without a task: a direct message, or an error.
    Ended {
        /// The decision.
        decision: String,
        /// `message`, `error` or `truncated`.
        state: &'static str,
        /// The error, if it was one.
        error: Option<OutcomeError>,
        /// What it cost, where that is known.
        cost: Option<f64>,
        /// When.
        at: Timestamp,
    },
    /// What the conversions of a call have lost so far, in all. It belongs to the last try.
    Losses {
        /// The decision it belongs to.
        decision: String,
        /// How often what was lost.
        losses: Losses,
    },
    /// An agent answered a message with a task.
    Task {
        /// The decision that led to it.
        decision: String,
        /// Who owns the task.
        agent: AgentId,
        /// The agent's own id of the task.
        task_id: String,
        /// The agent's own id of the context.
        context_id: Option<String>,
        /// Binding text of the caller, see [`crate::Caller::binding`].
        caller: String,
        /// The protocol version spoken with the agent.
        version: Version,
        /// Its state in lower-case form, such as `working`.
        state: String,
        /// What it cost so far, where that is known.
        cost: Option<f64>,
        /// When.
        at: Timestamp,
    },
    /// A task was seen in a state. Decisions that led to it take the state over as their outcome, until
    /// one has seen a terminal state.
    State {
        /// Who owns the task.
        agent: AgentId,
        /// The agent's own id of the task.
        task_id: String,
        /// Its state in lower-case form.
        state: String,
        /// Whether the state is terminal.
        terminal: bool,
        /// What it cost so far, where that is known.
        cost: Option<f64>,
        /// When.
        at: Timestamp,
    },
    /// A caller asks for a running task to be canceled, so that its cancellation is no failure of its agent.
    CancelAsked {
        /// Who owns the task.
        agent: AgentId,
        /// The agent's own id of the task.
        task_id: String,
    },
    /// Somebody judged the result of a decision. It takes the place of earlier feedback.
    Feedback {
        /// The decision.
        decision: String,
        /// What they said.
        feedback: Feedback,
    },
    /// What was learned is forgotten: its lessons become empty, and no decision recorded so far teaches again.
    Forget(Forget),
    /// A context of the client's own making went to an agent.
    Context {
        /// Binding text of the caller.
        caller: String,
        /// The client's id of the context.
        context_id: String,
        /// Where its messages go.
        agent: AgentId,
        /// When.
        at: Timestamp,
    },
}

/// Which decisions to return.
#[derive(Debug, Clone, Default)]
pub struct DecisionFilter {
    /// With this agent among the listed candidates, whatever became of it. Those that a record only counts are not
    /// found.
    pub agent: Option<AgentId>,
    /// Where a listed candidate (the one of `agent`, if given) has this verdict: `chosen`, `outscored`, `discarded`.
    pub verdict: Option<String>,
    /// Made at or after this time.
    pub since: Option<Timestamp>,
    /// Made for this caller's subject.
    pub caller: Option<String>,
    /// With this outcome state; `open` for those without any.
    pub outcome: Option<String>,
    /// Older than this decision id, for paging.
    pub before: Option<String>,
    /// At most this many.
    pub limit: usize,
}

/// Which tasks to return.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    /// Binding text of the caller they belong to.
    pub caller: String,
    /// Only of this agent.
    pub agent: Option<AgentId>,
    /// Only with this context id, as the agent knows it.
    pub context_id: Option<String>,
    /// Only in this state, in lower-case form.
    pub state: Option<String>,
    /// Only those whose state changed at or after this time.
    pub since: Option<Timestamp>,
    /// Only those that come after this one.
    pub after: Option<TaskPlace>,
    /// At most this many.
    pub limit: usize,
}

/// The place of a task in the order of a list.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TaskPlace {
    /// When its state changed, in microseconds since 1970.
    pub changed_at: i64,
    /// Who owns it.
    pub agent: AgentId,
    /// The agent's own id of it.
    pub task_id: String,
}

/// A page of tasks.
#[derive(Debug, Clone, Default)]
pub struct TaskPage {
    /// The tasks of the page.
    pub tasks: Vec<KnownTask>,
    /// How many match the filter in all, whatever page.
    pub total: u64,
}

/// What the index knows of a task.
#[derive(Debug, Clone)]
pub struct KnownTask {
    /// Its place in the order of a list, which also names it.
    pub place: TaskPlace,
    /// The agent's own id of its context.
    pub context_id: Option<String>,
    /// The state it was last seen in, in lower-case form.
    pub state: String,
}

/// Storage failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);
