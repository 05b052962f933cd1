//! What the store counts of the decisions of one day.

use jiff::Timestamp;

use crate::agent::AgentId;

/// Seconds of a day.
pub(super) const DAY: i64 = 24 * 60 * 60;

/// What the decisions of one day have taught about a skill of an agent. Each decision counts once, by the last that is
/// known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// Grows with every change of any lesson.
    pub revision: i64,
    /// The agent.
    pub agent: AgentId,
    /// The skill; `None` for decisions that named none.
    pub skill: Option<String>,
    /// Days since 1970, in UTC.
    pub day: i64,
    /// What was counted.
    pub counts: Counts,
}

/// Numbers of decisions, by what is known of them. Feedback takes the place of what the task itself said.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Tasks that were completed.
    pub completed: f64,
    /// Tasks that failed, were rejected, or were canceled without the caller asking for it.
    pub failed: f64,
    /// Direct messages.
    pub messages: f64,
    /// The accepted share of results somebody judged, summed.
    pub accepted: f64,
    /// The refused share of them.
    pub refused: f64,
    /// Decisions whose cost is known.
    pub costs: f64,
    /// The sum of their costs.
    pub cost: f64,
}

impl Counts {
    /// Returns the number of decisions that say something about quality.
    #[must_use]
    pub fn judged(&self) -> f64 {
        self.completed + self.failed + self.messages + self.accepted + self.refused
    }
}

/// Returns the day of a moment, in UTC.
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(DAY)
}

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forget {
    /// The agent.
    pub agent: AgentId,
    /// One skill, or everything about the agent.
    pub skill: Option<String>,
    /// When that was asked for.
    pub at: Timestamp,
}
