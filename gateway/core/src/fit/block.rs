//! What speaks for the skills of one block: neighbours that a processor keeps at hand while every word is counted for
//! them.

use std::ops::Range;

use super::calibrate::{Curve, Evidence};
use super::dictionary::Posting;

/// Skills a block has, unless one agent alone has more: few enough for a processor's nearest memory.
pub(super) const SKILLS: usize = if cfg!(test) { 8 } else { 1024 };
/// Neighbours that are looked at together have one bit of `touched`, so that there are at most as many such groups.
const GROUPS: usize = u64::BITS as usize;
/// Skills of a group at least, as a power of two: as many as are computed at once.
const LEAST_SHIFT: u32 = 4;

/// The evidence of a block's skills; nothing between two blocks.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Position of its first skill.
    start: u32,
    evidence: Vec<Evidence>,
    /// What the word that is counted brings, of its terms the most.
    word: Vec<Evidence>,
    /// Groups with evidence, a bit for each.
    touched: u64,
    /// Skills of a group, as a power of two.
    shift: u32,
}

/// A term of a word that is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    /// How much the term stands for the word.
    pub(super) strength: f32,
    /// The same, less for a term that many agents have.
    pub(super) cover: f32,
}

impl Counted {
    /// Returns what the term brings to a skill of which it is a part.
    fn brings(self, impact: f32) -> Evidence {
        let gain = self.cover * impact;
        Evidence {
            total: gain,
            covered: self.cover,
            matches: self.strength,
            best: gain,
        }
    }
}

impl Block {
    /// Begins with the skills of these positions.
    pub(super) fn begin(&mut self, skills: &Range<u32>) {
        let length = skills.len();
        if self.evidence.len() < length {
            self.evidence.resize(length, Evidence::default());
            self.word.resize(length, Evidence::default());
        }
        self.start = skills.start;
        self.touched = 0;
        self.shift = LEAST_SHIFT;
        while length > GROUPS << self.shift {
            self.shift += 1;
        }
    }

    /// Counts the only term of a word.
    pub(super) fn add(&mut self, postings: &[Posting], counted: Counted) {
        for posting in postings {
            let at = (posting.skill - self.start) as usize;
            if let Some(evidence) = self.evidence.get_mut(at) {
                self.touched |= 1 << (at >> self.shift);
                evidence.add(counted.brings(posting.impact));
            }
        }
    }

    /// Counts one of several terms of a word, of which each skill gets the most; [`Block::end_word`] adds it up.
    pub(super) fn raise(&mut self, postings: &[Posting], counted: Counted) {
        for posting in postings {
            let at = (posting.skill - self.start) as usize;
            if let Some(word) = self.word.get_mut(at) {
                word.raise(counted.brings(posting.impact));
            }
        }
    }

    /// Adds up what was raised for the skills that have a term; a skill that has several is met with nothing left.
    pub(super) fn end_word(&mut self, postings: &[Posting]) {
        for posting in postings {
            let at = (posting.skill - self.start) as usize;
            if let (Some(evidence), Some(word)) = (self.evidence.get_mut(at), self.word.get_mut(at))
            {
                self.touched |= 1 << (at >> self.shift);
                evidence.add(std::mem::take(word));
            }
        }
    }

    /// Tells whether a skill may have evidence.
    pub(super) fn is_touched(&self) -> bool {
        self.touched != 0
    }

    /// Tells whether one of these skills may have evidence.
    pub(super) fn is_touched_in(&self, skills: &Range<u32>) -> bool {
        let group = |position: u32| (position - self.start) >> self.shift;
        let (first, last) = (group(skills.start), group(skills.end.saturating_sub(1)));
        let from_first = u64::MAX << first;
        let to_last = u64::MAX >> (u64::BITS - 1 - last);
        self.touched & from_first & to_last != 0
    }

    /// Judges all skills that have evidence. `breadths` and `into` have an entry for each skill of the block; that of a
    /// skill without evidence is left as it is or becomes [`Judged::NOTHING`].
    pub(super) fn judge(&self, curve: Curve, breadths: &[f32], into: &mut [Judged]) {
        let mut touched = self.touched;
        while touched != 0 {
            let group = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let from = group << self.shift;
            let to = ((group + 1) << self.shift).min(breadths.len());
            let parts = (
                self.evidence.get(from..to),
                breadths.get(from..to),
                into.get_mut(from..to),
            );
            let (Some(evidence), Some(breadths), Some(into)) = parts else {
                continue;
            };
            for ((into, evidence), breadth) in into.iter_mut().zip(evidence).zip(breadths) {
                let log_odds = curve.log_odds(evidence, *breadth);
                into.total = evidence.total;
                into.log_odds = if evidence.matches > 0.0 {
                    log_odds
                } else {
                    Judged::NOTHING.log_odds
                };
            }
        }
    }

    /// Forgets all evidence.
    pub(super) fn end(&mut self) {
        while self.touched != 0 {
            let group = self.touched.trailing_zeros() as usize;
            self.touched &= self.touched - 1;
            let (from, to) = (group << self.shift, (group + 1) << self.shift);
            let to = to.min(self.evidence.len());
            if let Some(evidence) = self.evidence.get_mut(from..to) {
                evidence.fill(Evidence::default());
            }
        }
    }
}

/// What words say of a skill.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged {
    /// The log-odds that it is right.
    pub(super) log_odds: f32,
    /// What the words bring to it, added up.
    pub(super) total: f32,
}

impl Judged {
    /// No word has anything to do with the skill.
    pub(super) const NOTHING: Self = Self {
        log_odds: f32::NEG_INFINITY,
        total: 0.0,
    };
}
