//! How much of the past is kept.

use std::time::Duration;

/// How long and how many decisions are kept; the default keeps everything.
///
/// What is over a limit goes in the background, oldest first, together with its candidates and with tasks
/// that have ended and that no other decision led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// The age from which on decisions, and contexts nobody used since, are removed.
    pub max_age: Option<Duration>,
    /// The number of decisions above which the oldest are removed.
    pub max_decisions: Option<u64>,
    /// The age from which on lessons are removed; they outlive the decisions they come from.
    pub max_lesson_age: Option<Duration>,
}

impl Retention {
    /// Tells whether nothing is ever removed.
    pub(crate) fn keeps_everything(self) -> bool {
        self == Self::default()
    }
}
