//! Fit: how well the best skill of each agent suits the text of a message, in `[0, 1]`, with the words that say so.
//!
//! Deterministic, and by words alone unless a sentence encoder is at hand. An inverted index over the fields of all cards is asked for the telling
//! words of a message under their folded form, their stems, the concept they stand for in one of six languages,
//! and, for words no card knows, the known words that look alike. What a word brings is capped per field and
//! diluted by the length of the field, so a longer card is not a better one.
//!
//! With an encoder, what a card means is fused with what its words say, agent by agent: one whose card has not been
//! encoded yet is judged by words.

mod block;
mod bridge;
mod calibrate;
mod closer;
mod dictionary;
mod fields;
mod fusion;
mod guesses;
mod index;
mod languages;
mod ngrams;
mod postings;
mod query;
mod rivals;
mod scratch;
mod spelling;
mod stop_words;
#[cfg(test)]
mod tests;
mod tokens;
mod vocabulary;

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use self::calibrate::surely_below;
pub use self::closer::Asked;
use self::closer::Closer;
use self::fields::{CardTerms, FieldReader};
use self::index::{Index, Match};
use self::languages::Stemmers;
use self::query::Query;
pub use self::rivals::Rival;
use self::scratch::Borrowed;
pub(crate) use self::tokens::fold;

/// Words an explanation has at most.
const EXPLAINED_WORDS: usize = 8;

/// What the index is told of one agent.
#[derive(Debug, Clone)]
pub struct AgentText<'a> {
    /// The agent's position in the catalog, given back with its fit.
    pub agent: usize,
    /// The name on the card.
    pub name: &'a str,
    /// The description on the card.
    pub description: &'a str,
    /// The skills, in the order of the card.
    pub skills: Vec<SkillText<'a>>,
}

/// What the index is told of one skill.
#[derive(Debug, Clone, Copy)]
pub struct SkillText<'a> {
    /// The skill's id, an identifier such as `review_invoice`.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The description.
    pub description: &'a str,
    /// The tags.
    pub tags: &'a [String],
    /// The example requests.
    pub examples: &'a [String],
}

/// How well an agent fits a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgentFit {
    /// The agent's position in the catalog.
    pub agent: usize,
    /// The best skill's position on the card; none for a card without skills.
    pub skill: Option<usize>,
    /// The summed weight of the matched words, from 0 without a ceiling.
    pub raw: f64,
    /// The estimated probability that the agent is a right one for the message.
    pub value: f64,
    /// The log-odds of that.
    pub log_odds: f64,
    /// The log-odds of that by words alone.
    pub words: f64,
    /// How close the skill is to the message in meaning; absent where only words were looked at.
    pub meaning: Option<f64>,
}

/// An index over the texts of a catalog; immutable once built.
#[derive(Debug, Default)]
pub struct FitIndex {
    index: Index,
    stemmers: Stemmers,
    /// The cards that have been read, by fingerprint.
    read: HashMap<Box<str>, Arc<CardTerms>>,
}

/// A vocabulary is built anew when less than this part of it is still on a card.
const LEAST_LIVE_PART: usize = 2;

