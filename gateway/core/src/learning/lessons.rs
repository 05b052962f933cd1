//! The lessons that are known, and what they say about each agent.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::{
    Learning,
    folded::{Folded, LearnedSkills},
    lesson::{Counts, Lesson, day_of},
};
use crate::agent::AgentId;

/// The lessons of all agents, up to a revision.
#[derive(Debug, Default)]
pub struct Lessons {
    pub(super) revision: i64,
    agents: HashMap<AgentId, BTreeMap<String, BTreeMap<i64, Counts>>>,
}

impl Lessons {
    /// Takes lessons in, each in place of what was known of its day; returns the agents about whom something changed.
    pub fn take_in(&mut self, lessons: Vec<Lesson>) -> Vec<AgentId> {
        let mut changed = Vec::new();
        for lesson in lessons {
            self.revision = self.revision.max(lesson.revision);
            if changed.last() != Some(&lesson.agent) {
                changed.push(lesson.agent.clone());
            }
            let skills = self.agents.entry(lesson.agent).or_default();
            let days = skills.entry(lesson.skill.unwrap_or_default()).or_default();
            days.insert(lesson.day, lesson.counts);
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Returns what was learned about an agent. What is too old to count is dropped.
    pub fn fold(&mut self, agent: &AgentId, learning: Learning, now: Timestamp) -> LearnedSkills {
        let mut learned = LearnedSkills::default();
        let oldest = day_of(
            now.checked_sub(learning.horizon())
                .unwrap_or(Timestamp::MIN),
        );
        for (skill, days) in self.agents.get_mut(agent).into_iter().flatten() {
            days.retain(|day, _| *day >= oldest);
            let days = days.iter().map(|(day, counts)| (*day, counts));
            learned.insert(skill.clone(), Folded::of(learning, days, now));
        }
        learned
    }
}
