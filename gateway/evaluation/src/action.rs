//! Actions: a skill of an agent, as a small number.

use std::collections::HashMap;

use gateway_core::{AgentId, decision::Candidate};

/// A file of other making could name a million; beyond this many they count as one.
const MOST: usize = 10_000;

/// A skill of an agent, or nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Action(u32);

impl Action {
    /// The choice of nobody.
    pub(crate) const NOBODY: Self = Self(0);
    /// All that came too late to have a number.
    const OTHER: Self = Self(1);
}

/// Numbers actions in the order they are met.
#[derive(Debug, Default)]
pub(crate) struct Actions {
    known: HashMap<AgentId, HashMap<String, Action>>,
    count: usize,
}

impl Actions {
    pub(crate) fn of(&mut self, candidate: Option<&Candidate>) -> Action {
        let Some(candidate) = candidate else {
            return Action::NOBODY;
        };
        let skill = candidate.skill.as_deref().unwrap_or_default();
        let known = self.known.get(&candidate.agent);
        if let Some(action) = known.and_then(|skills| skills.get(skill)) {
            return *action;
        }
        if self.count >= MOST {
            return Action::OTHER;
        }
        self.count += 1;
        let action = Action(u32::try_from(self.count).unwrap_or_default() + 1);
        let skills = self.known.entry(candidate.agent.clone()).or_default();
        skills.insert(skill.to_owned(), action);
        action
    }
}

#[cfg(test)]
pub(crate) fn numbered(number: usize) -> Action {
    Action(u32::try_from(number).unwrap() + 2)
}
