//! What share of results another policy would have had accepted, from decisions in which chance took part.
//!
//! Decisions are not kept. Each estimate and its variance are polynomials in the weight and the reward of a decision, so
//! sums for each pair of actions are enough, and memory does not grow with the number of decisions.
//!
//! Where the new choice was improbable, few decisions carry its weight, and none of them may be there at all: then the
//! spread of the weights that are there tells nothing of it. Therefore each interval also allows for the spread that the
//! probabilities of all new choices let expect, taken or not, and is the wider of the two.

mod cells;
mod model;

#[cfg(test)]
mod tests;

use serde::Serialize;

use self::cells::{Corrected, Sums};
use crate::{
    action::Action,
    interval::{Interval, student},
};

pub(crate) use self::cells::Cells;

/// With less behind it an interval would say more than is known.
pub(crate) const LEAST: f64 = 30.0;

/// One decision as estimators see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    /// The part it belongs to.
    pub(crate) fold: usize,
    /// Who got the message.
    pub(crate) logged: Action,
    /// Who would get it.
    pub(crate) after: Action,
    /// Whether that is the same agent.
    pub(crate) matched: bool,
    /// How probable it was that this one gets the message, in (0,1].
    pub(crate) propensity: f64,
    /// How far its result was accepted, in [0,1].
    pub(crate) reward: f64,
}

/// An estimated share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The share; an estimate can lie outside of [0,1].
    pub value: f64,
    /// Where the true one lies; absent where there is too little to say so.
    pub interval: Option<Interval>,
}

/// The estimates of one policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimates {
    /// Rewards of matched decisions over their propensity, by the number of decisions.
    pub(crate) inverse_propensity: Estimate,
    /// The same by the sum of the weights.
    pub(crate) self_normalised: Estimate,
    /// A model of rewards, corrected by what matched decisions differ from it.
    pub(crate) doubly_robust: Estimate,
    /// By how much the last exceeds what was logged, on the same decisions.
    pub(crate) difference: Estimate,
    /// As many decisions without weights say as much.
    pub(crate) effective: f64,
    /// The mean weight, which is 1 if chance could have taken every choice of the policy.
    pub(crate) mean_weight: Estimate,
}

impl Cells {
    /// Estimates the policy whose choices were added; `None` where nothing was.
    pub(crate) fn estimates(&self) -> Option<Estimates> {
        let whole = self.whole();
        let n = whole.n;
        if n == 0.0 {
            return None;
        }
        let (effective, heavy) = (whole.effective(), whole.heavy());
        let suffices = n >= LEAST && effective >= LEAST;
        let given = |value: f64, interval: &dyn Fn() -> Interval| Estimate {
            value,
            interval: suffices.then(interval),
        };
        let mean = |sum: f64, squares: f64, variance: f64| {
            let found = standard_error(n, sum, squares);
            let expected = variance.max(0.0).sqrt() / n;
            let error = found.max(expected);
            given(sum / n, &|| Interval::around_of_few(sum / n, error, heavy))
        };
        let of_share = |estimate: Estimate| Estimate {
            interval: estimate.interval.map(Interval::of_share),
            ..estimate
        };
        let Corrected {
            sum,
            squares,
            variance,
            difference,
            difference_squares,
            difference_variance,
        } = self.corrected();
        Some(Estimates {
            inverse_propensity: of_share(given(whole.wr / n, &|| of_sum(&whole))),
            self_normalised: of_share(given(whole.normalised(), &|| of_weighted(&whole))),
            doubly_robust: of_share(mean(sum, squares, variance)),
            difference: mean(difference, difference_squares, difference_variance),
            effective,
            mean_weight: mean(whole.w, whole.ww, whole.inverse - n),
        })
    }
}

/// Returns the interval of the sum of weighted rewards by the number of decisions: all values under which the one found
/// is not improbable. It is Wilson's where all weights are 1.
fn of_sum(sums: &Sums) -> Interval {
    let z = student(sums.heavy());
    let found = if sums.wr > 0.0 {
        sums.wwrr / sums.wr
    } else {
        0.0
    };
    // The mean of w over what is accepted.
    let weight = found.max(sums.inverse / sums.n);
    let (value, part) = (sums.wr / sums.n, z * z / sums.n);
    // The roots of (found - value)² = z² · (value · weight - value²) / n.
    roots(1.0 + part, value + part * weight / 2.0, value * value)
}

/// Returns the interval of a weighted mean: all values under which the one found is not improbable, with the spread of
/// rewards around each of them.
fn of_weighted(sums: &Sums) -> Interval {
    let z = student(sums.heavy());
    let (weight, zz) = (sums.w * sums.w, z * z);
    // The roots of (found - value)² = z² · variance(value).
    let by_found = roots(
        weight - zz * sums.ww,
        sums.w * sums.wr - zz * sums.wwr,
        sums.wr * sums.wr - zz * sums.wwrr,
    );
    // The same with rewards that are all or nothing, and as many decisions as weights let expect.
    let (value, part) = (sums.normalised(), zz * sums.inverse / (sums.n * sums.n));
    let by_expected = roots(1.0 + part, value + part / 2.0, value * value);
    by_found.and(by_expected)
}

/// Returns the shares between which `square·x² − 2·middle·x + constant` is below zero: all, if it has no two roots.
fn roots(square: f64, middle: f64, constant: f64) -> Interval {
    if square <= 0.0 {
        return Interval::ALL;
    }
    let half = (middle * middle - square * constant).max(0.0).sqrt();
    Interval {
        low: (middle - half) / square,
        high: (middle + half) / square,
    }
}

/// Returns the standard error of a mean from sums.
pub(crate) fn standard_error(n: f64, sum: f64, squares: f64) -> f64 {
    let variance = (squares - sum * sum / n) / (n - 1.0);
    if n < 2.0 || !variance.is_finite() {
        return f64::INFINITY;
    }
    (variance.max(0.0) / n).sqrt()
}
