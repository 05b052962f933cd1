//! The skills of a catalog, and the evidence for each that shares a term with a request.

use std::ops::Range;
use std::sync::Arc;

use super::calibrate::Curve;
use super::dictionary::Dictionary;
use super::fields::{CardTerms, SkillTerms};
use super::query::{Query, QueryWord};
use super::scratch::{Counted, Scratch, Table};
use super::vocabulary::{Term, Vocabulary};

/// The skills of an index and their terms.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The terms.
    pub(super) dictionary: Dictionary,
    skills: Vec<Skill>,
    /// Agent and breadth of each skill once more, as the search reads them.
    owners: Vec<u32>,
    breadths: Vec<f32>,
    cards: Vec<Arc<CardTerms>>,
    /// The positions of the skills of each agent, by its number.
    ranges: Vec<Range<u32>>,
}

/// A skill of the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skill {
    /// The agent, as the caller numbers it.
    agent: u32,
    /// The card's place in the index.
    card: u32,
    /// The skill's place among the entries of the card.
    place: u32,
    /// Whether the card has no skills, and this entry is the agent itself.
    is_bare: bool,
    /// The logarithm of over how many topics its text spreads.
    pub(super) breadth_ln: f32,
}

impl Skill {
    /// Returns the agent, as the caller numbers it.
    pub(super) fn agent(&self) -> usize {
        self.agent as usize
    }

    /// Returns the skill's place on the card; none for a card without skills.
    pub(super) fn on_card(&self) -> Option<usize> {
        (!self.is_bare).then_some(self.place as usize)
    }
}

/// What a request found in the best skill of an agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    /// Position of the skill in the index.
    pub(super) position: u32,
    /// The log-odds that its agent is right.
    pub(super) log_odds: f32,
    /// The same by words alone.
    pub(super) words: f32,
    /// How close it is in meaning, if that was looked at.
    pub(super) meaning: Option<f32>,
}

impl Index {
    /// Files the cards of agents.
    pub(super) fn build(
        vocabulary: Arc<Vocabulary>,
        agents: &[(usize, Arc<CardTerms>)],
        previous: &Self,
    ) -> Self {
        let skills = (0_u32..).zip(agents).flat_map(|(card, (agent, terms))| {
            let places = (0_u32..).zip(&terms.skills);
            places.map(move |(place, skill)| Skill {
                agent: u32::try_from(*agent).unwrap_or(u32::MAX),
                is_bare: terms.is_bare,
                card,
                place,
                breadth_ln: skill.breadth_ln,
            })
        });
        let terms = (0_u32..).zip(agents).flat_map(|(card, (_, terms))| {
            let skills = terms.skills.iter();
            skills.map(move |skill| (card, skill))
        });
        let skills: Vec<Skill> = skills.collect();
        Self {
            dictionary: Dictionary::build(vocabulary, terms, &previous.dictionary),
            cards: agents.iter().map(|(_, terms)| Arc::clone(terms)).collect(),
            ranges: ranges(&skills),
            owners: skills.iter().map(|skill| skill.agent).collect(),
            breadths: skills.iter().map(|skill| skill.breadth_ln).collect(),
            skills,
        }
    }

