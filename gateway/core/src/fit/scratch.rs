//! Memory for scoring one message, kept by the thread for its next message.
//!
//! Tables by skill and by agent are as large as the catalog. Each message leaves them zeroed, by undoing only
//! what it touched, so that none of them is allocated or cleared for a message.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use super::index::Match;

/// What scoring one message needs.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What was found, in no particular order.
    pub(super) matches: Vec<Match>,
    /// Agents that were found, each once.
    pub(super) agents: Vec<usize>,
    /// By skill: its place in `matches` plus one.
    by_skill: Vec<u32>,
    /// By agent: the place of its best match plus one.
    by_agent: Vec<u32>,
}

thread_local! {
    static KEPT: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Scratch memory of a thread, given back when dropped.
#[derive(Debug, Default)]
pub(super) struct Borrowed(Box<Scratch>);

impl Borrowed {
    /// Takes the memory this thread has kept.
    pub(super) fn take() -> Self {
        Self(KEPT.take().unwrap_or_default())
    }
}

impl Deref for Borrowed {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        &self.0
    }
}

impl DerefMut for Borrowed {
    fn deref_mut(&mut self) -> &mut Scratch {
        &mut self.0
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let mut scratch = std::mem::take(&mut self.0);
        scratch.clear();
        KEPT.set(Some(scratch));
    }
}

impl Scratch {
    /// Makes room for a catalog.
    pub(super) fn resize(&mut self, skills: usize, agents: usize) {
        let (skills, agents) = (
            skills.max(self.by_skill.len()),
            agents.max(self.by_agent.len()),
        );
        self.by_skill.resize(skills, 0);
        self.by_agent.resize(agents, 0);
    }

    /// Returns the match of a skill, a new one on the first call for it.
    pub(super) fn matched(&mut self, skill: u32) -> Option<&mut Match> {
        let slot = self.by_skill.get_mut(skill as usize)?;
        if *slot == 0 {
            self.matches.push(Match::new(skill));
            *slot = u32::try_from(self.matches.len()).ok()?;
        }
        self.matches.get_mut((*slot - 1) as usize)
    }

    /// Keeps a match if it is the best of its agent so far.
    pub(super) fn keep_best(&mut self, agent: usize, place: usize, matched: &Match) {
        let Some(slot) = self.by_agent.get_mut(agent) else {
            return;
        };
        if *slot == 0 {
            self.agents.push(agent);
        } else {
            let held = self.matches.get((*slot - 1) as usize);
            if held.is_some_and(|held| held.order(matched).is_lt()) {
                return;
            }
        }
        *slot = u32::try_from(place + 1).unwrap_or(0);
    }

    /// Returns the best match of an agent.
    pub(super) fn best(&self, agent: usize) -> Option<&Match> {
        let slot = *self.by_agent.get(agent)? as usize;
        self.matches.get(slot.checked_sub(1)?)
    }

    fn clear(&mut self) {
        for matched in self.matches.drain(..) {
            if let Some(slot) = self.by_skill.get_mut(matched.position as usize) {
                *slot = 0;
            }
        }
        for agent in self.agents.drain(..) {
            if let Some(slot) = self.by_agent.get_mut(agent) {
                *slot = 0;
            }
        }
    }
}
