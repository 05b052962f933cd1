//! The `exploration` section of a profile.

use gateway_core::{Effect, profile::Method};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::values::{Count, Share};

/// What is left to chance, so that agents which look worse get a chance to show that they are not.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`exploration`")]
pub(in crate::config) struct ExplorationForm {
    /// What chance looks at. Built-in value: `none`.
    pub(in crate::config) method: Option<Method>,
    /// The share of messages that go to any of the explored agents, each alike; above 0. Built-in value: 0.05.
    pub(in crate::config) share: Option<Share>,
    /// Skills with an effect above this are not explored, and nothing is where the best agent's is. Built-in value:
    /// `read`.
    pub(in crate::config) max_effect: Option<Effect>,
    /// How many of the best agents are explored, from 2 to 20. Built-in value: 5.
    pub(in crate::config) among: Option<Count>,
}
