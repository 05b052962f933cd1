//! The seams to the world: storage, the agents, their cards, and whoever counts.
//!
//! Each trait has its implementations in a crate of its own; the rules here know only the traits.

mod push;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use gateway_protocol::{
    Operation, Version,
    translate::{Loss, Losses},
};
use jiff::Timestamp;
use serde_json::value::RawValue;
use url::Url;

pub use push::{
    ClaimedPush, ConfirmedPush, Delivery, PushConfig, PushNotification, PushStore, ToldState,
    Webhook, WebhookClient, WebhookError,
};

use crate::{
    agent::{AgentId, AgentSpec},
    catalog::Endpoint,
    decision::{Attempt, Discard, OutcomeError, RouteDecision},
    losses::LossLedger,
    trace::TraceContext,
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
        /// When.
        at: Timestamp,
    },
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

/// The leg towards agents.
#[async_trait]
pub trait AgentClient: Send + Sync + fmt::Debug {
    /// Sends one request to an agent, once.
    ///
    /// # Errors
    /// [`AttemptError`] says how far the request got.
    async fn send(&self, request: AgentRequest) -> Result<AgentAnswer, AttemptError>;
}

/// One operation asked of an agent. How it is framed follows from the endpoint's binding.
#[derive(Debug, Clone)]
pub struct AgentRequest {
    /// Whom, with its limits and credential.
    pub agent: Arc<AgentSpec>,
    /// Where and in which binding and version.
    pub endpoint: Endpoint,
    /// What.
    pub operation: Operation,
    /// The client's JSON-RPC id, for the binding that has one.
    pub rpc_id: Option<Box<RawValue>>,
    /// The parameters as JSON, in the endpoint's [dialect](Endpoint::dialect).
    pub params: Bytes,
    /// Extension URIs the client activates.
    pub extensions: Vec<String>,
    /// The trace this call belongs to.
    pub trace: TraceContext,
    /// What counts the losses of the leg.
    pub losses: LossLedger,
}

/// What an agent answered.
#[derive(Debug)]
pub struct AgentAnswer {
    /// Extension URIs the agent activated.
    pub extensions: Vec<String>,
    /// The content. Which form it has comes from the bytes, not from what the headers claim: agents mislabel both.
    pub content: AnswerContent,
}

/// The content of an answer.
pub enum AnswerContent {
    /// One answer.
    One(Said),
    /// Events as they arrive. Ends with an error when the agent breaks off, stays silent too long or sends
    /// what is no event.
    Events(BoxStream<'static, Result<AgentEvent, AttemptError>>),
}

impl fmt::Debug for AnswerContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(said) => formatter.debug_tuple("One").field(said).finish(),
            Self::Events(_) => formatter.write_str("Events(..)"),
        }
    }
}

/// What an agent says, out of its envelope.
#[derive(Debug, Clone)]
pub enum Said {
    /// A result, as JSON in the endpoint's dialect.
    Result(Box<RawValue>),
    /// An error in the form of a JSON-RPC error object, whatever the binding.
    Error(Box<RawValue>),
}

/// One thing on an agent's stream.
#[derive(Debug, Clone)]
pub enum AgentEvent {
    /// An event.
    Event {
        /// Its SSE name, where the binding has one.
        name: Option<String>,
        /// Its SSE id, where the binding has one.
        id: Option<String>,
        /// Its content.
        said: Said,
    },
    /// A comment, which keeps the connection alive.
    Comment(String),
}

/// A request to an agent failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{detail}")]
pub struct AttemptError {
    /// What went wrong.
    pub kind: AttemptErrorKind,
    /// Whether the agent may have received the request.
    pub sent: bool,
    /// In words, with the limit or cause, for operators and callers alike; names no inner address.
    pub detail: String,
    /// Seconds after which the agent wants to be asked again.
    pub retry_after: Option<u64>,
}

/// What went wrong with a request to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptErrorKind {
    /// The name does not resolve.
    Dns,
    /// Nothing listens there, or the network says no.
    Refused,
    /// TLS failed.
    Tls,
    /// No connection within the limit.
    ConnectTimeout,
    /// No answer within the limit; the agent may still be working.
    Timeout,
    /// The stream was silent for longer than the limit.
    StreamIdle,
    /// The agent broke the connection.
    Reset,
    /// The answer or one event is over the size limit.
    TooLarge,
    /// The agent redirected to another origin, or more than once.
    Redirect,
    /// The answer is no A2A answer, or the agent failed with a 5xx status and no more.
    Malformed,
    /// The agent refused the request with a 4xx status and no more.
    Rejected,
    /// The agent refused the gateway's credential.
    Credential,
    /// The agent sheds load (429 or 503).
    Overloaded,
}

