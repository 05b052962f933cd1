//! Lessons folded into numbers that fade, and the quality and cost that follow from them.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    FEEDBACK_WEIGHT, Learning, MESSAGE_WEIGHT, MIN_COSTS,
    lesson::{Counts, day_of},
};

/// What was learned about the skills of one agent; decisions that named no skill stand under the empty name.
#[derive(Debug, Clone, Default)]
pub struct LearnedSkills {
    skills: BTreeMap<String, Folded>,
}

/// Evidence about one skill, weighed and faded up to a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Folded {
    learning: Learning,
    /// The day up to which everything has faded.
    as_of: i64,
    successes: f64,
    failures: f64,
    decisions: f64,
    costs: f64,
    cost: f64,
    known_costs: f64,
}

/// The expected share of accepted results: the mean of a Beta distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// What is expected.
    pub value: f64,
    /// What the configuration says.
    pub prior: f64,
    /// What evidence alone says; the prior where there is none.
    pub mean: f64,
    /// The share of the value that evidence has, in [0,1).
    pub weight: f64,
    /// How many decisions it was learned from.
    pub decisions: u64,
}

/// The cost that decisions had, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedCost {
    /// Their mean, newer ones weighing more.
    pub mean: f64,
    /// How many there were.
    pub known: u64,
}

impl LearnedCost {
    /// Tells whether there are enough to rely on.
    #[must_use]
    pub fn suffices(&self) -> bool {
        self.known >= MIN_COSTS
    }
}

impl LearnedSkills {
    pub(super) fn insert(&mut self, skill: String, folded: Folded) {
        self.skills.insert(skill, folded);
    }

    /// Returns what was learned about a skill, or about decisions that named none.
    #[must_use]
    pub fn of(&self, skill: Option<&str>) -> Option<&Folded> {
        self.skills.get(skill.unwrap_or_default())
    }

    /// Returns the names of all skills that something was learned about; the empty one stands for none.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.skills.keys().map(String::as_str)
    }
}

impl Folded {
    /// Folds the counts of days, in any order. Evidence fades from day to day, so that all messages of a day are decided
    /// by the same numbers unless something was learned.
    pub fn of<'a>(
        learning: Learning,
        days: impl IntoIterator<Item = (i64, &'a Counts)>,
        as_of: Timestamp,
    ) -> Self {
        let mut folded = Self {
            learning,
            as_of: day_of(as_of),
            successes: 0.0,
            failures: 0.0,
            decisions: 0.0,
            costs: 0.0,
            cost: 0.0,
            known_costs: 0.0,
        };
        for (day, counts) in days {
            folded.add(counts, day_of(as_of) - day);
        }
        folded
    }

    fn add(&mut self, counts: &Counts, days: i64) {
        let weight = self.learning.fade(days);
        // Feedback that was replaced leaves rounding errors behind, on either side of zero.
        let of = |count: f64| count.max(0.0);
        self.successes += weight
            * (of(counts.completed)
                + MESSAGE_WEIGHT * of(counts.messages)
                + FEEDBACK_WEIGHT * of(counts.accepted));
        self.failures += weight * (of(counts.failed) + FEEDBACK_WEIGHT * of(counts.refused));
        self.decisions += of(counts.judged());
        self.costs += weight * of(counts.costs);
        self.cost += weight * of(counts.cost);
        self.known_costs += of(counts.costs);
    }

    /// Returns the quality at a moment, starting from what the configuration says.
    #[must_use]
    pub fn quality(&self, prior: f64, at: Timestamp) -> Quality {
        let fade = self.learning.fade(day_of(at) - self.as_of);
        let (successes, failures) = (self.successes * fade, self.failures * fade);
        let evidence = successes + failures;
        let strength = self.learning.prior_strength;
        let mean = if evidence > 0.0 {
            successes / evidence
        } else {
            prior
        };
        Quality {
            value: (strength * prior + successes) / (strength + evidence),
            prior,
            mean,
            weight: evidence / (strength + evidence),
            decisions: whole(self.decisions),
        }
    }

    /// Returns the mean cost; `None` where no cost is known.
    #[must_use]
    pub fn cost(&self) -> Option<LearnedCost> {
        (self.costs > 0.0).then(|| LearnedCost {
            mean: self.cost / self.costs,
            known: whole(self.known_costs),
        })
    }

    /// Returns the evidence for and against at a moment, in completed and failed tasks.
    #[must_use]
    pub fn evidence(&self, at: Timestamp) -> (f64, f64) {
        let fade = self.learning.fade(day_of(at) - self.as_of);
        (self.successes * fade, self.failures * fade)
    }
}

impl Quality {
    /// Returns the quality of which nothing was learned yet.
    #[must_use]
    pub fn of_prior(prior: f64) -> Self {
        Self {
            value: prior,
            prior,
            mean: prior,
            weight: 0.0,
            decisions: 0,
        }
    }

    /// Returns the strength of the Beta distribution that the value is the mean of: how many tasks prior and evidence
    /// weigh together, of which the prior has `prior_strength`.
    #[must_use]
    pub fn strength(&self, prior_strength: f64) -> f64 {
        prior_strength / (1.0 - self.weight)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a sum of counts of decisions, not negative and far below 2^53"
)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

#[cfg(test)]
mod tests;
