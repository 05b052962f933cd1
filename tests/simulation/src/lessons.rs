//! What becomes of messages is counted as the store counts it, and folded by the code of the gateway.

use std::{collections::HashMap, sync::Arc};

use gateway_core::{
    Learning,
    catalog::CatalogAgent,
    learning::{Counts, Lesson, Lessons},
};
use jiff::Timestamp;

/// What one decision teaches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taught {
    /// Whether the task was completed.
    pub(crate) completed: bool,
    /// Whether somebody accepted the result, where somebody looked.
    pub(crate) accepted: Option<bool>,
    pub(crate) cost: f64,
}

/// The lessons of a run.
#[derive(Debug)]
pub(crate) struct School {
    learning: Learning,
    counts: HashMap<(usize, i64), Counts>,
    lessons: Lessons,
    revision: i64,
}

impl School {
    pub(crate) fn new(learning: Learning) -> Self {
        Self {
            learning,
            counts: HashMap::new(),
            lessons: Lessons::default(),
            revision: 0,
        }
    }

    /// Counts a decision about an agent, and hands the agent what follows from all of them.
    pub(crate) fn teach(
        &mut self,
        agent: (usize, &CatalogAgent),
        skill: &str,
        taught: Taught,
        at: Timestamp,
    ) {
        let (position, agent) = agent;
        let day = at.as_second().div_euclid(24 * 60 * 60);
        let counts = self.counts.entry((position, day)).or_default();
        // Feedback takes the place of what the task itself said.
        match (taught.accepted, taught.completed) {
            (Some(true), _) => counts.accepted += 1.0,
            (Some(false), _) => counts.refused += 1.0,
            (None, true) => counts.completed += 1.0,
            (None, false) => counts.failed += 1.0,
        }
        counts.costs += 1.0;
        counts.cost += taught.cost;
        self.revision += 1;
        self.lessons.take_in(vec![Lesson {
            revision: self.revision,
            agent: agent.spec.id.clone(),
            skill: Some(skill.to_owned()),
            day,
            counts: *counts,
        }]);
        let learned = self.lessons.fold(&agent.spec.id, self.learning, at);
        agent.stats.learned.store(Arc::new(learned));
    }
}
