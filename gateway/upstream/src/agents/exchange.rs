//! One exchange with an agent: its limits, how far it got, and the words for each way it can fail.
//!
//! The words reach callers, so they name the agent and the limit and never an address.

use std::{error::Error as _, fmt, time::Duration};

use gateway_core::{
    agent::{AgentId, AgentSpec, Limits},
    ports::{AttemptError, AttemptErrorKind},
};

use gateway_protocol::rest::status::GrpcCode;

use super::{grpc::BrokenMessage, headers::UnusableCredential, http::SentFlag};
use crate::{
    failure::Failure,
    guard::{self, ClientError, RefusedAddress},
    read::ReadError,
};

const COMPRESSED: &str = "a compressed gRPC message, which was not asked for";

/// One exchange with an agent. Clones belong to the same exchange.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    agent: AgentId,
    limits: Limits,
    sent: SentFlag,
}

impl Exchange {
    /// Starts an exchange.
    pub(crate) fn with(agent: &AgentSpec) -> Self {
        Self {
            agent: agent.id.clone(),
            limits: agent.limits.clone(),
            sent: SentFlag::default(),
        }
    }

    /// Returns the agent it is with.
    pub(super) fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// Returns the limits it runs under.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the flag that its request body sets.
    pub(super) fn sent_flag(&self) -> SentFlag {
        self.sent.clone()
    }

    /// The gateway's own TLS set-up failed.
    pub(super) fn client_unusable(&self, error: &ClientError) -> AttemptError {
        tracing::error!(?error, "cannot set up an HTTP client");
        self.error(
            AttemptErrorKind::Tls,
            "the gateway cannot set up TLS on this system",
        )
    }

    /// The configured credential cannot be sent.
    pub(super) fn unusable_credential(&self, error: &UnusableCredential) -> AttemptError {
        self.error(AttemptErrorKind::Refused, error)
    }

    /// The address is one that the gateway never calls.
    pub(super) fn refused(&self, refused: RefusedAddress) -> AttemptError {
        let failure = Failure::from(refused);
        self.error(failure.kind(), failure.words())
    }

    /// The request failed before there was an answer, or the answer broke off.
    pub(super) fn failed(&self, error: &reqwest::Error) -> AttemptError {
        let failure = Failure::of(error);
        let url = error.url().map(guard::shown).map(String::from);
        tracing::debug!(agent = %self.agent, url, source = ?error.source(), ?failure, "request to agent failed");
        match failure {
            Failure::ConnectTimeout => self.error(
                failure.kind(),
                format_args!("no connection within {}", Seconds(self.limits.connect)),
            ),
            _ if self.sent.is_set() => self.error(
                failure.kind(),
                format_args!("{}; the task may still be running", failure.words()),
            ),
            _ => self.error(failure.kind(), failure.words()),
        }
    }

    /// The body of a unary answer could not be read.
    pub(super) fn unreadable(&self, error: ReadError) -> AttemptError {
        match error {
            ReadError::TooLarge => self.error(
                AttemptErrorKind::TooLarge,
                format_args!(
                    "the answer is over the limit of {} bytes",
                    self.limits.max_response_bytes
                ),
            ),
            ReadError::Failed(error) => self.failed(&error),
        }
    }

    /// The limit for the whole exchange has passed.
    pub(super) fn timed_out(&self) -> AttemptError {
        let limit = Seconds(self.limits.timeout);
        if self.sent.is_set() {
            let detail = format_args!("no answer within {limit}; the task may still be running");
            self.error(AttemptErrorKind::Timeout, detail)
        } else {
            self.error(
                AttemptErrorKind::ConnectTimeout,
                format_args!("no connection within {limit}"),
            )
        }
    }

    /// The agent redirected to where its requests must not follow.
    pub(super) fn redirected(&self) -> AttemptError {
        self.error(
            AttemptErrorKind::Redirect,
            "it redirects elsewhere than once to another path of its own origin with 307 or 308",
        )
    }

    /// The stream was silent for too long.
    pub(super) fn idle(&self) -> AttemptError {
        let limit = Seconds(self.limits.stream_idle);
        self.error(
            AttemptErrorKind::StreamIdle,
            format_args!("the stream was silent for {limit}; the task may still be running"),
        )
    }

    /// An event of the stream is too large.
    pub(super) fn event_too_large(&self) -> AttemptError {
        self.error(
            AttemptErrorKind::TooLarge,
            format_args!(
                "one event of the stream is over the limit of {} bytes",
                self.limits.max_event_bytes
            ),
        )
    }