impl AttemptErrorKind {
    /// Returns the name used in records, metrics and error details.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Refused => "refused",
            Self::Tls => "tls",
            Self::ConnectTimeout => "connect_timeout",
            Self::Timeout => "timeout",
            Self::StreamIdle => "stream_idle",
            Self::Reset => "reset",
            Self::TooLarge => "too_large",
            Self::Redirect => "redirect",
            Self::Malformed => "malformed",
            Self::Rejected => "rejected",
            Self::Credential => "credential",
            Self::Overloaded => "overloaded",
        }
    }

    /// Returns how far the attempt got: `connect`, `request`, `response` or `stream`.
    #[must_use]
    pub fn phase(self) -> &'static str {
        match self {
            Self::Dns | Self::Refused | Self::Tls | Self::ConnectTimeout => "connect",
            Self::Timeout | Self::Reset => "request",
            Self::TooLarge
            | Self::Redirect
            | Self::Malformed
            | Self::Rejected
            | Self::Credential
            | Self::Overloaded => "response",
            Self::StreamIdle => "stream",
        }
    }

    /// Tells whether it says something about the agent's health. Client mistakes say nothing, a credential
    /// is the operator's, and an overloaded agent sheds load on purpose.
    #[must_use]
    pub fn harms_health(self) -> bool {
        !matches!(self, Self::Rejected | Self::Credential | Self::Overloaded)
    }
}

/// Where cards come from.
#[async_trait]
pub trait CardSource: Send + Sync + fmt::Debug {
    /// Fetches the card of an agent: from its cache while fresh, by revalidation or anew otherwise.
    /// `force` skips the freshness check.
    async fn fetch(&self, agent: &AgentSpec, force: bool) -> CardFetch;
}

/// The result of fetching a card, with every place that was tried.
#[derive(Debug, Clone)]
pub struct CardFetch {
    /// The card, or why there is none: a short text that names the next step.
    pub result: Result<FetchedCard, String>,
    /// Each place tried, in order, with what happened there.
    pub tried: Vec<CardTry>,
}

/// A card that arrived.
#[derive(Debug, Clone)]
pub struct FetchedCard {
    /// The card.
    pub card: agent_cards::Card,
    /// Where it was found.
    pub location: Url,
    /// How long it is fresh, from now.
    pub fresh_for: Duration,
}

/// One place where a card was looked for.
#[derive(Debug, Clone, serde::Serialize)]
pub struct CardTry {
    /// The place, without credentials.
    pub url: String,
    /// What happened, such as `200, card accepted`, `404`, `connection refused`.
    pub outcome: String,
}

/// Whoever counts what happens. Labels are bounded: agents come from configuration.
pub trait Observer: Send + Sync + fmt::Debug {
    /// An operation was answered. `agent` is absent where none was reached.
    fn answered(&self, seen: &Answered<'_>);
    /// So many candidates were discarded for this reason.
    fn discarded(&self, reason: Discard, count: usize);
    /// An event of a stream was relayed.
    fn stream_event(&self, agent: &AgentId);
    /// A conversion between protocol versions lost something, so many times.
    fn lost(&self, loss: Loss, count: u32);
    /// A delivery to a webhook was tried; what became of it is `delivered`, `retried`, `gave_up`, `refused` or
    /// `unreadable`.
    fn pushed(&self, outcome: &'static str);
    /// The score of the chosen candidate was this much above the next one's.
    fn margin(&self, margin: f64);
}

/// An answered operation.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The agent that was called.
    pub agent: Option<&'a AgentId>,
    /// The operation.
    pub operation: Operation,
    /// `ok`, `agent_error`, or the kind of the gateway's own failure.
    pub outcome: &'a str,
    /// From accepting the call to the answer, or to the first event of a stream.
    pub took: Duration,
    /// The part of it that was spent waiting for the agent.
    pub upstream: Duration,
}
