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
    pub(super) fn gains(&self, rows: &[&Row], from: &Weights, to: &Weights) -> Vec<f64> {
        let (mut accepted, mut cost) = (0.0, 0.0);
        let worths: Vec<_> = rows
            .iter()
            .map(|row| {
                let before = self.worth(row, row.choice(from));
                let after = self.worth(row, row.choice(to));
                accepted += before.0;
                cost += before.1;
                (before, after)
            })
            .collect();
        let gain = |(before, after): &((f64, f64), (f64, f64))| match self.objective {
            Objective::Accepted => after.0 - before.0,
            Objective::AcceptedPerCost if cost > 0.0 => {
                let (rate, mean) = (accepted / cost, cost / length(rows));
                ((after.0 - before.0) - rate * (after.1 - before.1)) / mean
            }
            Objective::AcceptedPerCost => 0.0,
        };
        worths.iter().map(gain).collect()
    }

    /// Returns what choosing one of a decision is worth and costs: as expected, and where it was chosen then, corrected by
    /// what came of it.
    fn worth(&self, row: &Row, choice: usize) -> (f64, f64) {
        let Some(chosen) = row.entrants.get(choice) else {
            return (0.0, 0.0);
        };
        let expected = self.expected.get(&chosen.action);
        let expected = expected.copied().unwrap_or(self.mean);
        let correction = if choice == row.logged {
            (row.reward - expected) / row.propensity
        } else {
            0.0
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
