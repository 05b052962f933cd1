//! Turns the text of a skill and its agent into weighted terms, so that more text never means more weight.
//!
//! Each field has a weight, a reference length and a cap. A field longer than its reference is diluted by its
//! full length, and a word counts at most twice in a field: stuffing a card lowers the weight of each word in it.

use std::collections::HashMap;

use super::bridge::{BRIDGE, Concept, TOPICS};
use super::languages::{Languages, Profile, Stemmers, profile};
use super::stop_words::stop_languages;
use super::tokens::{Token, capped, parts, tokens};
use super::vocabulary::{Key, Term, Vocabulary};
use super::{AgentText, SkillText};

/// How one field counts.
#[derive(Debug, Clone, Copy)]
struct Field {
    weight: f32,
    reference: f32,
}

const SKILL_NAME: Field = Field {
    weight: 2.6,
    reference: 6.0,
};
const SKILL_ID: Field = Field {
    weight: 1.2,
    reference: 6.0,
};
const TAGS: Field = Field {
    weight: 1.8,
    reference: 10.0,
};
const EXAMPLES: Field = Field {
    weight: 1.2,
    reference: 40.0,
};
const DESCRIPTION: Field = Field {
    weight: 1.5,
    reference: 30.0,
};
const AGENT_NAME: Field = Field {
    weight: 2.4,
    reference: 5.0,
};
const AGENT_DESCRIPTION: Field = Field {
    weight: 1.0,
    reference: 30.0,
};

/// Bytes of one text of a card that are read at all.
const TEXT_BYTES: usize = 16 * 1024;
/// Words of a field that become terms; further ones only dilute.
const FIELD_TERMS: u16 = 160;
/// How much the length of a field beyond its reference dilutes it, from 0 to 1.
const DILUTION: f32 = 0.8;
/// Occurrences of a word in one field that count.
const REPEATS: f32 = 2.0;
/// Weight at which a term reaches half of its full impact.
const HALF_IMPACT: f32 = 2.0;
/// A skill is about a topic when at least this share of its concepts belongs to it.
const TOPIC_SHARE: f32 = 0.25;
/// Words whose terms are remembered while cards are read.
const REMEMBERED_WORDS: usize = 100_000;

/// The terms of one skill.
#[derive(Debug)]
pub(super) struct SkillTerms {
    /// Each term with its impact in `[0, 1]`, by term.
    pub(super) impacts: Box<[(Term, f32)]>,
    /// The logarithm of over how many topics the text spreads.
    pub(super) breadth_ln: f32,
}

/// The terms of a card.
#[derive(Debug)]
pub(super) struct CardTerms {
    /// Whether the card has no skills, and its one entry is the agent itself.
    pub(super) is_bare: bool,
    /// The terms of each skill, in the order of the card.
    pub(super) skills: Box<[SkillTerms]>,
}

/// Skills of a card to which the agent's name and description count; those of more skills are found by their own words,
/// so that what a card takes of memory is no multiple of its size.
const SHARING: usize = 1000;

type Weights = HashMap<Term, f32>;

/// Reads the cards of agents into the terms of a vocabulary.
pub(super) struct FieldReader<'s> {
    stemmers: &'s Stemmers,
    /// The terms of words already read, by the languages of the card.
    remembered: HashMap<Languages, HashMap<String, Vec<Term>>>,
}

impl<'s> FieldReader<'s> {
    /// Makes a reader.
    pub(super) fn new(stemmers: &'s Stemmers) -> Self {
        Self {
            stemmers,
            remembered: HashMap::new(),
        }
    }

    /// Returns the terms of each skill of an agent; one without skills has one nameless entry.
    pub(super) fn read(&mut self, agent: &AgentText<'_>, vocabulary: &mut Vocabulary) -> CardTerms {
        let mut reading = Reading {
            profile: card_profile(agent),
            reader: self,
            vocabulary,
        };
        let mut shared = Weights::new();
        reading.field(AGENT_NAME, &[agent.name], &mut shared);
        reading.field(AGENT_DESCRIPTION, &[agent.description], &mut shared);
        if agent.skills.is_empty() {
            return CardTerms {
                is_bare: true,
                skills: Box::new([reading.impacts(shared)]),
            };
        }
        let skills = agent.skills.iter();
        CardTerms {
            is_bare: false,
            skills: skills
                .enumerate()
                .map(|(place, skill)| {
                    let shared = if place < SHARING {
                        shared.clone()
                    } else {
                        Weights::new()
                    };
                    reading.skill(skill, shared)
                })
                .collect(),
        }
    }

    /// Returns every key of a word on a card, each once.
    fn keys(&self, token: &Token<'_>, profile: Profile) -> Vec<Key> {
        let mut forms = vec![token.folded.clone()];
        let mut concepts = Vec::new();
        self.add_stems(token.written, profile, &mut forms, &mut concepts);
        BRIDGE.concepts(&token.folded, profile.readable(), &mut concepts);
        for part in parts(token.written) {
            self.add_stems(&part, profile, &mut forms, &mut concepts);
            BRIDGE.concepts(&part, profile.readable(), &mut concepts);
            forms.push(part);
        }
        forms.sort_unstable();
        forms.dedup();
        forms
            .into_iter()
            .map(Key::Form)
            .chain(concepts.into_iter().map(Key::Concept))
            .collect()
    }