impl FitIndex {
    /// Reads the texts of all agents.
    pub fn build<'a>(agents: impl IntoIterator<Item = AgentText<'a>>) -> Self {
        let nameless = agents.into_iter().map(|agent| ("", agent));
        Self::default().rebuild(nameless)
    }

    /// Returns the index of other agents, reading only cards this one does not know. Each card comes with its
    /// fingerprint, by which it is known later; the empty one is not remembered.
    ///
    /// The result is that of reading everything.
    #[must_use]
    pub fn rebuild<'a>(&self, cards: impl IntoIterator<Item = (&'a str, AgentText<'a>)>) -> Self {
        let mut vocabulary = Arc::clone(&self.index.dictionary.vocabulary);
        let known = &self.read;
        let is_stale = vocabulary.len() as usize / LEAST_LIVE_PART > self.index.dictionary.live();
        let known = if is_stale { &HashMap::new() } else { known };
        if is_stale {
            vocabulary = Arc::default();
        }
        let stemmers = Stemmers::new();
        let mut reader = FieldReader::new(&stemmers);
        let mut read = HashMap::new();
        let mut agents = Vec::new();
        for (fingerprint, agent) in cards {
            let seen = known.get(fingerprint).or_else(|| read.get(fingerprint));
            let terms = match seen {
                Some(terms) => Arc::clone(terms),
                None => Arc::new(reader.read(&agent, Arc::make_mut(&mut vocabulary))),
            };
            if !fingerprint.is_empty() {
                read.insert(fingerprint.into(), Arc::clone(&terms));
            }
            agents.push((agent.agent, terms));
        }
        Self {
            index: Index::build(vocabulary, &agents, &self.index),
            stemmers,
            read,
        }
    }

    /// Finds every agent that shares a term with the text, each with its best skill.
    #[must_use]
    pub fn fits<'i, 't>(&'i self, text: &'t str) -> Fits<'i, 't> {
        Fits::of(self, text, |_| true)
    }

    /// Finds every agent that shares a term with the text or whose card's meaning is known, each with its best skill.
    #[must_use]
    pub fn fits_by_meaning<'i, 't>(&'i self, text: &'t str, asked: Asked<'_>) -> Fits<'i, 't> {
        Fits::of(self, text, |_| true).closer(asked, |_| true)
    }

    /// Finds the agents that have one certain skill, for a caller that names it. `wanted` says which one it is,
    /// by its position on the agent's card.
    #[must_use]
    pub fn fits_named<'i, 't>(
        &'i self,
        text: &'t str,
        asked: Option<Asked<'_>>,
        wanted: impl Fn(usize) -> Option<usize>,
    ) -> Fits<'i, 't> {
        let is_wanted = |position| {
            self.index.skill(position).is_some_and(|skill| {
                let on_card = skill.on_card();
                on_card.is_some() && on_card == wanted(skill.agent())
            })
        };
        let fits = Fits::of(self, text, is_wanted);
        match asked {
            Some(asked) => fits.closer(asked, is_wanted),
            None => fits,
        }
    }
}

/// How well each agent fits one message.
#[derive(Debug)]
pub struct Fits<'i, 't> {
    index: &'i Index,
    query: Query<'t>,
    scratch: Borrowed,
}

impl<'i, 't> Fits<'i, 't> {
    fn of(fit: &'i FitIndex, text: &'t str, is_wanted: impl Fn(u32) -> bool) -> Self {
        let index = &fit.index;
        let query = query::read(text, &index.dictionary, &fit.stemmers);
        let mut scratch = Borrowed::take();
        index.search(&query, is_wanted, &mut scratch);
        Self {
            index,
            query,
            scratch,
        }
    }

    /// Judges agents anew by words and meaning.
    fn closer(mut self, asked: Asked<'_>, is_wanted: impl Fn(u32) -> bool) -> Self {
        let closer = Closer {
            index: self.index,
            asked,
            curve: calibrate::Curve::of(self.query.mass),
            is_wanted,
        };
        closer.look(&mut self.scratch);
        self
    }

    /// Returns the fit of an agent; none for one that shares no term with the text.
    #[must_use]
    pub fn get(&self, agent: usize) -> Option<AgentFit> {
        let matched = self.scratch.best(agent)?;
        let skill = self.index.skill(matched.position)?;
        Some(AgentFit {
            agent,
            skill: skill.on_card(),
            raw: f64::from(matched.raw),
            value: calibrate::probability(matched.log_odds),
            log_odds: f64::from(matched.log_odds),
            words: f64::from(matched.words),
            meaning: matched.meaning.map(f64::from),
        })
    }

    /// Returns every agent that was found, with the log-odds of its fit, in no particular order.
    pub(crate) fn found(&self) -> impl Iterator<Item = (usize, f32)> {
        let agents = self.scratch.agents.iter();
        agents.filter_map(|agent| Some((*agent, self.scratch.best(*agent)?.log_odds)))
    }

    /// Returns the words of the text that an agent matches, as written, strongest first, at most eight.
    #[must_use]
    pub fn why(&self, agent: usize) -> Vec<String> {
        let matched = self.scratch.best(agent);
        matched.map_or_else(Vec::new, |matched| {
            self.index.why(&self.query, matched, EXPLAINED_WORDS)
        })
    }

    /// Returns the fit of every agent that was found, best first, equal ones in the order of the catalog.
    #[must_use]
    pub fn best_first(&self) -> Vec<AgentFit> {
        let agents = self.scratch.agents.iter();
        let mut found: Vec<(&Match, usize)> = agents
            .filter_map(|agent| Some((self.scratch.best(*agent)?, *agent)))
            .collect();
        found.sort_unstable_by(|left, right| left.0.order(right.0));
        let fits = found.into_iter();
        fits.filter_map(|(_, agent)| self.get(agent)).collect()
    }
}
