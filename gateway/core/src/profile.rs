//! Routing profiles: the weights of the score and the limits a candidate must keep.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::agent::AgentId;

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
}

/// A named set of weights and limits.
#[derive(Debug, Clone)]
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
}

impl Profile {
    /// Returns the name with a short hash of the contents, such as `balanced@1f3a9c02`, so that a record
    /// says exactly which weights and limits it was made with.
    #[must_use]
    pub fn version(&self) -> String {
        let digest = crate::digest::short(format!("{self:?}").as_bytes());
        format!("{}@{digest}", self.name)
    }
}

/// What happens when no agent fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnNoFit {
    /// The caller gets an error and nothing is sent.
    Reject,
    /// This agent gets the message if it meets the other requirements; the record says `fallback`.
    Fallback(AgentId),
}
