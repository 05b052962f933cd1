//! What weights are worth: the share of results that would have been accepted, or that share for its cost.

use std::{collections::HashMap, str::FromStr};

use gateway_core::Weights;
use serde::Serialize;

use super::sample::Row;
use crate::action::Action;

/// The mean of all counts as this many decisions of an action.
const STRENGTH: f64 = 5.0;

/// What is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The share of accepted results.
    Accepted,
    /// Accepted results for their cost.
    AcceptedPerCost,
}

/// What a decision gains by other weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain {
    pub(super) value: f64,
    /// The variance that chance gives it, as expected.
    pub(super) variance: f64,
    /// The sum of 1 over the propensities of both choices; 0 where they are the same.
    pub(super) inverse: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    variance: f64,
    inverse: f64,
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "accepted" => Ok(Self::Accepted),
            "accepted_per_cost" => Ok(Self::AcceptedPerCost),
            _ => Err(format!(
                "there is no objective `{text}`; use accepted or accepted_per_cost"
            )),
        }
    }
}

/// Judges weights by a doubly robust estimate, with a model of rewards that was learned from given decisions.
#[derive(Debug)]
pub(super) struct Judge {
    objective: Objective,
    expected: HashMap<Action, f64>,
    mean: f64,
    /// What a result costs on average, to make an amount of money comparable.
    usual_cost: f64,
}

impl Judge {
    pub(super) fn new(rows: &[&Row], objective: Objective) -> Self {
        let mut seen: HashMap<Action, (f64, f64)> = HashMap::new();
        let (mut n, mut sum, mut cost) = (0.0, 0.0, 0.0);
        for row in rows {
            n += 1.0;
            sum += row.reward;
            if let Some(logged) = row.entrants.get(row.logged) {
                let (count, rewards) = seen.entry(logged.action).or_default();
                *count += 1.0;
                *rewards += row.reward;
                cost += logged.cost;
            }
        }
        let mean = if n > 0.0 { sum / n } else { 0.5 };
        let expects = |(action, (count, rewards)): (Action, (f64, f64))| {
            (action, (rewards + STRENGTH * mean) / (count + STRENGTH))
        };
        Self {
            objective,
            expected: seen.into_iter().map(expects).collect(),
            mean,
            usual_cost: if n > 0.0 { cost / n } else { 0.0 },
        }
    }

    /// Returns the objective under weights; `None` of nothing.
    pub(super) fn value(&self, rows: &[&Row], weights: &Weights) -> Option<f64> {
        let (mut n, mut accepted, mut cost) = (0.0, 0.0, 0.0);
        for row in rows {
            let (share, paid) = self.worth(row, row.choice(weights));
            n += 1.0;
            accepted += share;
            cost += paid;
        }
        match self.objective {
            _ if n == 0.0 => None,
            Objective::Accepted => Some(accepted / n),
            Objective::AcceptedPerCost => (cost > 0.0).then(|| accepted / cost),
        }
    }

    /// Returns what each decision gains by other weights.
    ///
    /// A ratio is not a sum over decisions. Its gain is taken to first order at the current weights: accepted results,
    /// less what is paid more at the rate that results are bought for now.
    pub(super) fn gains(&self, rows: &[&Row], from: &Weights, to: &Weights) -> Vec<Gain> {
        let (mut accepted, mut cost) = (0.0, 0.0);
        let worths: Vec<_> = rows
            .iter()
            .map(|row| {
                let choices = (row.choice(from), row.choice(to));
                let before = self.worth(row, choices.0);
                let after = self.worth(row, choices.1);
                accepted += before.0;
                cost += before.1;
                (before, after, self.spread(row, choices))
            })
            .collect();
        let (rate, unit) = match self.objective {
            Objective::Accepted => (0.0, 1.0),
            Objective::AcceptedPerCost if cost > 0.0 => (accepted / cost, length(rows) / cost),
            Objective::AcceptedPerCost => (0.0, 0.0),
        };
        let gain = |(before, after, spread): ((f64, f64), (f64, f64), Spread)| Gain {
            value: unit * ((after.0 - before.0) - rate * (after.1 - before.1)),
            variance: unit * unit * spread.variance,
            inverse: spread.inverse,
        };
        worths.into_iter().map(gain).collect()
    }

    /// Returns how far chance may move what a decision seems to gain, as far as propensities let expect; nothing, if both
    /// choices are the same.
    fn spread(&self, row: &Row, (from, to): (usize, usize)) -> Spread {
        let mut spread = Spread::default();
        if from == to {
            return spread;
        }
        for choice in [from, to] {
            let Some(entrant) = row.entrants.get(choice) else {
                continue;
            };
            let expected = self.expects(entrant.action);
            let inverse = 1.0 / entrant.propensity.unwrap_or(1.0);
            spread.variance += inverse * expected * (1.0 - expected);
            spread.inverse += inverse;
        }
        spread
    }

    fn expects(&self, action: Action) -> f64 {
        self.expected.get(&action).copied().unwrap_or(self.mean)
    }

    /// Returns what choosing one of a decision is worth and costs: as expected, and where it was chosen then, corrected by
    /// what came of it.
    fn worth(&self, row: &Row, choice: usize) -> (f64, f64) {
        let Some(chosen) = row.entrants.get(choice) else {
            return (0.0, 0.0);
        };
        let expected = self.expects(chosen.action);
        let correction = match chosen.propensity {
            Some(propensity) if choice == row.logged => (row.reward - expected) / propensity,
            _ => 0.0,
        };
        (expected + correction, chosen.cost)
    }

    /// Returns the smallest difference of the objective that is worth moving weights for.
    pub(super) fn least_difference(&self) -> f64 {
        match self.objective {
            Objective::AcceptedPerCost if self.usual_cost > 0.0 => 1e-4 / self.usual_cost,
            _ => 1e-4,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most 50,000 decisions")]
fn length(rows: &[&Row]) -> f64 {
    rows.len() as f64
}
