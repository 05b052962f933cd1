//! One exchange with an agent: its limits, how far it got, and the words for each way it can fail.
//!
//! The words reach callers, so they name the agent and the limit and never an address.

use std::{error::Error as _, fmt, time::Duration};

use gateway_core::{
    agent::{AgentId, AgentSpec, Limits},
    ports::{AttemptError, AttemptErrorKind},
};

use super::{headers::UnusableCredential, outgoing::SentFlag};
use crate::{
    failure::Failure,
    guard::{self, RefusedAddress},
    read::ReadError,
};

/// One exchange with an agent. Clones belong to the same exchange.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    agent: AgentId,
    limits: Limits,
    sent: SentFlag,
}

impl Exchange {
    /// Starts an exchange.
    pub(super) fn with(agent: &AgentSpec) -> Self {
        Self {
            agent: agent.id.clone(),
            limits: agent.limits.clone(),
            sent: SentFlag::default(),
        }
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
    pub(super) fn client_unusable(&self) -> AttemptError {
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

    /// The stream ended inside an event.
    pub(super) fn cut(&self) -> AttemptError {
        self.error(
            AttemptErrorKind::Reset,
            "the stream ended in the middle of an event; the task may still be running",
        )
    }

    fn error(&self, kind: AttemptErrorKind, what: impl fmt::Display) -> AttemptError {
        AttemptError {
            kind,
            sent: self.sent.is_set(),
            detail: format!("agent `{}`: {what}", self.agent),
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
