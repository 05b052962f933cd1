//! Why a call failed, once for the caller and once for the counters.

mod ambiguous;
mod rule;

use std::collections::BTreeMap;

use gateway_protocol::{Error, ErrorKind, Version, error::GATEWAY_DOMAIN};

use crate::{
    agent::AgentId,
    decision::{Candidate, Discard, RouteDecision},
    ports::{AttemptError, AttemptErrorKind, StoreError},
};

/// A call that ends with an error of the gateway's own making. Errors that agents answer are no failures:
/// they pass through.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What the caller is told.
    pub error: Error,
    /// The kind, for metrics and records: bounded, lower-case.
    pub kind: &'static str,
    /// The decision that says more.
    pub decision: Option<String>,
    /// Seconds after which another try makes sense.
    pub retry_after: Option<u64>,
}

impl Failure {
    /// Builds a failure; `reason` names it in the gateway's own error domain.
    fn new(kind: &'static str, error: Error, reason: &str, metadata: &[(&str, &str)]) -> Self {
        let error = error.with_info(GATEWAY_DOMAIN, reason, metadata.iter().copied());
        Self {
            error,
            kind,
            decision: None,
            retry_after: None,
        }
    }

    /// Names the decision that the failure belongs to.
    #[must_use]
    pub fn of_decision(mut self, id: &str) -> Self {
        self.decision = Some(id.to_owned());
        self.error = self
            .error
            .with_info(GATEWAY_DOMAIN, "DECISION", [("decisionId", id)]);
        self
    }

    /// The request itself is wrong.
    #[must_use]
    pub fn bad_request(error: Error) -> Self {
        Self {
            error,
            kind: "bad_request",
            decision: None,
            retry_after: None,
        }
    }

    /// No task has this id. Says the same for ids that are forged, foreign, or another caller's.
    #[must_use]
    pub fn task_not_found() -> Self {
        let error = Error::new(ErrorKind::TaskNotFound, "task not found");
        Self {
            error,
            kind: "task_not_found",
            decision: None,
            retry_after: None,
        }
    }

    /// Ids in one message belong to different agents.
    #[must_use]
    pub fn mixed_owners(field: &str) -> Self {
        let text =
            format!("`{field}` belongs to another agent than the task or context of this message");
        Self::bad_request(
            Error::new(ErrorKind::InvalidParams, text)
                .field_violation(field, "must belong to the agent that gets the message"),
        )
    }

    /// No agent of this id is registered.
    #[must_use]
    pub fn unknown_agent(id: &str) -> Self {
        let error = Error::new(
            ErrorKind::InvalidRequest,
            format!("there is no agent `{id}` here"),
        );
        Self::new("unknown_agent", error, "UNKNOWN_AGENT", &[("agent", id)])
    }

    /// The gateway does not serve this operation.
    #[must_use]
    pub fn unsupported(kind: ErrorKind, operation: &str) -> Self {
        let error = Error::new(kind, format!("this gateway does not serve {operation}"));
        Self {
            error,
            kind: "unsupported",
            decision: None,
            retry_after: None,
        }
    }

    /// Every agent was ruled out.
    #[must_use]
    pub fn nothing_fits(decision: &RouteDecision) -> Self {
        let reasons = decision.discards();
        let counts: Vec<_> = reasons
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        // Whoever a rule leaves out has no part in why nobody else is left.
        let asked = reasons
            .keys()
            .filter(|reason| **reason != Discard::ExcludedByRule);
        let asked: Vec<&Discard> = asked.collect();
        let all = |test: fn(&Discard) -> bool| {
            !asked.is_empty() && asked.iter().all(|reason| test(reason))
        };
        let no_fit = |error_kind| ("no_fit", error_kind, "NO_SUITABLE_AGENT");
        let (kind, error_kind, reason) = if all(|reason| {
            matches!(
                reason,
                Discard::CardUnavailable | Discard::CardQuarantined | Discard::Saturated
            )
        }) {
            (
                "agents_unavailable",
                ErrorKind::Internal,
                "AGENTS_UNAVAILABLE",
            )
        } else if all(|reason| *reason == Discard::Push) {
            no_fit(ErrorKind::PushNotificationNotSupported)
        } else if all(|reason| *reason == Discard::InputMode) {
            no_fit(ErrorKind::ContentTypeNotSupported)
        } else {
            no_fit(ErrorKind::UnsupportedOperation)
        };
        let why = if counts.is_empty() {
            "none is registered".to_owned()
        } else {
            counts.join(", ")
        };
        let text = format!(
            "no suitable agent for this message ({why}); see decision {}",
            decision.id
        );
        let mut metadata: BTreeMap<&str, String> = BTreeMap::new();
        metadata.insert("decisionId", decision.id.clone());
        metadata.insert("reasons", counts.join(", "));
        let error = Error::new(error_kind, text).with_info(GATEWAY_DOMAIN, reason, metadata);
        Self {
            error,
            kind,
            decision: Some(decision.id.clone()),
            retry_after: None,
        }
    }

