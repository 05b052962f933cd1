//! What share of results is accepted: as it was, and with the new choices.

use gateway_core::decision::RouteDecision;

use super::count;
use crate::{
    action::Actions,
    estimate::{Cells, Estimates, Observation},
    fold::fold_of,
    interval::{Interval, rate},
    propensity::{are_proper, propensity, took_part},
    rechoice::Rechoice,
    report::{Accepted, OffPolicy, Range, Unjudged},
    result::{Judged, judge},
};

/// What became of the decisions so far.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    actions: Actions,
    unjudged: Unjudged,
    improper: u64,
    /// Decisions whose result is known.
    judged: Sum,
    matched: Sum,
    /// Those that the estimators are about.
    supported: Sum,
    cells: Cells,
    /// Those whose new choice could not have been taken, as far as the record tells: nobody knows what it is worth.
    unsupported: u64,
    /// Those that cannot be made again.
    undecided: u64,
    /// Whether chance had a part in one of those.
    chance: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    n: u64,
    reward: f64,
}

impl Outcomes {
    /// Adds a decision; returns how far its result was accepted, if it counts.
    pub(super) fn add(
        &mut self,
        decision: &RouteDecision,
        rechoice: &Rechoice<'_, '_>,
    ) -> Option<f64> {
        let reward = self.reward(decision)?;
        if !are_proper(decision) {
            self.improper += 1;
            self.judged.add(reward);
            self.unsupported += 1;
            return Some(reward);
        }
        let fold = fold_of(&decision.id);
        let logged = self.actions.of(rechoice.logged);
        let matched = rechoice.is_matched();
        self.cells.learn(fold, logged, reward);
        self.judged.add(reward);
        if matched {
            self.matched.add(reward);
        }
        let winner = rechoice.winner();
        let propensity = match winner {
            Some(winner) => propensity(decision, winner),
            // What nobody does is not accepted; that is certain.
            None => Some(1.0),
        };
        if let Some(propensity) = propensity {
            self.supported.add(reward);
            self.chance |= took_part(decision);
            self.cells.add(Observation {
                fold,
                logged,
                after: self.actions.of(winner),
                matched,
                propensity,
                reward,
            });
        } else {
            self.unsupported += 1;
        }
        Some(reward)
    }

    /// Adds a decision that cannot be made again: whatever would become of it is possible.
    pub(super) fn add_undecided(&mut self, decision: &RouteDecision) {
        if let Some(reward) = self.reward(decision) {
            self.judged.add(reward);
            self.undecided += 1;
        }
    }

    /// Returns how far a result was accepted; counts those of which nobody knows.
    fn reward(&mut self, decision: &RouteDecision) -> Option<f64> {
        let unjudged = &mut self.unjudged;
        match judge(decision) {
            Judged::Accepted(reward) => return Some(reward),
            Judged::Canceled => unjudged.canceled += 1,
            Judged::Open => unjudged.open += 1,
            Judged::NotSent => unjudged.not_sent += 1,
        }
        None
    }

    pub(super) fn unjudged(&self) -> Unjudged {
        self.unjudged
    }

    pub(super) fn improper(&self) -> u64 {
        self.improper
    }

    pub(super) fn accepted(&self) -> Accepted {
        let estimates = self.cells.estimates();
        let before = rate(self.judged.reward, self.judged.n);
        let known = self.known(estimates.as_ref());
        let gain = self.gain(estimates.as_ref());
        let (all, open) = (
            count(self.judged.n),
            count(self.unsupported + self.undecided),
        );
        // Of the others, what was accepted may all be lost, and the rest be won.
        let lost = self.judged.reward - self.supported.reward;
        let range = |low: f64, high: f64| Range {
            low: low / all,
            high: high / all,
        };
        let off_policy = estimates
            .filter(|_| self.chance)
            .map(|estimates| OffPolicy {
                decisions: self.supported.n,
                unsupported: self.unsupported,
                inverse_propensity: estimates.inverse_propensity,
                self_normalised: estimates.self_normalised,
                doubly_robust: estimates.doubly_robust,
                difference: estimates.difference,
                effective_sample_size: estimates.effective,
                mean_weight: estimates.mean_weight,
            });
        Accepted {
            before,
            matched: rate(self.matched.reward, self.matched.n),
            after: before.map(|_| range(known.low, known.high + open)),
            difference: before.map(|_| range(gain.low - lost, gain.high + open - lost)),
            off_policy,
        }
    }

    /// Returns how many results of the decisions that estimators are about would be accepted: exactly, where all that is
    /// new was certain then as well, else within the interval of the estimate.
    fn known(&self, estimates: Option<&Estimates>) -> Interval {
        let n = count(self.supported.n);
        let within = match estimates {
            Some(estimates) if self.chance => {
                estimates.doubly_robust.interval.unwrap_or(Interval::ALL)
            }
            Some(estimates) => Interval::at(estimates.doubly_robust.value),
            None => Interval::at(0.0),
        };
        within.times(n)
    }

    /// Returns how many more than there were.
    fn gain(&self, estimates: Option<&Estimates>) -> Interval {
        let Sum { n, reward } = self.supported;
        match estimates {
            Some(estimates) if self.chance => match estimates.difference.interval {
                Some(interval) => interval.times(count(n)),
                None => Interval {
                    low: -reward,
                    high: count(n) - reward,
                },
            },
            Some(estimates) => Interval::at(estimates.difference.value).times(count(n)),
            None => Interval::at(0.0),
        }
    }
}

impl Sum {
    fn add(&mut self, reward: f64) {
        self.n += 1;
        self.reward += reward;
    }
}
