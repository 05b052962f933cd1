//! What results cost: as reported or expected, and as expected where the choice changes.

use std::collections::BTreeSet;

use gateway_core::decision::{Candidate, RouteDecision};

use super::count;
use crate::{
    rechoice::Rechoice,
    report::{Accepted, BeforeAfter, Costs, Range},
    result::cost,
};

/// More currencies are not named.
const MOST_CURRENCIES: usize = 8;

/// Sums over decisions whose result and costs are known.
#[derive(Debug, Default)]
pub(super) struct Money {
    n: u64,
    before: f64,
    after: f64,
    reward: f64,
    currencies: BTreeSet<String>,
}

impl Money {
    pub(super) fn add(
        &mut self,
        decision: &RouteDecision,
        rechoice: &Rechoice<'_, '_>,
        reward: f64,
    ) {
        let before = cost(decision);
        let after = match rechoice.winner() {
            None => Some(0.0),
            Some(_) if rechoice.is_matched() => before,
            Some(winner) => winner.signals.as_ref().map(|signals| signals.cost.raw),
        };
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        self.n += 1;
        self.before += before;
        self.after += after;
        self.reward += reward;
        for candidate in rechoice.logged.into_iter().chain(rechoice.winner()) {
            self.note_currency(candidate);
        }
    }

    fn note_currency(&mut self, candidate: &Candidate) {
        let why = candidate.signals.as_ref().map(|signals| &signals.cost.why);
        let Some(currency) = why.and_then(|why| why.first()) else {
            return;
        };
        if self.currencies.len() < MOST_CURRENCIES && !self.currencies.contains(currency) {
            self.currencies.insert(currency.clone());
        }
    }

    pub(super) fn costs(&self, accepted: &Accepted) -> Costs {
        let mean = |sum: f64| (self.n > 0).then(|| sum / count(self.n));
        let (before, after) = (mean(self.before), mean(self.after));
        let per_accepted_before = (self.reward > 0.0).then(|| self.before / self.reward);
        // The more is accepted, the less each costs; where perhaps nothing is, there is no upper end.
        let per_accepted_after = after.zip(accepted.after).and_then(|(cost, share)| {
            (share.low > 0.0).then(|| Range {
                low: cost / share.high,
                high: cost / share.low,
            })
        });
        let change = |cost: f64, before: f64| cost / before - 1.0;
        Costs {
            per_request: BeforeAfter { before, after },
            per_accepted_before,
            per_accepted_after,
            per_accepted_change: per_accepted_after
                .zip(per_accepted_before.filter(|before| *before > 0.0))
                .map(|(after, before)| Range {
                    low: change(after.low, before),
                    high: change(after.high, before),
                }),
            currencies: self.currencies.iter().cloned().collect(),
        }
    }
}