    /// The one agent this call must go to was ruled out.
    #[must_use]
    pub fn ruled_out(candidate: &Candidate, version: Version, supported: &str) -> Self {
        let agent = candidate.agent.as_str();
        let detail = candidate.detail.as_deref().unwrap_or_default();
        let reason = candidate.reason.unwrap_or(Discard::CardUnavailable);
        let (kind, text) = match reason {
            Discard::VersionUnreachable => (
                ErrorKind::VersionNotSupported,
                format!("agent `{agent}` cannot be reached with A2A {version}: {detail}"),
            ),
            Discard::Streaming => (
                ErrorKind::UnsupportedOperation,
                format!("agent `{agent}` does not stream: send the message without streaming"),
            ),
            Discard::Push => (
                ErrorKind::PushNotificationNotSupported,
                format!("agent `{agent}` has no push notifications"),
            ),
            Discard::ExtensionRequired => (
                ErrorKind::ExtensionSupportRequired,
                format!("agent `{agent}`: {detail}"),
            ),
            Discard::EffectCeiling => (
                ErrorKind::UnsupportedOperation,
                format!("agent `{agent}` may not get this message: {detail}"),
            ),
            _ => (
                ErrorKind::Internal,
                format!("agent `{agent}` is not available: {detail}"),
            ),
        };
        let mut metadata = vec![("agent", agent), ("reason", reason.as_str())];
        if reason == Discard::VersionUnreachable {
            metadata.push(("supportedVersions", supported));
        }
        let failure_kind = if kind == ErrorKind::Internal {
            "agents_unavailable"
        } else {
            reason.as_str()
        };
        Self::new(
            failure_kind,
            Error::new(kind, text),
            "AGENT_RULED_OUT",
            &metadata,
        )
    }

    /// The agent has no usable card, so nobody knows where it is.
    #[must_use]
    pub fn unavailable(agent: &AgentId, problem: &str) -> Self {
        let text = format!("agent `{agent}` is not available: {problem}");
        let error = Error::new(ErrorKind::Internal, text);
        Self::new(
            "agents_unavailable",
            error,
            "AGENT_UNAVAILABLE",
            &[("agent", agent.as_str())],
        )
    }

    /// The agent has as many requests as its limit allows.
    #[must_use]
    pub fn saturated(agent: &AgentId, limit: usize) -> Self {
        let text =
            format!("agent `{agent}` already has {limit} requests under way; try again later");
        let error = Error::new(ErrorKind::Internal, text);
        let mut failure = Self::new(
            "saturated",
            error,
            "AGENT_SATURATED",
            &[("agent", agent.as_str())],
        );
        failure.retry_after = Some(1);
        failure
    }

    /// The request to the agent failed, or its answer is no A2A answer.
    #[must_use]
    pub fn attempt(agent: &AgentId, error: &AttemptError) -> Self {
        let (error_kind, reason) = match error.kind {
            AttemptErrorKind::Dns
            | AttemptErrorKind::Refused
            | AttemptErrorKind::Tls
            | AttemptErrorKind::ConnectTimeout => (ErrorKind::Internal, "AGENT_UNREACHABLE"),
            AttemptErrorKind::Timeout | AttemptErrorKind::StreamIdle => {
                (ErrorKind::Internal, "AGENT_TIMEOUT")
            }
            AttemptErrorKind::Reset => (ErrorKind::Internal, "AGENT_BROKE_OFF"),
            AttemptErrorKind::TooLarge => (ErrorKind::Internal, "AGENT_ANSWER_TOO_LARGE"),
            AttemptErrorKind::Redirect => (ErrorKind::Internal, "AGENT_REDIRECTS"),
            AttemptErrorKind::Malformed => {
                (ErrorKind::InvalidAgentResponse, "AGENT_ANSWER_MALFORMED")
            }
            AttemptErrorKind::NoEndpoint | AttemptErrorKind::Rejected => {
                (ErrorKind::InvalidAgentResponse, "AGENT_REFUSED_REQUEST")
            }
            AttemptErrorKind::Credential => (ErrorKind::Internal, "AGENT_CREDENTIAL_REFUSED"),
            AttemptErrorKind::Overloaded => (ErrorKind::Internal, "AGENT_OVERLOADED"),
        };
        let kind = error.kind.as_str();
        let metadata = [
            ("agent", agent.as_str()),
            ("phase", error.kind.phase()),
            ("failure", kind),
        ];
        let told = Error::new(error_kind, error.detail.clone());
        let mut failure = Self::new(kind, told, reason, &metadata);
        failure.retry_after = error.retry_after;
        failure
    }

