//! Memory for scoring one message, kept by the thread for its next message.
//!
//! Tables by skill and by agent are as large as the catalog. Each message leaves them zeroed, by undoing only
//! what it touched, so that none of them is allocated or cleared for a message.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use super::calibrate::Evidence;
use super::dictionary::Posting;
use super::index::Match;

/// What scoring one message needs.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// By skill.
    sums: Vec<Sum>,
    /// Skills with a sum.
    skills: Vec<u32>,
    /// By agent: the best of its skills.
    best: Vec<Option<Match>>,
    /// Agents that were found, each once.
    pub(super) agents: Vec<usize>,
    /// What a first look at each card's meaning brought: log-odds, closeness and agent.
    pub(super) glances: Vec<(f32, f32, usize)>,
}

/// What speaks for one skill so far.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    evidence: Evidence,
    /// The number of the latest word counted, 0 for none, and what it brought.
    word: u32,
    strength: f32,
    gain: f32,
    cover: f32,
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
        if self.sums.len() < skills {
            self.sums.resize(skills, Sum::default());
        }
        if self.best.len() < agents {
            self.best.resize(agents, None);
        }
    }

    /// Counts a term of a word, numbered from 1, for a skill.
    pub(super) fn add(&mut self, posting: &Posting, word: u32, strength: f32, cover: f32) {
        let Some(sum) = self.sums.get_mut(posting.skill as usize) else {
            return;
        };
        if sum.word == 0 {
            self.skills.push(posting.skill);
        }
        sum.add(word, strength, [cover, cover * posting.impact]);
    }

    /// Keeps the best skill of each agent; `of` tells agent and match of a skill, or that it is not wanted.
    pub(super) fn choose_best(&mut self, of: impl Fn(u32, &Evidence) -> Option<(usize, Match)>) {
        for position in &self.skills {
            let sum = self.sums.get(*position as usize);
            let Some((agent, matched)) = sum.and_then(|sum| of(*position, &sum.evidence)) else {
                continue;
            };
            let Some(best) = self.best.get_mut(agent) else {
                continue;
            };
            if best.is_none_or(|held| matched.order(&held).is_lt())
                && best.replace(matched).is_none()
            {
                self.agents.push(agent);
            }
        }
    }

    /// Keeps a match as the best of an agent, whatever was known before.
    pub(super) fn judge(&mut self, agent: usize, matched: Match) {
        if let Some(best) = self.best.get_mut(agent)
            && best.replace(matched).is_none()
        {
            self.agents.push(agent);
        }
    }

    /// Returns the best match of an agent.
    pub(super) fn best(&self, agent: usize) -> Option<&Match> {
        self.best.get(agent)?.as_ref()
    }

    /// Returns what speaks for a skill.
    pub(super) fn evidence(&self, position: u32) -> Evidence {
        let sum = self.sums.get(position as usize);
        sum.map_or_else(Evidence::default, |sum| sum.evidence)
    }

    fn clear(&mut self) {
        for skill in self.skills.drain(..) {
            if let Some(sum) = self.sums.get_mut(skill as usize) {
                *sum = Sum::default();
            }
        }
        for agent in self.agents.drain(..) {
            if let Some(best) = self.best.get_mut(agent) {
                *best = None;
            }
        }
    }
}

impl Sum {
    /// Counts a term of a word; of the terms of one word only the strongest counts.
    fn add(&mut self, word: u32, strength: f32, [cover, gain]: [f32; 2]) {
        if self.word != word {
            (self.word, self.strength, self.gain, self.cover) = (word, 0.0, 0.0, 0.0);
        }
        if strength > self.strength {
            self.evidence.matches += strength - self.strength;
            self.strength = strength;
        }
        if gain > self.gain {
            self.evidence.total += gain - self.gain;
            self.evidence.best = self.evidence.best.max(gain);
            self.gain = gain;
        }
        if cover > self.cover {
            self.evidence.covered += cover - self.cover;
            self.cover = cover;
        }
    }
}
