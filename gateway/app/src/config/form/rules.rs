//! The `routing.rules` section.

use gateway_core::Effect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::values::{AgentName, ProfileName, RuleName, RuleText};

/// A condition on a message and its caller, and what follows from it: `use` or `reject`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a rule")]
pub(in crate::config) struct RuleForm {
    /// Names the rule in records and metrics. Default: `rule 1`, `rule 2` and so on, by place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::config) name: Option<RuleName>,
    /// A CEL expression over `request` and `caller` that is true for the messages in question.
    pub(in crate::config) when: RuleText,
    /// How to choose then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::config) r#use: Option<UseForm>,
    /// Turns the message away; the client gets this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::config) reject: Option<RuleText>,
}

/// How to choose when a rule matches: `agent` alone, or any of the others.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`use`")]
pub(in crate::config) struct UseForm {
    /// The agent that gets the message if it meets the requirements, whatever its fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) agent: Option<AgentName>,
    /// The only candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) agents: Option<Vec<AgentName>>,
    /// The profile, whatever the request asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) profile: Option<ProfileName>,
    /// The effect above which an agent is no candidate. It lowers the ceilings of profile and request, and never
    /// raises them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) max_effect: Option<Effect>,
}
