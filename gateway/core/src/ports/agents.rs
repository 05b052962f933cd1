//! The leg towards agents: requests, what comes back, and how a request can fail.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use gateway_protocol::Operation;
use serde_json::value::RawValue;

use crate::{agent::AgentSpec, catalog::Endpoint, losses::LossLedger, trace::TraceContext};

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
    /// Nothing is served at the address the card gives: 404 or 410 and no more.
    NoEndpoint,
    /// The agent refused the request with another 4xx status and no more.
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
            Self::NoEndpoint => "no_endpoint",
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
            | Self::NoEndpoint
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
        !matches!(
            self,
            Self::NoEndpoint | Self::Rejected | Self::Credential | Self::Overloaded
        )
    }
}
