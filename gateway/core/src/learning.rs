//! Learning from what became of decisions: how good the results of each skill are, and what they cost.
//!
//! The store counts what decisions have taught, per agent, skill and day, in the transaction that tells how a decision
//! ended. What the counts mean is said here: how much each kind of evidence weighs, how it fades, and what is assumed
//! before there is any. Nothing here reads a clock.

mod folded;
mod learner;
mod lesson;
mod lessons;
mod recall;

use std::time::Duration;

pub use folded::{Folded, LearnedCost, LearnedSkills, Quality};
pub use learner::Learner;
pub use lesson::{Counts, Forget, Lesson};
pub use lessons::Lessons;

/// A direct message counts as this share of a completed task: it says that the agent answered, and not that the answer
/// was the result asked for.
pub const MESSAGE_WEIGHT: f64 = 0.25;

/// Feedback counts as this many completed or failed tasks, because whoever gives it has looked at the result.
pub const FEEDBACK_WEIGHT: f64 = 4.0;

/// The learned cost replaces the configured one from this many known costs on.
pub const MIN_COSTS: u64 = 5;

/// Evidence older than this many half-lives weighs less than 1/1000 and is dropped.
pub const HALF_LIVES: u32 = 10;

/// How fast is learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// How many completed or failed tasks the configured quality weighs as much as; above zero.
    pub prior_strength: f64,
    /// After this time evidence weighs half.
    pub half_life: Duration,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            prior_strength: 10.0,
            half_life: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

impl Learning {
    /// Returns the age from which on evidence is dropped.
    #[must_use]
    pub fn horizon(&self) -> Duration {
        self.half_life.saturating_mul(HALF_LIVES)
    }

    /// Returns what evidence of so many days ago weighs, in (0,1]. Clocks that run apart make nothing younger than new.
    #[expect(clippy::cast_precision_loss, reason = "days of a calendar")]
    fn fade(&self, days: i64) -> f64 {
        let seconds = days.max(0) as f64 * lesson::DAY as f64;
        (-seconds / self.half_life.as_secs_f64()).exp2()
    }
}
