//! Proposes weights from what became of decisions, and says whether the decisions support the proposal.
//!
//! Weights are searched on some parts of the decisions and judged on the part that was held out, so that a gain is one
//! on decisions the search has not seen.

mod objective;
mod sample;
mod search;

#[cfg(test)]
mod tests;

use gateway_core::{Weights, decision::RouteDecision};
use serde::Serialize;

pub use self::objective::Objective;
use self::{
    objective::{Gain, Judge},
    sample::{Row, Sample},
    search::{propose, rounded},
};
use crate::{
    estimate::{Estimate, LEAST, standard_error},
    fold::FOLDS,
    interval::Interval,
    setting::Setting,
};

/// With fewer decisions that say something, no proposal is supported.
const FEWEST: usize = 200;

/// Collects decisions and proposes weights.
#[derive(Debug)]
pub struct Tuner {
    setting: Setting,
    objective: Objective,
    sample: Sample,
}

/// Proposed weights, and what speaks for them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// The profile the weights are for.
    pub profile: String,
    /// What is maximised.
    pub objective: Objective,
    /// The weights it has.
    pub current: Weights,
    /// The weights proposed.
    pub proposed: Weights,
    /// How many decisions were read.
    pub read: u64,
    /// In how many of them chance took part and the result is known.
    pub usable: u64,
    /// How many more hold propensities that cannot be right.
    pub improper: u64,
    /// How many of those were used; the others were left out to bound memory.
    pub used: usize,
    /// How many of those used go elsewhere under the proposed weights.
    pub changed: usize,
    /// The objective with the current weights, on all decisions used.
    pub value: Option<f64>,
    /// The gain on decisions that the search had not seen.
    pub gain: Option<Estimate>,
    /// Whether the decisions support the proposal.
    pub support: Support,
}

/// Whether decisions support a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The gain is above zero in 95 of 100 cases.
    Supported,
    /// No weights were found that do better than the current ones.
    NothingBetter,
    /// The interval of the gain covers zero.
    NotCertain,
    /// There are too few decisions whose result is known and in which chance took part.
    TooFew,
    /// Chance had no part in any decision, so that nothing is known of other choices.
    NoExploration,
}

impl Support {
    /// Tells whether the proposal should be written.
    #[must_use]
    pub fn is_given(self) -> bool {
        self == Self::Supported
    }
}

impl Tuner {
    /// Begins with no decisions.
    #[must_use]
    pub fn new(setting: Setting, objective: Objective) -> Self {
        Self {
            setting,
            objective,
            sample: Sample::default(),
        }
    }

    /// Adds a decision, if it says something about weights.
    pub fn add(&mut self, decision: &RouteDecision) {
        self.sample.add(decision, &self.setting);
    }

    /// Searches weights; the same decisions give the same proposal in any order.
    #[must_use]
    pub fn propose(self) -> Proposal {
        let current = self.setting.profile().weights;
        let name = self.setting.profile().name.clone();
        let (read, usable) = (self.sample.read(), self.sample.usable());
        let (certain, improper) = (self.sample.certain(), self.sample.improper());
        let rows = self.sample.into_rows();
        let all: Vec<&Row> = rows.iter().collect();
        let mut proposal = Proposal {
            profile: name,
            objective: self.objective,
            current,
            proposed: current,
            read,
            usable,
            improper,
            used: rows.len(),
            changed: 0,
            value: None,
            gain: None,
            support: Support::TooFew,
        };
        if rows.is_empty() && certain > 0 {
            proposal.support = Support::NoExploration;
        }
        let judge = Judge::new(&all, self.objective);
        proposal.value = judge.value(&all, &current);
        if rows.len() < FEWEST {
            return proposal;
        }
        proposal.proposed = rounded(&propose(&all, &judge, &current), &current);
        let changes = |row: &&&Row| row.choice(&proposal.proposed) != row.choice(&current);
        proposal.changed = all.iter().filter(changes).count();
        if proposal.changed == 0 {
            proposal.proposed = current;
            proposal.support = Support::NothingBetter;
            return proposal;
        }
        let gain = held_out_gain(&rows, self.objective, &current);
        proposal.gain = Some(gain);
        proposal.support = match gain.interval {
            Some(interval) if interval.low > 0.0 => Support::Supported,
            Some(_) => Support::NotCertain,
            None => Support::TooFew,
        };
        proposal
    }
}

/// Searches on all parts but one and adds up the gain on that one, for each part.
fn held_out_gain(rows: &[Row], objective: Objective, current: &Weights) -> Estimate {
    let mut gains = Vec::with_capacity(rows.len());
    for fold in 0..FOLDS {
        let (held_out, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.fold == fold);
        let judge = Judge::new(&others, objective);
        let proposed = rounded(&propose(&others, &judge, current), current);
        gains.extend(judge.gains(&held_out, current, &proposed));
    }
    mean_gain(&gains)
}

/// Returns the mean with its interval, which allows for what was found and for what chance lets expect, as replay does.
fn mean_gain(gains: &[Gain]) -> Estimate {
    let sum = |of: &dyn Fn(&Gain) -> f64| gains.iter().map(of).sum::<f64>();
    let n = sum(&|_| 1.0);
    let (total, squares) = (sum(&|gain| gain.value), sum(&|gain| gain.value.powi(2)));
    let found = standard_error(n, total, squares);
    let expected = sum(&|gain| gain.variance).sqrt() / n.max(1.0);
    let error = found.max(expected);
    // How many decisions carry the sum, and how many that change say as much as all of those.
    let heavy = squares.powi(2) / sum(&|gain| gain.value.powi(4));
    let changed = sum(&|gain| f64::from(gain.inverse > 0.0));
    let effective = 2.0 * changed.powi(2) / sum(&|gain| gain.inverse);
    let value = if n > 0.0 { total / n } else { 0.0 };
    let suffices = error.is_finite() && effective >= LEAST;
    Estimate {
        value,
        interval: suffices.then(|| Interval::around_of_few(value, error, heavy)),
    }
}
