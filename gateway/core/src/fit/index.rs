//! The skills of a catalog, and the evidence for each that shares a term with a request.

use std::ops::Range;
use std::sync::Arc;

use super::block::{self, Counted, Judged};
use super::calibrate::Curve;
use super::dictionary::Dictionary;
use super::fields::{CardTerms, SkillTerms};
use super::postings::WordPostings;
use super::query::{Query, QueryWord};
use super::scratch::Scratch;
use super::vocabulary::{Term, Vocabulary};

/// The skills of an index and their terms.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The terms.
    pub(super) dictionary: Dictionary,
    skills: Vec<Skill>,
    /// The breadth of each skill once more, as the search reads it.
    breadths: Vec<f32>,
    cards: Vec<Arc<CardTerms>>,
    /// The positions of the skills of each agent, by its number.
    ranges: Vec<Range<u32>>,
    /// The agents that have skills, in the order of these.
    agents: Vec<u32>,
    /// All of them in blocks.
    blocks: Vec<BlockOf>,
}

/// What a block is of.
#[derive(Debug, Clone)]
struct BlockOf {
    /// Positions of skills.
    skills: Range<u32>,
    /// Places in the list of agents.
    agents: Range<usize>,
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
    /// What the words bring to it, added up.
    pub(super) raw: f32,
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
            agents: by_agent(&skills)
                .filter_map(|skills| Some(skills.first()?.agent))
                .collect(),
            blocks: blocks(&skills),
            ranges: ranges(&skills),
            breadths: skills.iter().map(|skill| skill.breadth_ln).collect(),
            skills,
        }
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

    /// Finds every skill that shares a term with the request, and the best one of each agent among those whose position
    /// `is_wanted`. The work is proportional to the postings of the request's terms.
    pub(super) fn search(
        &self,
        query: &Query<'_>,
        is_wanted: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) {
        scratch.resize(self.skills.len(), self.ranges.len());
        let words = query.words.iter();
        let mut words: Vec<_> = words.map(|word| self.postings(word)).collect();
        let curve = Curve::of(query.mass);
        for BlockOf { skills, agents } in &self.blocks {
            scratch.block.begin(skills);
            for word in &mut words {
                word.count(&mut scratch.block, skills.end);
            }
            if !scratch.block.is_touched() {
                continue;
            }
            scratch.judge_block(skills, curve, &self.breadths);
            for agent in self.agents.get(agents.clone()).unwrap_or_default() {
                let agent = *agent as usize;
                if let Some(best) = scratch.best_of(self.skills_of(agent), &is_wanted) {
                    scratch.judge(agent, best);
                }
            }
            scratch.block.end();
        }
    }

    /// Returns the postings of the terms of a word, strongest first.
    fn postings(&self, word: &QueryWord<'_>) -> WordPostings<'_> {
        let terms = word.terms.iter().map(|(term, strength)| {
            let strength = word.weight * strength;
            let counted = Counted {
                strength,
                cover: strength * self.dictionary.rarity(*term),
            };
            (counted, self.dictionary.postings(*term))
        });
        WordPostings::of(terms)
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
    pub(super) fn by_words(position: u32, judged: Judged) -> Self {
        Self {
            position,
            raw: judged.total,
            log_odds: judged.log_odds,
            words: judged.log_odds,
            meaning: None,
        }
    }

    /// Orders by log-odds, likeliest first, then by position.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_odds = other.log_odds.total_cmp(&self.log_odds);
        by_odds.then(self.position.cmp(&other.position))
    }
}

/// Returns the skills of each agent, which are neighbours.
fn by_agent(skills: &[Skill]) -> impl Iterator<Item = &[Skill]> {
    skills.chunk_by(|one, next| one.agent == next.agent)
}

/// Returns the positions of the skills of each agent, by its number.
fn ranges(skills: &[Skill]) -> Vec<Range<u32>> {
    let agents = skills.iter().map(|skill| skill.agent() + 1).max();
    let mut ranges = vec![0..0; agents.unwrap_or(0)];
    let mut start = 0;
    for skills in by_agent(skills) {
        let end = start + length(skills);
        let agent = skills.first().map(Skill::agent);
        if let Some(range) = agent.and_then(|agent| ranges.get_mut(agent)) {
            *range = start..end;
        }
        start = end;
    }
    ranges
}

/// Makes blocks of whole agents, each of no more than [`block::SKILLS`] skills unless one agent has more.
fn blocks(skills: &[Skill]) -> Vec<BlockOf> {
    let mut blocks: Vec<BlockOf> = Vec::new();
    let mut start = 0;
    for (agent, skills) in by_agent(skills).enumerate() {
        let end = start + length(skills);
        match blocks.last_mut() {
            Some(block) if (end - block.skills.start) as usize <= block::SKILLS => {
                block.skills.end = end;
                block.agents.end = agent + 1;
            }
            _ => blocks.push(BlockOf {
                skills: start..end,
                agents: agent..agent + 1,
            }),
        }
        start = end;
    }
    blocks
}

fn length(skills: &[Skill]) -> u32 {
    u32::try_from(skills.len()).unwrap_or(u32::MAX)
}
