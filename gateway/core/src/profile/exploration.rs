//! What a profile says about exploration: how much is left to chance, and among whom.

use serde::{Deserialize, Serialize};

use crate::agent::Effect;

/// How the choice is left to chance now and then, so that agents which look worse get a chance to show that they are
/// not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Exploration {
    /// What chance looks at.
    pub method: Method,
    /// The share of messages for which one of the set is taken, each with the same probability; in (0,1].
    pub share: f64,
    /// Agents whose skill has an effect above this are never explored, and nothing is where the best one's is.
    pub max_effect: Effect,
    /// How many of the best are in the set.
    pub among: usize,
    /// How many tasks the configured quality weighs as much as, as in [`crate::Learning`].
    pub prior_strength: f64,
}

/// What chance looks at in the rest of the messages.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Nothing is explored. Not called `off`, which some readers of YAML take for `false`.
    #[default]
    #[serde(rename = "none")]
    Off,
    /// The best score gets them.
    Epsilon,
    /// The best score gets them with each quality drawn from what is known of it: the less is known of an agent, the
    /// more often it is tried.
    Thompson,
}

impl Method {
    /// Returns the name used in configuration, records and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "none",
            Self::Epsilon => "epsilon",
            Self::Thompson => "thompson",
        }
    }
}

impl Exploration {
    /// Tells whether nothing is explored.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.method == Method::Off
    }
}

impl Default for Exploration {
    fn default() -> Self {
        Self {
            method: Method::Off,
            share: 0.05,
            max_effect: Effect::Read,
            among: 5,
            prior_strength: 10.0,
        }
    }
}
