//! Sums over decisions of the same part, with the same action logged and the same one chosen.

use std::collections::BTreeMap;

use super::{Observation, model::Model};
use crate::action::Action;

/// The sums of all decisions.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    cells: BTreeMap<(usize, Action, Action), Sums>,
    model: Model,
}

/// Sums of a weight w, which is 0 unless the choice is the logged one and else 1 over its propensity, and a reward r.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) n: f64,
    /// Of 1 over the propensity of the choice, taken or not: what is to be expected of w².
    pub(super) inverse: f64,
    pub(super) r: f64,
    pub(super) rr: f64,
    pub(super) w: f64,
    pub(super) wr: f64,
    pub(super) wrr: f64,
    pub(super) ww: f64,
    pub(super) wwr: f64,
    pub(super) wwrr: f64,
    pub(super) wwww: f64,
}

/// Sums of what each decision adds to the doubly robust estimate, and of its difference to the reward.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Corrected {
    pub(super) sum: f64,
    pub(super) squares: f64,
    /// The variance that chance gives the sum, as expected.
    pub(super) variance: f64,
    pub(super) difference: f64,
    pub(super) difference_squares: f64,
    /// The variance that chance gives the difference, as expected.
    pub(super) difference_variance: f64,
}

impl Cells {
    /// Adds a decision whose new choice could have been taken then.
    pub(crate) fn add(&mut self, observation: Observation) {
        let Observation {
            fold,
            logged,
            after,
            matched,
            propensity,
            reward,
        } = observation;
        // That nobody's result is not accepted is known without anybody having tried.
        let (weight, result) = match after {
            Action::NOBODY => (1.0, 0.0),
            _ if matched => (1.0 / propensity, reward),
            _ => (0.0, reward),
        };
        let sums = self.cells.entry((fold, logged, after)).or_default();
        sums.merge(&Sums {
            n: 1.0,
            inverse: 1.0 / propensity,
            r: reward,
            rr: reward * reward,
            w: weight,
            wr: weight * result,
            wrr: weight * result * reward,
            ww: weight * weight,
            wwr: weight * weight * result,
            wwrr: weight * weight * result * result,
            wwww: weight.powi(4),
        });
    }

    /// Lets the model of rewards learn from a decision.
    pub(crate) fn learn(&mut self, fold: usize, logged: Action, reward: f64) {
        self.model.learn(fold, logged, reward);
    }

    pub(super) fn whole(&self) -> Sums {
        let mut whole = Sums::default();
        for sums in self.cells.values() {
            whole.merge(sums);
        }
        whole
    }

    pub(super) fn corrected(&self) -> Corrected {
        let mut corrected = Corrected::default();
        for ((fold, logged, after), sums) in &self.cells {
            let expected = self.model.expects(*fold, *after);
            let usual = match *after {
                Action::NOBODY => expected,
                _ => self.model.expects(*fold, *logged),
            };
            corrected.add(sums, expected, usual);
        }
        corrected
    }
}

impl Sums {
    /// Returns how many decisions with equal weights would say as much, by the weights there are and by those that were
    /// to be expected: heavy ones that happened to be missing are missed all the same.
    pub(super) fn effective(&self) -> f64 {
        if self.ww > 0.0 {
            let found = self.w * self.w / self.ww;
            found.min(self.n * self.n / self.inverse)
        } else {
            0.0
        }
    }

    /// Returns how many decisions with equal weights would make up the variance alike: heavy weights are few.
    pub(super) fn heavy(&self) -> f64 {
        if self.wwww > 0.0 {
            self.ww * self.ww / self.wwww
        } else {
            0.0
        }
    }

    /// Returns the mean reward by weight.
    pub(super) fn normalised(&self) -> f64 {
        if self.w > 0.0 { self.wr / self.w } else { 0.0 }
    }

    fn merge(&mut self, other: &Self) {
        self.n += other.n;
        self.inverse += other.inverse;
        self.r += other.r;
        self.rr += other.rr;
        self.w += other.w;
        self.wr += other.wr;
        self.wrr += other.wrr;
        self.ww += other.ww;
        self.wwr += other.wwr;
        self.wwrr += other.wwrr;
        self.wwww += other.wwww;
    }
}

impl Corrected {
    /// Adds `a + w·(r − b)` for each decision of a cell, and that less `r`, with their squares multiplied out. Rewards are
    /// expected to spread around `a` as those do that are all or nothing.
    fn add(&mut self, sums: &Sums, a: f64, b: f64) {
        let pull = sums.wr - b * sums.w;
        let pull_squares = sums.wwrr - 2.0 * b * sums.wwr + b * b * sums.ww;
        let pull_times_reward = sums.wrr - b * sums.wr;
        let spread = a * (1.0 - a);
        self.variance += spread * sums.inverse;
        self.difference_variance += spread * (sums.inverse - sums.n);
        self.sum += a * sums.n + pull;
        self.squares += a * a * sums.n + 2.0 * a * pull + pull_squares;
        self.difference += a * sums.n - sums.r + pull;
        self.difference_squares += a * a * sums.n - 2.0 * a * sums.r
            + sums.rr
            + 2.0 * (a * pull - pull_times_reward)
            + pull_squares;
    }
}
