//! The record of one routing choice: who was considered, with which signals, who won and why not the others.

mod aside;
mod rule;

use std::{collections::BTreeMap, fmt};

use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::{
    aside::{Ambiguity, Explored, ShadowChoice},
    rule::{MatchedRule, RuleAction},
};

use crate::{
    agent::{AgentId, Effect},
    caller::Caller,
    feedback::Feedback,
    profile::Weights,
};

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

/// What was asked: digest and features; the text itself only where the configuration says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RequestSummary {
    /// The client's message id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// `sha256:` over the operation's parameters as received.
    pub digest: String,
    /// Length of the message text, in characters.
    pub text_chars: usize,
    /// The message text as far as routing reads it; only where `store.record_text` is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the message has more text than routing reads.
    #[serde(default, skip_serializing_if = "is_false")]
    pub text_cut: bool,
    /// Media types of the message parts.
    pub input_modes: Vec<String>,
    /// Media types the client accepts; empty means any.
    pub accepted_output_modes: Vec<String>,
    /// Whether the client asked for a stream.
    pub streaming: bool,
    /// Whether the client asked for push notifications.
    #[serde(default, skip_serializing_if = "is_false")]
    pub push: bool,
    /// The top-level keys of data parts.
    pub data_keys: Vec<String>,
    /// URIs of the extensions the client declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// The binding the message came by; records of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// The hints that were honoured.
    pub hints: Hints,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// What a client may say about where a message should go, in `metadata` of message or request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// `metadata.agent`: only this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `metadata.skill`: only agents with this skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// `metadata.budget.max_latency_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_latency_ms: Option<f64>,
    /// `metadata.budget.max_cost_eur`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_eur: Option<f64>,
    /// `profile` of the routing extension: the profile to choose by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// `max_effect` of the routing extension: the effect allowed at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_effect: Option<Effect>,
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

/// One agent considered for one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The agent.
    pub agent: AgentId,
    /// The skill that fits best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The interface it would be reached at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<InterfaceChoice>,
    /// Fingerprint of its card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// The six signals; absent where the candidate was not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signals: Option<Signals>,
    /// What each signal adds to the score, sign included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contributions: Option<Contributions>,
    /// The sum of the contributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why it was discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Discard>,
    /// The reason in words, with the values compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The interface a candidate is reached at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterfaceChoice {
    /// Protocol binding.
    pub binding: Binding,
    /// Protocol version.
    pub version: Version,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It got the message.
    Chosen,
    /// It met all requirements and did not get the message: another one scored higher or was explored, or the message
    /// was ambiguous.
    Outscored,
    /// It failed a requirement.
    Discarded,
}

impl Verdict {
    /// Returns the name used in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Outscored => "outscored",
            Self::Discarded => "discarded",
        }
    }
}

/// The requirement a discarded candidate failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discard {
    /// The gateway has no usable card of it.
    CardUnavailable,
    /// Its card changed and waits to be accepted.
    CardQuarantined,
    /// The routing rule that matched leaves it out.
    ExcludedByRule,
    /// The client named another agent, or a skill this one lacks.
    NotRequested,
    /// No interface of it speaks the client's protocol version.
    VersionUnreachable,
    /// It does not take a media type of the message.
    InputMode,
    /// It produces no media type the client accepts.
    OutputMode,
    /// It cannot stream and a stream was asked for.
    Streaming,
    /// It cannot notify and a webhook was registered.
    Push,
    /// It requires an extension the client did not declare.
    ExtensionRequired,
    /// Its effect is above what profile, rule and request allow.
    EffectCeiling,
    /// It already has as many requests as its limit allows.
    Saturated,
    /// Its expected cost is above the caller's budget.
    BudgetCost,
    /// Its expected latency is above the caller's budget.
    BudgetLatency,
    /// Its risk is above the profile's ceiling.
    RiskCeiling,
    /// Its fit is below the profile's floor.
    BelowMinFit,
}

impl Discard {
    /// Returns the name used in records and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CardUnavailable => "card_unavailable",
            Self::CardQuarantined => "card_quarantined",
            Self::ExcludedByRule => "excluded_by_rule",
            Self::NotRequested => "not_requested",
            Self::VersionUnreachable => "version_unreachable",
            Self::InputMode => "input_mode",
            Self::OutputMode => "output_mode",
            Self::Streaming => "streaming",
            Self::Push => "push",
            Self::ExtensionRequired => "extension_required",
            Self::EffectCeiling => "effect_ceiling",
            Self::Saturated => "saturated",
            Self::BudgetCost => "budget_cost",
            Self::BudgetLatency => "budget_latency",
            Self::RiskCeiling => "risk_ceiling",
            Self::BelowMinFit => "below_min_fit",
        }
    }
}

impl fmt::Display for Discard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The six signals of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// S: how well its best skill fits the text.
    pub fit: Signal,
    /// Q: expected share of accepted results.
    pub quality: Signal,
    /// A: how likely it answers now.
    pub availability: Signal,
    /// L: expected latency over the reference. Raw value in milliseconds.
    pub latency: Signal,
    /// C: expected cost over the reference. Raw value in the agent's currency.
    pub cost: Signal,
    /// K: risk. Raw value before clipping.
    pub risk: Signal,
}

/// One signal of one candidate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Signal {
    /// As measured or configured, in its own unit.
    pub raw: f64,
    /// In [0,1], as the score uses it.
    pub value: f64,
    /// Where it comes from: matched words, or "prior".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// The parts it is made of, weighted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub terms: BTreeMap<String, f64>,
}

/// What each signal adds to the score; latency, cost and risk are negative or zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Contributions {
    /// α·S
    pub fit: f64,
    /// β·Q
    pub quality: f64,
    /// γ·A
    pub availability: f64,
    /// −δ·L
    pub latency: f64,
    /// −ε·C
    pub cost: f64,
    /// −ζ·K
    pub risk: f64,
}

/// One try to deliver a message to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// To whom.
    pub agent: AgentId,
    /// When it began.
    pub started_at: Timestamp,
    /// How far it got: `connect`, `request`, `response`, `stream`.
    pub phase: String,
    /// `ok`, or the kind of failure such as `refused`, `timeout`, `malformed`.
    pub outcome: String,
    /// The failure in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Milliseconds to the answer, or to the first event of a stream.
    pub ms: u64,
    /// What conversions between client and agent have lost, by name, and how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub losses: BTreeMap<String, u32>,
}

/// How a decision ended, as far as the gateway has seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// A task state such as `completed` or `input-required`; `message` for a direct reply; `error`; `truncated`;
    /// `not_sent` where no agent got the message.
    pub state: String,
    /// The agent's own id of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The error, for the states `error` and `truncated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<OutcomeError>,
    /// What it cost, in the agent's currency, where the agent says what it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Milliseconds from the choice to this state.
    pub ms: u64,
    /// When the task was seen to end; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

/// The error a decision ended with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeError {
    /// JSON-RPC error code.
    pub code: i64,
    /// Its message.
    pub message: String,
}
