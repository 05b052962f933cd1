//! Fit: how well the best skill of each agent suits the text of a message, in `[0, 1]`, with the words that say so.
//!
//! Purely lexical and deterministic. An inverted index over the fields of all cards is asked for the telling
//! words of a message under their folded form, their stems, the concept they stand for in one of six languages,
//! and, for words no card knows, the known words that look alike. What a word brings is capped per field and
//! diluted by the length of the field, so a longer card is not a better one.

mod bridge;
mod calibrate;
mod dictionary;
mod fields;
mod guesses;
mod index;
mod languages;
mod ngrams;
mod query;
mod spelling;
mod stop_words;
#[cfg(test)]
mod tests;
mod tokens;

use self::fields::FieldReader;
use self::index::{Index, Match};
use self::languages::Stemmers;
use self::query::Query;

/// Agents whose match is explained; the many weak ones after them get no words.
const EXPLAINED_AGENTS: usize = 16;
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
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFit {
    /// The agent's position in the catalog.
    pub agent: usize,
    /// The best skill's position on the card; none for a card without skills.
    pub skill: Option<usize>,
    /// The summed weight of the matched words, from 0 without a ceiling.
    pub raw: f64,
    /// The estimated probability that the agent is a right one for the message.
    pub value: f64,
    /// The matched words as the message has them, strongest first, at most eight; empty for far-off agents.
    pub why: Vec<String>,
}

/// An index over the texts of a catalog; immutable once built.
#[derive(Debug)]
pub struct FitIndex {
    index: Index,
    stemmers: Stemmers,
}

impl FitIndex {
    /// Reads the texts of all agents.
    pub fn build<'a>(agents: impl IntoIterator<Item = AgentText<'a>>) -> Self {
        let stemmers = Stemmers::new();
        let mut reader = FieldReader::new(&stemmers);
        let mut index = Index::default();
        for agent in agents {
            let skills = reader.read(&agent, &mut index.dictionary);
            index.add(agent.agent, agent.skills.is_empty(), skills);
        }
        index.finish();
        Self { index, stemmers }
    }

    /// Returns the fit of every agent that shares a term with the text, best first, each with its best skill.
    ///
    /// Agents that share none are absent: their fit is 0.
    #[must_use]
    pub fn score(&self, text: &str) -> Vec<AgentFit> {
        let query = self.read(text);
        let best = self.index.best_of_agents(&query);
        let explained = |(rank, found): (usize, &Match)| {
            self.fit(
                &query,
                found,
                if rank < EXPLAINED_AGENTS {
                    EXPLAINED_WORDS
                } else {
                    0
                },
            )
        };
        best.iter().enumerate().filter_map(explained).collect()
    }

    /// Returns the fit of one skill for each agent, for a caller that names the skill. `wanted` says which one
    /// it is, by its position in the agent's card; agents without it and skills that nothing matches are absent.
    #[must_use]
    pub fn score_named(
        &self,
        text: &str,
        wanted: impl Fn(usize) -> Option<usize>,
    ) -> Vec<AgentFit> {
        let query = self.read(text);
        let is_wanted = |found: &Match| {
            let skill = self.index.skill(found);
            skill.is_some_and(|of| of.skill.is_some() && of.skill == wanted(of.agent))
        };
        let found = self.index.matches(&query);
        let found = found.into_iter().filter(is_wanted);
        found
            .filter_map(|found| self.fit(&query, &found, EXPLAINED_WORDS))
            .collect()
    }

    fn read<'t>(&self, text: &'t str) -> Query<'t> {
        query::read(text, &self.index.dictionary, &self.stemmers)
    }

    fn fit(&self, query: &Query<'_>, found: &Match, words: usize) -> Option<AgentFit> {
        let skill = self.index.skill(found)?;
        let why = if words == 0 {
            Vec::new()
        } else {
            self.index.why(query, found, words)
        };
        Some(AgentFit {
            agent: skill.agent,
            skill: skill.skill,
            raw: f64::from(found.evidence.total),
            value: calibrate::probability(found.log_odds),
            why,
        })
    }
}
