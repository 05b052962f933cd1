//! What a replay found.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{estimate::Estimate, interval::Rate, rechoice::Doubt};

/// What another configuration would have done with recorded decisions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The default profile, and its version.
    pub profile: String,
    /// How many decisions were made again by each profile, by its version.
    pub profiles: BTreeMap<String, u64>,
    /// How many decisions were read, each once.
    pub read: u64,
    /// How many more could not be read at all.
    pub unreadable: u64,
    /// How many times a decision was met again.
    pub duplicates: u64,
    /// How many were made again.
    pub replayed: u64,
    /// How many could not be, because their records do not tell enough to begin with.
    pub undecided: u64,
    /// Why not.
    pub undecidable: BTreeMap<String, u64>,
    /// How many are turned away, by a rule or for a profile that no request may choose.
    pub turned_away: u64,
    /// How many were made without scoring, by kind.
    pub not_scored: BTreeMap<&'static str, u64>,
    /// How many contradict themselves.
    pub broken: u64,
    /// The first of those, and what is wrong with them.
    pub broken_examples: Vec<String>,
    /// How many would go elsewhere.
    pub changed: u64,
    /// The share that would go where it went, chance aside.
    pub agreement: Option<Rate>,
    /// The changes by agents, the most frequent first.
    pub changes: Vec<Change>,
    /// How many choices are not certain.
    pub uncertain: u64,
    /// Why not; a decision may have several reasons.
    pub doubts: BTreeMap<Doubt, u64>,
    /// In how many chance had taken another one than the best.
    pub explored: u64,
    /// Of how many nobody knows how they ended.
    pub unjudged: Unjudged,
    /// Of how many the recorded probability is no probability.
    pub improper_propensity: u64,
    /// What share of results is accepted.
    pub accepted: Accepted,
    /// What results cost.
    pub cost: Costs,
    /// The median of expected latencies, in milliseconds.
    pub latency_ms: BeforeAfter,
    /// What to know before relying on the numbers.
    pub warnings: Vec<String>,
}

/// Decisions that go from one agent to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Who got the message, chance aside; absent for nobody.
    pub from: Option<String>,
    /// Who would get it; absent for nobody.
    pub to: Option<String>,
    /// How many.
    pub count: u64,
    /// Those with the clearest lead.
    pub examples: Vec<Example>,
}

/// A decision that would come out otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// Its id.
    pub decision: String,
    /// The new score of the new choice minus the new score of the old one, where it has one.
    pub lead: Option<f64>,
}

/// Decisions whose result says nothing, by why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Unjudged {
    /// Canceled tasks.
    pub canceled: u64,
    /// Tasks whose end was not seen.
    pub open: u64,
    /// Messages that nobody got.
    pub not_sent: u64,
}

/// What share of results is accepted, among decisions whose result is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Accepted {
    /// The share as it was, chance included.
    pub before: Option<Rate>,
    /// The share where both choose alike; says nothing of the others.
    pub matched: Option<Rate>,
    /// Between what and what the share would lie: whatever the unknown results are, and within the interval of what is
    /// estimated.
    pub after: Option<Range>,
    /// The same of its difference to the share as it was.
    pub difference: Option<Range>,
    /// Estimates from decisions in which chance took part; absent where it never did.
    pub off_policy: Option<OffPolicy>,
}

/// Estimates of the accepted share, of decisions whose new choice could have been taken then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OffPolicy {
    /// How many decisions they are about.
    pub decisions: u64,
    /// How many they are not about, because chance could not have taken the new choice, as far as the record tells.
    pub unsupported: u64,
    /// By inverse propensity.
    pub inverse_propensity: Estimate,
    /// The same, self-normalised.
    pub self_normalised: Estimate,
    /// Doubly robust: by a model of each agent's skill, corrected by inverse propensity.
    pub doubly_robust: Estimate,
    /// The last minus the share as it was, on the same decisions.
    pub difference: Estimate,
    /// As many decisions without weights say as much.
    pub effective_sample_size: f64,
    /// 1, but for chance, if choices were taken as often as their recorded probabilities say.
    pub mean_weight: Estimate,
}

/// From where to where something may lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// What results cost, among decisions whose result and costs are known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Costs {
    /// The mean for each message: as reported or expected, and as expected where the choice changes.
    pub per_request: BeforeAfter,
    /// The mean for each accepted result, as it was.
    pub per_accepted_before: Option<f64>,
    /// The same with the new choices.
    pub per_accepted_after: Option<Range>,
    /// By what part of itself it changes.
    pub per_accepted_change: Option<Range>,
    /// In these currencies, which are added up as they are.
    pub currencies: Vec<String>,
}

/// A number with the choices as they were, and with the new ones.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct BeforeAfter {
    /// As it was.
    pub before: Option<f64>,
    /// As it would be.
    pub after: Option<f64>,
}

impl Range {
    /// Tells whether nothing is open.
    #[must_use]
    pub fn is_point(&self) -> bool {
        (self.high - self.low).abs() < 1e-9
    }
}