    /// Returns a number that is higher than that of any agent.
    pub(super) fn agents(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the positions of the skills of an agent, in the order of its card.
    pub(super) fn skills_of(&self, agent: usize) -> Range<u32> {
        self.ranges.get(agent).cloned().unwrap_or_default()
    }

    /// Returns a skill by its position.
    pub(super) fn skill(&self, position: u32) -> Option<&Skill> {
        self.skills.get(position as usize)
    }

    /// Returns the terms of a skill by its position.
    pub(super) fn terms(&self, position: u32) -> Option<&SkillTerms> {
        let skill = self.skill(position)?;
        let card = self.cards.get(skill.card as usize)?;
        card.skills.get(skill.place as usize)
    }

    /// Finds every skill that shares a term with the request, and the best one of each agent among those that
    /// `is_wanted`. The work is proportional to the postings of the request's terms.
    pub(super) fn search(
        &self,
        query: &Query<'_>,
        is_wanted: impl Fn(&Skill) -> bool,
        scratch: &mut Scratch,
    ) {
        scratch.resize(self.skills.len(), self.agents());
        for (number, word) in (1_u32..).zip(&query.words) {
            self.count(number, word, scratch);
        }
        let table = Table {
            owners: &self.owners,
            breadths: &self.breadths,
            curve: Curve::of(query.mass),
        };
        scratch.choose_best(table, |position| {
            self.skill(position).is_some_and(&is_wanted)
        });
    }

    /// Counts a word for every skill that has one of its terms; terms with the same postings are counted once, by the
    /// strongest.
    fn count(&self, number: u32, word: &QueryWord<'_>, scratch: &mut Scratch) {
        let mut different = word.terms.iter().enumerate().filter(|(place, (term, _))| {
            let postings = self.dictionary.postings(*term);
            let mut stronger = word.terms.iter().take(*place);
            stronger.all(|(other, _)| !std::ptr::eq(self.dictionary.postings(*other), postings))
        });
        let is_alone = different.clone().nth(1).is_none();
        for (_, (term, strength)) in &mut different {
            let strength = word.weight * strength;
            let counted = Counted {
                word: number,
                strength,
                cover: strength * self.dictionary.rarity(*term),
            };
            let postings = self.dictionary.postings(*term);
            if is_alone {
                scratch.add_alone(postings, counted);
            } else {
                scratch.add(postings, counted);
            }
        }
    }

    /// Returns the words of a request that a skill matches, as written, strongest first. Numbers are left
    /// out: amounts and account numbers are nobody's business in a record.
    pub(super) fn why(&self, query: &Query<'_>, matched: &Match, most: usize) -> Vec<String> {
        let words = query.words.iter();
        let words = words.filter(|word| !word.written.contains(|letter: char| letter.is_numeric()));
        let mut gains: Vec<(f32, &str)> = words
            .map(|word| (self.gain(word, matched.position), word.written))
            .filter(|(gain, _)| *gain > 0.0)
            .collect();
        gains.sort_by(|left, right| right.0.total_cmp(&left.0));
        gains
            .into_iter()
            .take(most)
            .map(|(_, written)| written.to_owned())
            .collect()
    }

    /// Returns what a word brings to a skill.
    pub(super) fn gain(&self, word: &QueryWord<'_>, position: u32) -> f32 {
        let impacts = self.terms(position).map_or(&[][..], |terms| &terms.impacts);
        let gain = |(term, strength): &(Term, f32)| {
            let at = impacts.binary_search_by_key(term, |(term, _)| *term).ok()?;
            let (_, impact) = impacts.get(at)?;
            Some(impact * strength * self.dictionary.rarity(*term))
        };
        word.weight * word.terms.iter().filter_map(gain).fold(0.0, f32::max)
    }
}

impl Match {
    /// Returns what words alone found.
    pub(super) fn by_words(position: u32, log_odds: f32) -> Self {
        Self {
            position,
            log_odds,
            words: log_odds,
            meaning: None,
        }
    }

    /// Orders by log-odds, likeliest first, then by position.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_odds = other.log_odds.total_cmp(&self.log_odds);
        by_odds.then(self.position.cmp(&other.position))
    }
}

/// Returns the positions of the skills of each agent; those of one agent are neighbours.
fn ranges(skills: &[Skill]) -> Vec<Range<u32>> {
    let agents = skills.iter().map(|skill| skill.agent() + 1).max();
    let mut ranges = vec![0..0; agents.unwrap_or(0)];
    for (position, skill) in (0_u32..).zip(skills) {
        if let Some(range) = ranges.get_mut(skill.agent()) {
            if range.end == 0 {
                range.start = position;
            }
            range.end = position + 1;
        }
    }
    ranges
}
