//! What a record says beside its candidates: the part that chance had, a rival, and what other profiles would do.

use serde::{Deserialize, Serialize};

use super::DecisionKind;
use crate::{agent::AgentId, profile::Method};

/// The part that chance had in a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explored {
    /// What chance looked at.
    pub method: Method,
    /// Among how many candidates.
    pub among: usize,
    /// Whether another than the best was taken.
    pub explored: bool,
    /// The best one, where another was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<AgentId>,
}

/// The agent that may be as right as the best for a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ambiguity {
    /// The agent.
    pub agent: AgentId,
    /// Its skill that fits best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// How much it and the best are alike for this message, in [0,1]; not a probability.
    pub likeness: f64,
    /// The best score minus its score.
    pub margin: f64,
    /// Whether choosing between the two is a guess, by the profile.
    pub guess: bool,
}

/// What another profile would have done with the same message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowChoice {
    /// The agent; absent where it would have sent nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The skill that agent is wanted for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The agent's score by this profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Name and hash of the profile.
    pub profile: String,
    /// How the agent was found.
    pub kind: DecisionKind,
}