    /// The message of a unary answer could not be read.
    pub(super) fn broken_message(&self, broken: BrokenMessage) -> AttemptError {
        match broken {
            BrokenMessage::TooLarge => self.unreadable(ReadError::TooLarge),
            BrokenMessage::Failed(error) => self.failed(&error),
            BrokenMessage::Cut => self.incomplete(),
            BrokenMessage::Compressed => self.unusable(200, None, COMPRESSED),
        }
    }

    /// A message of a stream could not be read.
    pub(super) fn broken_event(&self, broken: BrokenMessage) -> AttemptError {
        match broken {
            BrokenMessage::TooLarge => self.event_too_large(),
            BrokenMessage::Failed(error) => self.failed(&error),
            BrokenMessage::Cut => self.cut(),
            BrokenMessage::Compressed => self.unusable(200, None, COMPRESSED),
        }
    }

    /// The answer ended without its status.
    pub(super) fn incomplete(&self) -> AttemptError {
        let failure = Failure::Incomplete;
        self.error(
            failure.kind(),
            format_args!("{}; the task may still be running", failure.words()),
        )
    }

    /// The agent refused the call with a status that is about the gateway.
    pub(super) fn grpc_refused(&self, code: GrpcCode, retry_after: Option<u64>) -> AttemptError {
        let name = code.name();
        let (kind, what) = match code {
            GrpcCode::Unauthenticated | GrpcCode::PermissionDenied => (
                AttemptErrorKind::Credential,
                format!("refused the gateway's credential (gRPC {name})"),
            ),
            GrpcCode::DeadlineExceeded => return self.timed_out(),
            _ => (
                AttemptErrorKind::Overloaded,
                format!("is overloaded (gRPC {name}); try again later"),
            ),
        };
        AttemptError {
            retry_after,
            ..self.answered(kind, &what)
        }
    }

    /// The agent ended a stream with a status that is about the gateway.
    pub(super) fn broken_off(&self, code: GrpcCode) -> AttemptError {
        let name = code.name();
        let what =
            format_args!("it broke the stream off (gRPC {name}); the task may still be running");
        self.error(AttemptErrorKind::Reset, what)
    }

    /// The stream ended inside an event.
    pub(super) fn cut(&self) -> AttemptError {
        self.error(
            AttemptErrorKind::Reset,
            "the stream ended in the middle of an event; the task may still be running",
        )
    }

    /// The answer is none of the protocol; `found` goes on after "agent answered".
    pub(super) fn unusable(
        &self,
        status: u16,
        retry_after: Option<u64>,
        found: impl fmt::Display,
    ) -> AttemptError {
        let (kind, what) = match status {
            401 | 403 => (
                AttemptErrorKind::Credential,
                format!("refused the gateway's credential (HTTP {status})"),
            ),
            429 | 503 => (
                AttemptErrorKind::Overloaded,
                format!("is overloaded (HTTP {status}); try again later"),
            ),
            200..=299 => (AttemptErrorKind::Malformed, format!("answered {found}")),
            404 | 410 => (
                AttemptErrorKind::NoEndpoint,
                format!("answered HTTP {status} with {found}"),
            ),
            400..=499 => (
                AttemptErrorKind::Rejected,
                format!("answered HTTP {status} with {found}"),
            ),
            _ => (
                AttemptErrorKind::Malformed,
                format!("answered HTTP {status} with {found}"),
            ),
        };
        AttemptError {
            retry_after,
            ..self.answered(kind, &what)
        }
    }

    /// An event of the stream is none of the protocol.
    pub(super) fn unusable_event(&self, found: impl fmt::Display) -> AttemptError {
        let what = format!("answered a stream event with {found}");
        self.answered(AttemptErrorKind::Malformed, &what)
    }

    /// What the agent said cannot be converted to the form that the gateway works with.
    pub(super) fn unconvertible(&self, error: &dyn fmt::Display) -> AttemptError {
        let what = format!("answered what cannot be converted: {error}");
        self.answered(AttemptErrorKind::Malformed, &what)
    }

    fn answered(&self, kind: AttemptErrorKind, what: &str) -> AttemptError {
        AttemptError {
            kind,
            sent: true,
            detail: format!("agent `{}` {what}", self.agent),
            retry_after: None,
        }
    }

    fn error(&self, kind: AttemptErrorKind, what: impl fmt::Display) -> AttemptError {
        AttemptError {
            kind,
            sent: self.sent.is_set(),
            detail: format!("agent `{}`: {what}", self.agent),
            retry_after: None,
        }
    }
}

/// A duration as people write it: `30 s`, `1.5 s`.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} s", self.0.as_secs_f64())
    }
}
