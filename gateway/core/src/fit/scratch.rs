//! Memory for scoring one message, kept by the thread for its next message.
//!
//! Tables by skill and by agent are as large as the catalog. Each message leaves them as it found them, by undoing only
//! what it touched, so that none of them is allocated or cleared for a message.

use std::cell::Cell;
use std::ops::{Deref, DerefMut, Range};

use super::block::{Block, Judged};
use super::calibrate::Curve;
use super::index::Match;

/// What scoring one message needs.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The block of skills that is looked at.
    pub(super) block: Block,
    /// By skill: what words say of it.
    words: Vec<Judged>,
    /// Which parts of that table are used.
    used: Vec<Range<usize>>,
    /// By agent: the best of its skills.
    best: Vec<Option<Match>>,
    /// Agents that were found, each once.
    pub(super) agents: Vec<usize>,
    /// What a first look at each card's meaning brought: log-odds, closeness and agent.
    pub(super) glances: Vec<(f32, f32, usize)>,
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
        if self.words.len() < skills {
            self.words.resize(skills, Judged::NOTHING);
        }
        if self.best.len() < agents {
            self.best.resize(agents, None);
        }
    }

    /// Judges the skills of the block by their evidence; `breadths` are those of all skills.
    pub(super) fn judge_block(&mut self, skills: &Range<u32>, curve: Curve, breadths: &[f32]) {
        let range = skills.start as usize..skills.end as usize;
        if let (Some(breadths), Some(words)) = (
            breadths.get(range.clone()),
            self.words.get_mut(range.clone()),
        ) {
            self.block.judge(curve, breadths, words);
            self.used.push(range);
        }
    }

    /// Returns the best of an agent's skills in the block that have evidence and are wanted.
    pub(super) fn best_of(
        &self,
        skills: Range<u32>,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Option<Match> {
        if !self.block.is_touched_in(&skills) {
            return None;
        }
        let words = self.words.get(skills.start as usize..skills.end as usize)?;
        let (mut best, mut highest) = (skills.start, Judged::NOTHING);
        for (position, judged) in skills.zip(words) {
            // No branch where all are wanted: which skill is best is nothing that a processor could foresee.
            let is_better = judged.log_odds > highest.log_odds && is_wanted(position);
            best = if is_better { position } else { best };
            highest = if is_better { *judged } else { highest };
        }
        let is_found = highest.log_odds > Judged::NOTHING.log_odds;
        is_found.then(|| Match::by_words(best, highest))
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

    /// Returns what words say of a skill, if they say anything.
    pub(super) fn words(&self, position: u32) -> Option<Judged> {
        let judged = self.words.get(position as usize).copied();
        judged.filter(|judged| judged.log_odds > Judged::NOTHING.log_odds)
    }

    fn clear(&mut self) {
        for range in self.used.drain(..) {
            if let Some(words) = self.words.get_mut(range) {
                words.fill(Judged::NOTHING);
            }
        }
        for agent in self.agents.drain(..) {
            if let Some(best) = self.best.get_mut(agent) {
                *best = None;
            }
        }
    }
}