    /// The agent's answer cannot be expressed in the client's protocol version.
    #[must_use]
    pub fn untranslatable(agent: &AgentId, error: Error) -> Self {
        let text = format!(
            "agent `{agent}` answered what cannot be converted: {}",
            error.message
        );
        let error = Error {
            message: text,
            ..error
        };
        Self::new(
            "untranslatable",
            error,
            "AGENT_ANSWER_MALFORMED",
            &[("agent", agent.as_str())],
        )
    }

    /// The agent ended a stream before its task ended.
    #[must_use]
    pub fn truncated(agent: &AgentId, task_id: Option<&str>, cause: Option<&AttemptError>) -> Self {
        let how = cause.map_or_else(
            || "closed the stream".to_owned(),
            |error| error.detail.clone(),
        );
        let text = match (task_id, cause) {
            (Some(id), None) => {
                format!("agent `{agent}` {how} before task {id} ended; poll the task")
            }
            (Some(id), Some(_)) => format!("{how}; task {id} had not ended: poll it"),
            (None, None) => format!("agent `{agent}` {how} without any event"),
            (None, Some(_)) => how,
        };
        let mut metadata = vec![("agent", agent.as_str())];
        metadata.extend(task_id.map(|id| ("taskId", id)));
        let kind = match cause.map(|error| error.kind) {
            Some(AttemptErrorKind::Malformed) => ErrorKind::InvalidAgentResponse,
            _ => ErrorKind::Internal,
        };
        Self::new(
            "truncated",
            Error::new(kind, text),
            "STREAM_TRUNCATED",
            &metadata,
        )
    }

    /// The decision could not be written, so its answer is not given out.
    #[must_use]
    pub fn not_recorded(error: &StoreError) -> Self {
        tracing::error!(error = %error, "a decision could not be recorded");
        let text = "the routing decision could not be recorded; the agent may have done the work";
        Self::new(
            "not_recorded",
            Error::new(ErrorKind::Internal, text),
            "NOT_RECORDED",
            &[],
        )
    }

    /// Something in the gateway itself broke.
    #[must_use]
    pub fn internal(text: &str) -> Self {
        Self::new(
            "internal",
            Error::new(ErrorKind::Internal, text),
            "INTERNAL",
            &[],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_agents_without_a_connection_are_called_unreachable() {
        for (kind, reason) in [
            (AttemptErrorKind::Dns, "AGENT_UNREACHABLE"),
            (AttemptErrorKind::Tls, "AGENT_UNREACHABLE"),
            (AttemptErrorKind::ConnectTimeout, "AGENT_UNREACHABLE"),
            (AttemptErrorKind::Timeout, "AGENT_TIMEOUT"),
            (AttemptErrorKind::StreamIdle, "AGENT_TIMEOUT"),
            (AttemptErrorKind::Reset, "AGENT_BROKE_OFF"),
            (AttemptErrorKind::TooLarge, "AGENT_ANSWER_TOO_LARGE"),
            (AttemptErrorKind::Redirect, "AGENT_REDIRECTS"),
            (AttemptErrorKind::Rejected, "AGENT_REFUSED_REQUEST"),
        ] {
            let error = AttemptError {
                kind,
                sent: true,
                detail: "it failed".to_owned(),
                retry_after: None,
            };
            let agent = AgentId::parse("payments").unwrap();
            let failure = Failure::attempt(&agent, &error);
            let told = format!("{:?}", failure.error);
            assert!(told.contains(&format!("\"{reason}\"")), "{kind:?}: {told}");
        }
    }
}
