//! What reward is expected of an action: its mean, drawn to the mean of all where little is known.

use std::collections::HashMap;

use crate::{action::Action, fold::FOLDS};

/// The mean of all counts as this many decisions.
const STRENGTH: f64 = 5.0;

/// Rewards by action and part. What is expected in one part is learned in the others.
#[derive(Debug, Default)]
pub(super) struct Model {
    actions: HashMap<Action, [Seen; FOLDS]>,
    all: [Seen; FOLDS],
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    n: f64,
    sum: f64,
}

impl Model {
    pub(super) fn learn(&mut self, fold: usize, action: Action, reward: f64) {
        let folds = self.actions.entry(action).or_default();
        for seen in folds
            .get_mut(fold)
            .into_iter()
            .chain(self.all.get_mut(fold))
        {
            seen.n += 1.0;
            seen.sum += reward;
        }
    }

    /// Returns the expected reward in a part. Nobody has no result that could be accepted.
    pub(super) fn expects(&self, fold: usize, action: Action) -> f64 {
        if action == Action::NOBODY {
            return 0.0;
        }
        let all = elsewhere(&self.all, fold);
        let mean = if all.n > 0.0 { all.sum / all.n } else { 0.5 };
        let of_action = self.actions.get(&action);
        let seen = of_action.map_or_else(Seen::default, |seen| elsewhere(seen, fold));
        (seen.sum + STRENGTH * mean) / (seen.n + STRENGTH)
    }
}

/// Sums up all parts but one.
fn elsewhere(folds: &[Seen; FOLDS], but: usize) -> Seen {
    let others = folds.iter().enumerate().filter(|(fold, _)| *fold != but);
    others.fold(Seen::default(), |sum, (_, seen)| Seen {
        n: sum.n + seen.n,
        sum: sum.sum + seen.sum,
    })
}
