//! The agents that were considered: with which signals, and why not the others.

use std::{collections::BTreeMap, fmt};

use gateway_protocol::{Binding, Version};
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;

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
    /// How probable it was that chance takes it, in (0,1]; absent where chance could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propensity: Option<f64>,
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
