//! The skills of a catalog, and the evidence for each that shares a term with a request.

use std::sync::Arc;

use super::calibrate::{Evidence, log_odds};
use super::dictionary::{Dictionary, Posting};
use super::fields::{CardTerms, SkillTerms};
use super::query::{Query, QueryWord};
use super::scratch::Scratch;
use super::vocabulary::{Term, Vocabulary};

/// The skills of an index and their terms.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The terms.
    pub(super) dictionary: Dictionary,
    skills: Vec<Skill>,
    cards: Vec<Arc<CardTerms>>,
    /// More than the highest number of an agent.
    agents: usize,
}

/// A skill of the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skill {
    /// The agent, as the caller numbers it.
    pub(super) agent: usize,
    /// The skill's place on the card; none for a card without skills.
    pub(super) skill: Option<usize>,
    /// The card's place in the index.
    card: u32,
    /// The skill's place among the entries of the card.
    place: u32,
    breadth_ln: f32,
}

/// What a request found in one skill.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    /// Position of the skill in the index.
    pub(super) position: u32,
    /// The log-odds that its agent is right.
    pub(super) log_odds: f32,
    /// What speaks for it.
    pub(super) evidence: Evidence,
    /// The latest word counted, and what it brought so far.
    latest: u8,
    latest_strength: f32,
    latest_gain: f32,
    latest_cover: f32,
    /// The matched words, as bits.
    words: u64,
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
                agent: *agent,
                skill: (!terms.is_bare).then_some(place as usize),
                card,
                place,
                breadth_ln: skill.breadth_ln,
            })
        });
        let terms = (0_u32..).zip(agents).flat_map(|(card, (_, terms))| {
            let skills = terms.skills.iter();
            skills.map(move |skill| (card, skill))
        });
        Self {
            skills: skills.collect(),
            dictionary: Dictionary::build(vocabulary, terms, &previous.dictionary),
            cards: agents.iter().map(|(_, terms)| Arc::clone(terms)).collect(),
            agents: agents.iter().map(|(agent, _)| agent + 1).max().unwrap_or(0),
        }
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
        scratch.resize(self.skills.len(), self.agents);
        for (number, word) in (0_u8..).zip(&query.words) {
            for (term, strength) in &word.terms {
                self.gather(number, word.weight * strength, *term, scratch);
            }
        }
        for place in 0..scratch.matches.len() {
            let Some(matched) = scratch.matches.get_mut(place) else {
                continue;
            };
            let Some(skill) = self.skills.get(matched.position as usize) else {
                continue;
            };
            matched.log_odds = log_odds(&matched.evidence, query.mass, skill.breadth_ln);
            let matched = *matched;
            if is_wanted(skill) {
                scratch.keep_best(skill.agent, place, &matched);
            }
        }
    }

    fn gather(&self, word: u8, strength: f32, term: Term, scratch: &mut Scratch) {
        let cover = strength * self.dictionary.rarity(term);
        for Posting { skill, impact } in self.dictionary.postings(term) {
            if let Some(matched) = scratch.matched(*skill) {
                matched.add(word, strength, [cover, cover * impact]);
            }
        }
    }

    /// Returns the words of a request that a skill matches, as written, strongest first. Numbers are left
    /// out: amounts and account numbers are nobody's business in a record.
    pub(super) fn why(&self, query: &Query<'_>, matched: &Match, most: usize) -> Vec<String> {
        let words = query.words.iter().enumerate().filter(|(number, word)| {
            matched.has(*number) && !word.written.contains(|letter: char| letter.is_numeric())
        });
        let mut gains: Vec<(f32, &str)> = words
            .map(|(_, word)| (self.gain(word, matched.position), word.written))
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
    /// Returns a match without evidence.
    pub(super) fn new(position: u32) -> Self {
        Self {
            position,
            log_odds: f32::NEG_INFINITY,
            evidence: Evidence::default(),
            latest: u8::MAX,
            latest_strength: 0.0,
            latest_gain: 0.0,
            latest_cover: 0.0,
            words: 0,
        }
    }

    /// Counts a term of a word; of the terms of one word only the strongest counts.
    fn add(&mut self, word: u8, strength: f32, [cover, gain]: [f32; 2]) {
        if self.latest != word {
            (
                self.latest,
                self.latest_strength,
                self.latest_gain,
                self.latest_cover,
            ) = (word, 0.0, 0.0, 0.0);
            self.words |= 1 << word;
        }
        if strength > self.latest_strength {
            self.evidence.matches += strength - self.latest_strength;
            self.latest_strength = strength;
        }
        if gain > self.latest_gain {
            self.evidence.total += gain - self.latest_gain;
            self.evidence.best = self.evidence.best.max(gain);
            self.latest_gain = gain;
        }
        if cover > self.latest_cover {
            self.evidence.covered += cover - self.latest_cover;
            self.latest_cover = cover;
        }
    }

    /// Orders by log-odds, likeliest first, then by position.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_odds = other.log_odds.total_cmp(&self.log_odds);
        by_odds.then(self.position.cmp(&other.position))
    }

    /// Says whether a word of the request, by its number, is matched.
    pub(super) fn has(&self, word: usize) -> bool {
        self.words & (1 << word) != 0
    }
}