    fn add_stems(
        &self,
        word: &str,
        profile: Profile,
        forms: &mut Vec<String>,
        concepts: &mut Vec<Concept>,
    ) {
        self.stemmers
            .stems(word, profile.stemmed(), |language, stem| {
                if profile.readable().has(language) {
                    BRIDGE.concepts(&stem, Languages::of(language), concepts);
                }
                forms.push(stem);
            });
    }
}

/// A card being read.
struct Reading<'r, 's> {
    profile: Profile,
    reader: &'r mut FieldReader<'s>,
    vocabulary: &'r mut Vocabulary,
}

impl Reading<'_, '_> {
    fn skill(&mut self, skill: &SkillText<'_>, mut weights: Weights) -> SkillTerms {
        let tags: Vec<&str> = skill.tags.iter().map(String::as_str).collect();
        let examples: Vec<&str> = skill.examples.iter().map(String::as_str).collect();
        self.field(SKILL_NAME, &[skill.name], &mut weights);
        self.field(SKILL_ID, &[skill.id], &mut weights);
        self.field(TAGS, &tags, &mut weights);
        self.field(EXAMPLES, &examples, &mut weights);
        self.field(DESCRIPTION, &[skill.description], &mut weights);
        self.impacts(weights)
    }

    fn field(&mut self, field: Field, texts: &[&str], weights: &mut Weights) {
        let mut counts = Weights::new();
        let mut length = 0_u16;
        for token in texts
            .iter()
            .flat_map(|text| tokens(capped(text, TEXT_BYTES)))
        {
            if stop_languages(&token.folded).meets(self.profile.likely) {
                continue;
            }
            length = length.saturating_add(1);
            if length <= FIELD_TERMS {
                self.count(&token, &mut counts);
            }
        }
        let excess = (f32::from(length) / field.reference).max(1.0);
        let weight = field.weight / (1.0 - DILUTION + DILUTION * excess);
        for (term, count) in counts {
            *weights.entry(term).or_default() += weight * (0.5 + 0.5 * count.min(REPEATS));
        }
    }

    fn count(&mut self, token: &Token<'_>, counts: &mut Weights) {
        if let Some(terms) = self.remembered().get(token.written) {
            terms
                .iter()
                .for_each(|term| *counts.entry(*term).or_default() += 1.0);
            return;
        }
        let keys = self.reader.keys(token, self.profile);
        let terms: Vec<Term> = keys
            .into_iter()
            .map(|key| self.vocabulary.intern(key))
            .collect();
        terms
            .iter()
            .for_each(|term| *counts.entry(*term).or_default() += 1.0);
        if self.remembered().len() < REMEMBERED_WORDS {
            self.remembered().insert(token.written.to_owned(), terms);
        }
    }

    fn remembered(&mut self) -> &mut HashMap<String, Vec<Term>> {
        self.reader
            .remembered
            .entry(self.profile.likely)
            .or_default()
    }

    fn impacts(&mut self, weights: Weights) -> SkillTerms {
        let mut topics = [0.0_f32; TOPICS];
        let impact = |(term, weight): (Term, f32)| (term, weight / (weight + HALF_IMPACT));
        let mut impacts: Vec<(Term, f32)> = weights.into_iter().map(impact).collect();
        impacts.sort_unstable_by_key(|(term, _)| *term);
        for (term, impact) in &impacts {
            let concept = Vocabulary::meaning(*term);
            if let Some(topic) =
                concept.and_then(|concept| topics.get_mut(usize::from(BRIDGE.topic(concept))))
            {
                *topic += impact;
            }
        }
        let all = topics.iter().sum::<f32>();
        let squares = topics.iter().map(|weight| weight * weight).sum::<f32>();
        let concentration =
            (squares + TYPICAL_MASS * TYPICAL_CONCENTRATION) / (all * all + TYPICAL_MASS);
        for (topic, share) in (0_u8..).zip(topics.map(|weight| weight / all.max(1.0))) {
            if share >= TOPIC_SHARE {
                impacts.push((Vocabulary::topic(topic), share));
            }
        }
        impacts.sort_unstable_by_key(|(term, _)| *term);
        SkillTerms {
            impacts: impacts.into(),
            breadth_ln: -concentration.ln(),
        }
    }
}

/// How concentrated a text is taken to be before any of its words is known: as a usual card is, so that words of
/// no known topic count neither for nor against it.
const TYPICAL_CONCENTRATION: f32 = 0.4;
/// What that assumption weighs, in squared weight of known concepts.
const TYPICAL_MASS: f32 = 10.0;

/// Tells the languages of a card, English unless it says otherwise.
fn card_profile(agent: &AgentText<'_>) -> Profile {
    let examples = agent
        .skills
        .iter()
        .flat_map(|skill| skill.examples.iter().map(String::as_str));
    let descriptions = agent
        .skills
        .iter()
        .map(|skill| skill.description)
        .chain([agent.description]);
    let words = descriptions
        .chain(examples)
        .flat_map(|text| tokens(capped(text, TEXT_BYTES)));
    let found = profile(words.map(|token| stop_languages(&token.folded)));
    if found.sure { found } else { Profile::ENGLISH }
}
