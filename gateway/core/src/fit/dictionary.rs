//! The terms of an index with their postings and rarity.

use std::collections::HashMap;

use super::bridge::{BRIDGE, Concept, TOPICS};
use super::guesses::{Guessed, Guesses};
use super::languages::Languages;

/// Position of a term in the dictionary.
pub(super) type Term = u32;

/// A skill in which a term occurs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    /// Position of the skill in the index.
    pub(super) skill: u32,
    /// How much the skill is about the term, in `[0, 1]`.
    pub(super) impact: f32,
}

/// What a term is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// A folded word or stem.
    Form(String),
    /// A concept of the bridge.
    Concept(Concept),
    /// A topic of the bridge.
    Topic(u8),
}

#[derive(Debug, Default)]
struct Entry {
    concept: Option<Concept>,
    rarity: f32,
    postings: Vec<Posting>,
}

/// The terms of an index.
#[derive(Debug)]
pub(super) struct Dictionary {
    forms: HashMap<String, Term>,
    concepts: Vec<Option<Term>>,
    topics: [Option<Term>; TOPICS],
    entries: Vec<Entry>,
    guesses: Guesses,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self {
            forms: HashMap::new(),
            concepts: vec![None; BRIDGE.len()],
            topics: [None; TOPICS],
            entries: Vec::new(),
            guesses: Guesses::default(),
        }
    }
}

/// How fast a term loses with each agent that has it.
const COMMONNESS: f32 = 0.5;

/// Returns how telling a term is that so many agents have.
///
/// The number of agents counts and not their share of the catalog: an agent that has none of the words of a
/// request then changes nothing in the fit of the others, however many of its kind there are.
fn rarity(carriers: usize) -> f32 {
    let rivals = as_f32(carriers.saturating_sub(1));
    1.0 / (1.0 + COMMONNESS * (rivals / 3.0).ln_1p())
}

impl Dictionary {
    /// Returns the term of a key, a new one for a new key.
    pub(super) fn intern(&mut self, key: Key) -> Term {
        let next = Term::try_from(self.entries.len()).unwrap_or(Term::MAX);
        let mut concept = None;
        let term = match key {
            Key::Form(form) => *self.forms.entry(form).or_insert(next),
            Key::Concept(of) => {
                concept = Some(of);
                self.concepts
                    .get_mut(usize::from(of))
                    .map_or(next, |term| *term.get_or_insert(next))
            }
            Key::Topic(of) => self
                .topics
                .get_mut(usize::from(of))
                .map_or(next, |term| *term.get_or_insert(next)),
        };
        if term == next {
            self.entries.push(Entry {
                concept,
                ..Entry::default()
            });
        }
        term
    }

    /// Notes that a skill has a term; skills are noted in order of their position.
    pub(super) fn note(&mut self, term: Term, posting: Posting) {
        if let Some(entry) = self.entries.get_mut(term as usize) {
            entry.postings.push(posting);
        }
    }

    /// Returns the concept a term stands for.
    pub(super) fn meaning(&self, term: Term) -> Option<Concept> {
        self.entries.get(term as usize)?.concept
    }

    /// Weighs the terms and files them for guessing, once all skills are in; `owners` has the agent of each skill.
    pub(super) fn finish(&mut self, owners: &[usize]) {
        let owner = |posting: &Posting| owners.get(posting.skill as usize);
        for entry in &mut self.entries {
            let carriers = entry
                .postings
                .chunk_by(|left, right| owner(left) == owner(right))
                .count();
            entry.rarity = rarity(carriers);
        }
        let forms = self.forms.iter().map(|(form, term)| (form.as_str(), *term));
        let known = |concept: Concept| self.concepts.get(usize::from(concept)).copied().flatten();
        self.guesses = Guesses::build(forms, known);
    }

    /// Returns the term of a folded form.
    pub(super) fn form(&self, form: &str) -> Option<Term> {
        self.forms.get(form).copied()
    }

    /// Returns the term of a concept.
    pub(super) fn concept(&self, concept: Concept) -> Option<Term> {
        self.concepts.get(usize::from(concept)).copied().flatten()
    }

    /// Returns the term of the topic of a concept.
    pub(super) fn topic(&self, concept: Concept) -> Option<Term> {
        self.topics
            .get(usize::from(BRIDGE.topic(concept)))
            .copied()
            .flatten()
    }

    /// Returns how telling a term is, in `(0, 1]`.
    pub(super) fn rarity(&self, term: Term) -> f32 {
        self.entries
            .get(term as usize)
            .map_or(0.0, |entry| entry.rarity)
    }

    /// Returns the skills with a term, in order of their position.
    pub(super) fn postings(&self, term: Term) -> &[Posting] {
        self.entries
            .get(term as usize)
            .map_or(&[], |entry| &entry.postings)
    }

    /// Returns what a word that no card has may stand for.
    pub(super) fn guess(&self, folded: &str, languages: Languages) -> Guessed {
        self.guesses.guess(folded, languages)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of agents stay far below 2^24"
)]
const fn as_f32(count: usize) -> f32 {
    count as f32
}
