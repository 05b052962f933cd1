//! The record of one routing choice: who was considered, with which signals, who won and why not the others.

mod aside;
mod candidate;
mod outcome;
mod request;
mod rule;

use std::collections::BTreeMap;

use gateway_protocol::Version;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::{
    aside::{Ambiguity, Explored, ShadowChoice},
    candidate::{Candidate, Contributions, Discard, InterfaceChoice, Signal, Signals, Verdict},
    outcome::{Attempt, Outcome, OutcomeError},
    request::{Hints, RequestSummary},
    rule::{MatchedRule, RuleAction},
};

use crate::{agent::AgentId, caller::Caller, feedback::Feedback, profile::Weights};

/// The record of one choice. Written before the answer leaves the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteDecision {
    /// UUID version 7, so that ids sort by time.
    pub id: String,
    /// When the choice was made.
    pub at: Timestamp,
    /// How the agent was found.
    pub kind: DecisionKind,
    /// For whom.
    pub caller: Caller,
    /// The operation by its 1.0 name.
    pub operation: String,
    /// The protocol version the client speaks.
    pub client_version: Version,
    /// What was asked, without its text.
    pub request: RequestSummary,
    /// The routing rule that matched; absent where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<MatchedRule>,
    /// Which configuration, cards and profile the choice was made with.
    pub versions: Versions,
    /// The weights of the profile.
    pub weights: Weights,
    /// The W3C trace id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The chosen one, then at most 20 outscored ones by score, then at most 30 discarded ones by id: those that
    /// came closest.
    pub candidates: Vec<Candidate>,
    /// How many more were considered than `candidates` lists, the discarded by reason; only in large federations.
    #[serde(default, skip_serializing_if = "Unlisted::is_empty")]
    pub unlisted: Unlisted,
    /// Best score minus the next best one, the chosen agent's unless another was explored; absent with fewer than two
    /// scored candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// How probable the choice of the chosen agent was, in (0,1]; 1 where chance had no part in it.
    #[serde(default = "certain")]
    pub propensity: f64,
    /// The part that chance had; absent where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Explored>,
    /// The agent that may be as right as the best; absent where none comes near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ambiguity: Option<Ambiguity>,
    /// What each shadow profile would have done, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shadow: BTreeMap<String, ShadowChoice>,
    /// Each try to deliver, in order.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// How it ended, as far as the gateway has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What somebody said about the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
}

/// The propensity of a choice without chance.
fn certain() -> f64 {
    1.0
}

impl RouteDecision {
    /// Returns how many agents were discarded, by reason, listed or not.
    #[must_use]
    pub fn discards(&self) -> BTreeMap<Discard, usize> {
        let mut counts = self.unlisted.discarded.clone();
        for reason in self
            .candidates
            .iter()
            .filter_map(|candidate| candidate.reason)
        {
            *counts.entry(reason).or_default() += 1;
        }
        counts
    }

    /// Returns the chosen candidate.
    #[must_use]
    pub fn chosen(&self) -> Option<&Candidate> {
        self.candidates
            .iter()
            .find(|candidate| candidate.verdict == Verdict::Chosen)
    }

    /// Returns the agent with the best score, whether it was chosen or another one explored; none where nothing was
    /// chosen.
    #[must_use]
    pub fn best(&self) -> Option<&AgentId> {
        let explored = self.exploration.as_ref();
        let passed_over = explored.and_then(|explored| explored.best.as_ref());
        passed_over.or_else(|| self.chosen().map(|chosen| &chosen.agent))
    }
}

/// Agents that were considered and are not listed one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Unlisted {
    /// How many met all requirements and scored lower than those listed.
    #[serde(default)]
    pub outscored: usize,
    /// How many failed a requirement, by reason.
    #[serde(default)]
    pub discarded: BTreeMap<Discard, usize>,
}

impl Unlisted {
    /// Returns whether everybody is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outscored == 0 && self.discarded.is_empty()
    }
}

/// How the agent of a decision was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// By score.
    Scored,
    /// The message continues a task: its owner, without scoring.
    Owner,
    /// The message continues a context: its agent, without scoring.
    Context,
    /// The client addressed one agent by path.
    Pinned,
    /// Nothing fitted and the profile names a fallback agent.
    Fallback,
    /// Nothing fitted; nothing was sent.
    NoFit,
    /// Several agents fitted alike and the profile rejects that; nothing was sent.
    Ambiguous,
    /// A routing rule turned the message away, or could not be evaluated; nobody was considered.
    Rejected,
}

impl DecisionKind {
    /// Returns the name used in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scored => "scored",
            Self::Owner => "owner",
            Self::Context => "context",
            Self::Pinned => "pinned",
            Self::Fallback => "fallback",
            Self::NoFit => "no_fit",
            Self::Ambiguous => "ambiguous",
            Self::Rejected => "rejected",
        }
    }
}

/// What a decision was made with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Versions {
    /// Hash of the configuration.
    pub config: String,
    /// Hash over all agents and cards.
    pub catalog: String,
    /// Profile name and hash.
    pub profile: String,
    /// The engine of fit, with the name of its model if it has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fit: String,
}
