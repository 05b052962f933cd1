//! Memory for scoring one message, kept by the thread for its next message.
//!
//! Tables by skill and by agent are as large as the catalog. Each message leaves them zeroed, by undoing only
//! what it touched, so that none of them is allocated or cleared for a message.

use std::cell::Cell;
use std::ops::{Deref, DerefMut, Range};

use super::calibrate::{Curve, Evidence};
use super::dictionary::Posting;
use super::index::Match;

/// What scoring one message needs.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// By skill.
    evidence: Vec<Evidence>,
    /// By skill: what its latest word brought, if that is looked up under several terms.
    latest: Vec<Latest>,
    /// Which skills have evidence, a bit for each.
    touched: Vec<u64>,
    /// By agent: the best of its skills.
    best: Vec<Option<Match>>,
    /// Agents that were found, each once.
    pub(super) agents: Vec<usize>,
    /// What a first look at each card's meaning brought: log-odds, closeness and agent.
    pub(super) glances: Vec<(f32, f32, usize)>,
}

/// What a word of several terms brought so far, the most of each.
#[derive(Debug, Clone, Copy, Default)]
struct Latest {
    /// Its number, 0 for none.
    word: u32,
    strength: f32,
    gain: f32,
    cover: f32,
}

/// A term of a word that is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    /// The number of the word, from 1.
    pub(super) word: u32,
    /// How much the term stands for the word.
    pub(super) strength: f32,
    /// The same, less for a term that many agents have.
    pub(super) cover: f32,
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

/// Skills that one number of `touched` has bits for.
const BITS: usize = u64::BITS as usize;
/// Neighbouring skills whose log-odds are computed at once; part of [`BITS`].
const TOGETHER: usize = 16;
/// As many bits.
const MASK: u64 = (1 << TOGETHER) - 1;

impl Scratch {
    /// Makes room for a catalog.
    pub(super) fn resize(&mut self, skills: usize, agents: usize) {
        if self.evidence.len() < skills {
            self.evidence.resize(skills, Evidence::default());
            self.latest.resize(skills, Latest::default());
            self.touched.resize(skills.div_ceil(BITS), 0);
        }
        if self.best.len() < agents {
            self.best.resize(agents, None);
        }
    }

    /// Counts the only term of a word for the skills that have it.
    pub(super) fn add_alone(&mut self, postings: &[Posting], counted: Counted) {
        for posting in postings {
            let at = posting.skill as usize;
            let (Some(evidence), Some(touched)) =
                (self.evidence.get_mut(at), self.touched.get_mut(at / BITS))
            else {
                continue;
            };
            *touched |= 1 << (at % BITS);
            let gain = counted.cover * posting.impact;
            evidence.total += gain;
            evidence.best = larger(evidence.best, gain);
            evidence.covered += counted.cover;
            evidence.matches += counted.strength;
        }
    }

    /// Counts one of several terms of a word for the skills that have it; of these terms only the strongest counts.
    pub(super) fn add(&mut self, postings: &[Posting], counted: Counted) {
        for posting in postings {
            let at = posting.skill as usize;
            let (Some(evidence), Some(latest), Some(touched)) = (
                self.evidence.get_mut(at),
                self.latest.get_mut(at),
                self.touched.get_mut(at / BITS),
            ) else {
                continue;
            };
            *touched |= 1 << (at % BITS);
            latest.add(evidence, counted, counted.cover * posting.impact);
        }
    }

    /// Keeps the best skill of each agent among those with evidence that `is_wanted`.
    pub(super) fn choose_best(&mut self, table: Table<'_>, is_wanted: impl Fn(u32) -> bool) {
        let mut log_odds = [0.0; TOGETHER];
        // The best skill of the latest agent; the skills of one agent are neighbours.
        let mut held: Option<(u32, Match)> = None;
        for at in 0..self.touched.len() * (BITS / TOGETHER) {
            let from = at * TOGETHER;
            let bits = self.touched.get(from / BITS).copied().unwrap_or_default();
            let mut bits = (bits >> (from % BITS)) & MASK;
            if bits == 0 {
                continue;
            }
            table.log_odds(from, &self.evidence, &mut log_odds);
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Ok(position) = u32::try_from(from + bit) else {
                    continue;
                };
                let (Some(&log_odds), Some(&owner)) =
                    (log_odds.get(bit), table.owners.get(from + bit))
                else {
                    continue;
                };
                let matched = Match::by_words(position, log_odds);
                match &mut held {
                    Some((agent, best)) if *agent == owner => {
                        let is_better = log_odds > best.log_odds && is_wanted(position);
                        *best = if is_better { matched } else { *best };
                    }
                    _ if is_wanted(position) => {
                        if let Some((agent, best)) = held.replace((owner, matched)) {
                            self.judge(agent as usize, best);
                        }
                    }
                    _ => {}
                }
            }
        }
        if let Some((agent, best)) = held {
            self.judge(agent as usize, best);
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
        let evidence = self.evidence.get(position as usize);
        evidence.copied().unwrap_or_default()
    }

    fn clear(&mut self) {
        for (at, bits) in self
            .touched
            .iter_mut()
            .enumerate()
            .filter(|(_, bits)| **bits != 0)
        {
            let range = at * BITS..(at + 1) * BITS;
            clear(&mut self.evidence, range.clone());
            clear(&mut self.latest, range);
            *bits = 0;
        }
        for agent in self.agents.drain(..) {
            if let Some(best) = self.best.get_mut(agent) {
                *best = None;
            }
        }
    }
}

fn clear<T: Copy + Default>(table: &mut [T], range: Range<usize>) {
    let end = range.end.min(table.len());
    if let Some(part) = table.get_mut(range.start..end) {
        part.fill(T::default());
    }
}

/// What is known of the skills beside their evidence, each by position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'i> {
    /// The agents they are of.
    pub(super) owners: &'i [u32],
    /// The logarithms of over how many topics their texts spread.
    pub(super) breadths: &'i [f32],
    /// What makes log-odds of evidence.
    pub(super) curve: Curve,
}

impl Table<'_> {
    /// Computes the log-odds of neighbouring skills.
    fn log_odds(&self, from: usize, evidence: &[Evidence], into: &mut [f32; TOGETHER]) {
        let end = (from + TOGETHER).min(self.breadths.len());
        let (evidence, breadths) = (evidence.get(from..end), self.breadths.get(from..end));
        let (evidence, breadths) = (evidence.unwrap_or_default(), breadths.unwrap_or_default());
        let skills = evidence.iter().zip(breadths);
        for (into, (evidence, breadth)) in into.iter_mut().zip(skills) {
            *into = self.curve.log_odds(evidence, *breadth);
        }
    }
}

impl Latest {
    /// Counts a term. Free of branches: which terms a skill has is nothing that a processor could foresee.
    fn add(&mut self, evidence: &mut Evidence, counted: Counted, gain: f32) {
        let is_same = self.word == counted.word;
        let before = |value: f32| if is_same { value } else { 0.0 };
        let (strength, gained, cover) =
            (before(self.strength), before(self.gain), before(self.cover));
        *self = Self {
            word: counted.word,
            strength: larger(strength, counted.strength),
            gain: larger(gained, gain),
            cover: larger(cover, counted.cover),
        };
        evidence.matches += self.strength - strength;
        evidence.total += self.gain - gained;
        evidence.covered += self.cover - cover;
        evidence.best = larger(evidence.best, gain);
    }
}

/// Returns the larger of two numbers, in one instruction, unlike [`f32::max`], which minds what is no number.
fn larger(left: f32, right: f32) -> f32 {
    if left > right { left } else { right }
}
