//! Routing profiles: the weights of the score and the limits a candidate must keep.

mod ambiguity;
mod exploration;
mod versioned;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

pub use ambiguity::{AmbiguityRule, OnAmbiguous};
pub use exploration::{Exploration, Method};
pub use versioned::VersionedProfile;

use crate::{
    agent::{AgentId, Effect},
    digest,
};

/// The weights of `R = α·fit + β·quality + γ·availability − δ·latency − ε·cost − ζ·risk`.
///
/// Each is finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// α, of fit.
    pub fit: f64,
    /// β, of quality.
    pub quality: f64,
    /// γ, of availability.
    pub availability: f64,
    /// δ, of latency.
    pub latency: f64,
    /// ε, of cost.
    pub cost: f64,
    /// ζ, of risk.
    pub risk: f64,
}

impl Weights {
    /// The weights of the built-in profile `balanced`.
    pub const BALANCED: Self = Self {
        fit: 0.30,
        quality: 0.25,
        availability: 0.15,
        latency: 0.10,
        cost: 0.10,
        risk: 0.10,
    };

    /// Returns all six, in the order of the formula.
    #[must_use]
    pub fn parts(&self) -> [f64; 6] {
        let Self {
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
        } = *self;
        [fit, quality, availability, latency, cost, risk]
    }
}

impl From<[f64; 6]> for Weights {
    /// Takes all six, in the order of the formula.
    fn from([fit, quality, availability, latency, cost, risk]: [f64; 6]) -> Self {
        Self {
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
        }
    }
}

/// A named set of weights and limits.
#[derive(Debug, Clone, Serialize)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The weights of the score.
    pub weights: Weights,
    /// The latency that counts as 1.
    pub reference_latency: Duration,
    /// The cost per request that counts as 1.
    pub reference_cost: f64,
    /// The fit below which an agent is no candidate.
    pub min_fit: f64,
    /// The risk above which an agent is no candidate.
    pub max_risk: f64,
    /// What happens when no agent fits.
    pub on_no_fit: OnNoFit,
    /// What happens when several agents fit alike.
    #[serde(skip_serializing_if = "AmbiguityRule::is_built_in")]
    pub ambiguity: AmbiguityRule,
    /// What is left to chance.
    #[serde(skip_serializing_if = "Exploration::is_off")]
    pub exploration: Exploration,
    /// The effect above which an agent is no candidate.
    #[serde(skip_serializing_if = "allows_all")]
    pub max_effect: Effect,
    /// Whether a request may ask for this profile.
    #[serde(skip)]
    pub by_request: bool,
}

/// Keeps the version of a profile that allows every effect what it was before there were ceilings.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn allows_all(max_effect: &Effect) -> bool {
    *max_effect == Effect::ExternalEffect
}

impl Profile {
    /// Returns the built-in profile `balanced`, with the default of every limit.
    #[must_use]
    pub fn balanced() -> Self {
        Self {
            name: "balanced".to_owned(),
            weights: Weights::BALANCED,
            reference_latency: Duration::from_secs(5),
            reference_cost: 0.10,
            min_fit: 0.25,
            max_risk: 0.9,
            on_no_fit: OnNoFit::Reject,
            ambiguity: AmbiguityRule::default(),
            exploration: Exploration::default(),
            max_effect: Effect::ExternalEffect,
            by_request: false,
        }
    }

    /// Returns the name with a short hash of the contents, such as `balanced@1f3a9c02`, so that a record
    /// says exactly which weights and limits it was made with.
    #[must_use]
    pub fn version(&self) -> String {
        let contents = json!(self).to_string();
        let digest = digest::sha256(contents.as_bytes());
        format!("{}@{}", self.name, digest::shown(&digest))
    }
}

/// What happens when no agent fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnNoFit {
    /// The caller gets an error and nothing is sent.
    Reject,
    /// This agent gets the message if it meets the other requirements; the record says `fallback`.
    Fallback(AgentId),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_follows_the_contents_and_nothing_else() {
        let profile = Profile {
            name: "balanced".to_owned(),
            weights: Weights::BALANCED,
            reference_latency: Duration::from_secs(5),
            reference_cost: 0.1,
            min_fit: 0.15,
            max_risk: 1.0,
            on_no_fit: OnNoFit::Reject,
            ambiguity: AmbiguityRule::default(),
            exploration: Exploration::default(),
            max_effect: Effect::ExternalEffect,
            by_request: false,
        };
        // Written out, since records of earlier releases hold it.
        assert_eq!(profile.version(), "balanced@0f7784c8");
        let stricter = Profile {
            max_risk: 0.8,
            ..profile.clone()
        };
        assert_ne!(profile.version(), stricter.version());
        let harmless = Profile {
            max_effect: Effect::Read,
            ..profile.clone()
        };
        assert_ne!(profile.version(), harmless.version());
        let open = Profile {
            by_request: true,
            ..profile.clone()
        };
        assert_eq!(profile.version(), open.version());
        let helper = AgentId::parse("helper").unwrap();
        let other = Profile {
            on_no_fit: OnNoFit::Fallback(helper),
            ..profile.clone()
        };
        assert_ne!(profile.version(), other.version());
        let exploring = Profile {
            exploration: Exploration {
                method: Method::Epsilon,
                ..Exploration::default()
            },
            ..profile.clone()
        };
        assert_ne!(profile.version(), exploring.version());
        let asking = Profile {
            ambiguity: AmbiguityRule {
                on_ambiguous: OnAmbiguous::Reject,
                ..AmbiguityRule::default()
            },
            ..profile.clone()
        };
        assert_ne!(profile.version(), asking.version());
    }
}
