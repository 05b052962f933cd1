//! Gathers the evidence for every skill that shares a term with a request.

use super::calibrate::{Evidence, log_odds};
use super::dictionary::{Dictionary, Posting, Term};
use super::fields::SkillTerms;
use super::query::{Query, QueryWord};

/// The skills of an index and their terms.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The terms.
    pub(super) dictionary: Dictionary,
    skills: Vec<Skill>,
    agents: usize,
}

/// A skill of the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skill {
    /// The agent, as the caller numbers it.
    pub(super) agent: usize,
    /// The skill's place on the card; none for a card without skills.
    pub(super) skill: Option<usize>,
    /// The agent's place in the index.
    owner: usize,
    /// The logarithm of its breadth.
    pub(super) breadth_ln: f32,
}

/// What a request found in one skill.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    /// Position of the skill in the index.
    position: u32,
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
    /// Adds the skills of an agent.
    pub(super) fn add(&mut self, agent: usize, is_bare: bool, skills: Vec<SkillTerms>) {
        for (place, terms) in skills.into_iter().enumerate() {
            let skill = u32::try_from(self.skills.len()).unwrap_or(u32::MAX);
            for (term, impact) in terms.impacts {
                self.dictionary.note(term, Posting { skill, impact });
            }
            let skill = (!is_bare).then_some(place);
            self.skills.push(Skill {
                agent,
                skill,
                owner: self.agents,
                breadth_ln: terms.breadth.ln(),
            });
        }
        self.agents += 1;
    }

    /// Weighs the terms, once all agents are in.
    pub(super) fn finish(&mut self) {
        let owners: Vec<usize> = self.skills.iter().map(|skill| skill.owner).collect();
        self.dictionary.finish(&owners);
    }

    /// Returns the skill of a match.
    pub(super) fn skill(&self, found: &Match) -> Option<&Skill> {
        self.skills.get(found.position as usize)
    }

    /// Returns every skill that shares a term with the request, in no particular order.
    ///
    /// The work is proportional to the postings of the request's terms.
    pub(super) fn matches(&self, query: &Query<'_>) -> Vec<Match> {
        let mut slots = vec![0_u32; self.skills.len()];
        let mut found: Vec<Match> = Vec::new();
        for (number, word) in (0_u8..).zip(&query.words) {
            for (term, strength) in &word.terms {
                let cover = word.weight * strength * self.dictionary.rarity(*term);
                for posting in self.dictionary.postings(*term) {
                    if let Some(matched) = slot(posting.skill, &mut slots, &mut found) {
                        matched.add(
                            number,
                            word.weight * strength,
                            [cover, cover * posting.impact],
                        );
                    }
                }
            }
        }
        for matched in &mut found {
            let breadth_ln = self
                .skills
                .get(matched.position as usize)
                .map_or(0.0, |skill| skill.breadth_ln);
            matched.log_odds = log_odds(&matched.evidence, query.mass, breadth_ln);
        }
        found
    }

    /// Returns the best match of each agent, likelier agents first, then in the order of the catalog.
    pub(super) fn best_of_agents(&self, query: &Query<'_>) -> Vec<Match> {
        let mut slots = vec![0_u32; self.agents];
        let mut best: Vec<Match> = Vec::new();
        for found in self.matches(query) {
            let Some(slot) = self
                .skill(&found)
                .and_then(|skill| slots.get_mut(skill.owner))
            else {
                continue;
            };
            match best.get_mut((*slot as usize).wrapping_sub(1)) {
                Some(held) if found.precedes(held) => *held = found,
                Some(_) => {}
                None => {
                    best.push(found);
                    *slot = u32::try_from(best.len()).unwrap_or(0);
                }
            }
        }
        best.sort_unstable_by(|left, right| {
            right
                .log_odds
                .total_cmp(&left.log_odds)
                .then(left.position.cmp(&right.position))
        });
        best
    }

    /// Returns the words of a request that a skill matches, as written, strongest first. Numbers are left
    /// out: amounts and account numbers are nobody's business in a record.
    pub(super) fn why(&self, query: &Query<'_>, matched: &Match, most: usize) -> Vec<String> {
        let is_match = |number: usize| matched.words & (1 << number) != 0;
        let words = query.words.iter().enumerate().filter(|(number, word)| {
            is_match(*number) && !word.written.contains(|letter: char| letter.is_numeric())
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

    fn gain(&self, word: &QueryWord<'_>, position: u32) -> f32 {
        let impact = |term: Term| {
            let postings = self.dictionary.postings(term);
            let at = postings
                .binary_search_by_key(&position, |posting| posting.skill)
                .ok()?;
            postings.get(at).map(|posting| posting.impact)
        };
        let gain = |(term, strength): &(Term, f32)| {
            Some(impact(*term)? * strength * self.dictionary.rarity(*term))
        };
        word.weight * word.terms.iter().filter_map(gain).fold(0.0, f32::max)
    }
}

/// Returns the match of a skill, a new one on the first call for it; `slots` holds the place in `found` plus one.
fn slot<'f>(position: u32, slots: &mut [u32], found: &'f mut Vec<Match>) -> Option<&'f mut Match> {
    let slot = slots.get_mut(position as usize)?;
    if *slot == 0 {
        found.push(Match::new(position));
        *slot = u32::try_from(found.len()).ok()?;
    }
    found.get_mut((*slot - 1) as usize)
}

impl Match {
    fn new(position: u32) -> Self {
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

    fn precedes(&self, other: &Self) -> bool {
        self.log_odds > other.log_odds
            || (self.log_odds == other.log_odds && self.position < other.position)
    }
}
