//! What a profile says about messages that fit two agents alike.

use serde::{Deserialize, Serialize};

/// When a choice counts as a guess, and what then happens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AmbiguityRule {
    /// What happens to a message whose choice would be a guess.
    pub on_ambiguous: OnAmbiguous,
    /// The likeness of two agents, in [0,1], from which on choosing one of them is a guess.
    pub likeness: f64,
    /// The score margin below which it is a guess whatever the likeness; 0 for likeness alone.
    pub margin: f64,
}

/// What happens to a message that fits two agents alike.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OnAmbiguous {
    /// The best score gets it, and the record names the rival.
    #[default]
    Choose,
    /// The caller gets an error that names the alternatives, and nothing is sent.
    Reject,
}

impl AmbiguityRule {
    /// Tells whether these are the built-in values.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for AmbiguityRule {
    fn default() -> Self {
        Self {
            on_ambiguous: OnAmbiguous::Choose,
            likeness: 0.5,
            margin: 0.0,
        }
    }
}
