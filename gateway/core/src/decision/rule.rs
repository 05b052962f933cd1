//! What a record says of the routing rule that matched.

use serde::{Deserialize, Serialize};

use crate::agent::{AgentId, Effect};

/// The routing rule that matched a message, and what it made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchedRule {
    /// Its name.
    pub name: String,
    /// What it does.
    pub action: RuleAction,
    /// The only agents it leaves as candidates; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// The profile it chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The effect it allows at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_effect: Option<Effect>,
    /// What the client was told, or why the condition could not be evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What a routing rule does with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Names the agent; no fit is asked for.
    Pin,
    /// Narrows the choice.
    Use,
    /// Turns the message away.
    Reject,
    /// Its condition could not be evaluated, so the message was turned away.
    Failed,
}

impl RuleAction {
    /// Returns the name used in records and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Use => "use",
            Self::Reject => "reject",
            Self::Failed => "failed",
        }
    }
}
