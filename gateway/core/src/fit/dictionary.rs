//! The terms of an index with their postings and rarity.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use super::bridge::{BRIDGE, Concept};
use super::fields::SkillTerms;
use super::guesses::{Guessed, Guesses};
use super::languages::Languages;
use super::vocabulary::{Term, Vocabulary};

/// A skill in which a term occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Posting {
    /// Position of the skill in the index.
    pub(super) skill: u32,
    /// How much the skill is about the term, in `[0, 1]`.
    pub(super) impact: f32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    start: u32,
    end: u32,
    rarity: f32,
}

/// The terms of an index.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    /// The terms of the cards, and of cards that are gone: those have no postings.
    pub(super) vocabulary: Arc<Vocabulary>,
    entries: Vec<Entry>,
    /// The postings of all terms, term by term, each in the order of the skills.
    postings: Vec<Posting>,
    guesses: Arc<Guesses>,
}

/// How fast a term loses with each agent that has it.
const COMMONNESS: f32 = 0.5;
/// Agents from which on more of them make a term no less telling. The weights of the curve were fitted among 68 agents;
/// without this bound, the words that all cards share would make every fit of a large federation look poorer.
const MOST_CARRIERS: u32 = 30;

/// Returns how telling a term is that so many agents have.
///
/// The number of agents counts and not their share of the catalog: an agent that has none of the words of a
/// request then changes nothing in the fit of the others, however many of its kind there are.
fn rarity(carriers: u32) -> f32 {
    let rivals = as_f32(carriers.min(MOST_CARRIERS).saturating_sub(1));
    1.0 / (1.0 + COMMONNESS * (rivals / 3.0).ln_1p())
}

impl Dictionary {
    /// Files the terms of all skills; each comes with the position of its agent, in ascending order.
    pub(super) fn build<'t>(
        vocabulary: Arc<Vocabulary>,
        skills: impl Iterator<Item = (u32, &'t SkillTerms)> + Clone,
        previous: &Self,
    ) -> Self {
        let mut dictionary = Self {
            entries: vec![Entry::default(); vocabulary.len() as usize],
            vocabulary,
            ..Self::default()
        };
        dictionary.count(skills.clone());
        dictionary.file(skills);
        dictionary.unite();
        dictionary.guesses = if dictionary.knows_the_same(previous) {
            Arc::clone(&previous.guesses)
        } else {
            Arc::new(dictionary.guesses())
        };
        dictionary
    }

    /// Counts the postings and carriers of each term.
    fn count<'t>(&mut self, skills: impl Iterator<Item = (u32, &'t SkillTerms)>) {
        let mut carriers = vec![(0_u32, u32::MAX); self.entries.len()];
        for (owner, skill) in skills {
            for (term, _) in &skill.impacts {
                let at = *term as usize;
                if let (Some(entry), Some(carrier)) =
                    (self.entries.get_mut(at), carriers.get_mut(at))
                {
                    entry.end += 1;
                    if carrier.1 != owner {
                        *carrier = (carrier.0 + 1, owner);
                    }
                }
            }
        }
        let mut start = 0;
        for (entry, (carriers, _)) in self.entries.iter_mut().zip(carriers) {
            entry.rarity = rarity(carriers);
            start += std::mem::replace(&mut entry.end, start);
            entry.start = entry.end;
        }
        self.postings = vec![Posting::default(); start as usize];
    }

    /// Files the postings; until then the end of each entry is where its next posting goes.
    fn file<'t>(&mut self, skills: impl Iterator<Item = (u32, &'t SkillTerms)>) {
        for (position, (_, skill)) in (0_u32..).zip(skills) {
            for (term, impact) in &skill.impacts {
                let Some(entry) = self.entries.get_mut(*term as usize) else {
                    continue;
                };
                if let Some(posting) = self.postings.get_mut(entry.end as usize) {
                    *posting = Posting {
                        skill: position,
                        impact: *impact,
                    };
                    entry.end += 1;
                }
            }
        }
    }

    /// Lets terms with the same postings, such as a word and its stem, share them, so that a request with both is
    /// counted once.
    fn unite(&mut self) {
        let mut known: HashMap<u64, (u32, u32)> = HashMap::new();
        for term in 0..self.entries.len() {
            let Some(entry) = self.entries.get(term).copied() else {
                continue;
            };
            let own = self.range(entry);
            if own.len() < LEAST_SHARED {
                continue;
            }
            let same = known.entry(hash(own)).or_insert((entry.start, entry.end));
            let (start, end) = *same;
            let held = self.range(Entry {
                start,
                end,
                ..entry
            });
            if held == own
                && let Some(entry) = self.entries.get_mut(term)
            {
                (entry.start, entry.end) = (start, end);
            }
        }
    }

    fn range(&self, entry: Entry) -> &[Posting] {
        let range = entry.start as usize..entry.end as usize;
        self.postings.get(range).unwrap_or_default()
    }

    /// Says whether guesses made for another dictionary hold for this one.
    fn knows_the_same(&self, other: &Self) -> bool {
        let known = |dictionary: &Self| {
            let entries = dictionary.entries.iter();
            entries
                .map(|entry| entry.start < entry.end)
                .collect::<Vec<_>>()
        };
        Arc::ptr_eq(&self.vocabulary, &other.vocabulary) && known(self) == known(other)
    }

    fn guesses(&self) -> Guesses {
        let forms = self.vocabulary.forms();
        let forms = forms.filter(|(_, term)| !self.postings(*term).is_empty());
        Guesses::build(forms, |concept| self.concept(concept))
    }

    /// Returns how many terms are on a card.
    pub(super) fn live(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.start < entry.end).count()
    }

    /// Returns the term of a folded form, if a card has it.
    pub(super) fn form(&self, form: &str) -> Option<Term> {
        self.carried(self.vocabulary.form(form)?)
    }

    /// Returns the term of a concept, if a card has it.
    pub(super) fn concept(&self, concept: Concept) -> Option<Term> {
        self.carried(Vocabulary::concept(concept))
    }

    /// Returns the term of the topic of a concept, if a card has it.
    pub(super) fn topic(&self, concept: Concept) -> Option<Term> {
        self.carried(Vocabulary::topic(BRIDGE.topic(concept)))
    }

    fn carried(&self, term: Term) -> Option<Term> {
        (!self.postings(term).is_empty()).then_some(term)
    }

    /// Returns how telling a term is, in `(0, 1]`.
    pub(super) fn rarity(&self, term: Term) -> f32 {
        self.entries
            .get(term as usize)
            .map_or(0.0, |entry| entry.rarity)
    }

    /// Returns the skills with a term, in order of their position.
    pub(super) fn postings(&self, term: Term) -> &[Posting] {
        let entry = self.entries.get(term as usize).copied();
        self.range(entry.unwrap_or_default())
    }

    /// Returns what a word that no card has may stand for.
    pub(super) fn guess(&self, folded: &str, languages: Languages) -> Guessed {
        self.guesses.guess(folded, languages)
    }
}

/// Fewer postings than this are not worth sharing.
const LEAST_SHARED: usize = 16;

fn hash(postings: &[Posting]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for posting in postings {
        hasher.write_u32(posting.skill);
        hasher.write_u32(posting.impact.to_bits());
    }
    hasher.finish()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of agents stay far below 2^24"
)]
const fn as_f32(count: u32) -> f32 {
    count as f32
}
