//! Reads a request: which of its words tell something, and under which terms each is looked up.

use super::bridge::BRIDGE;
use super::dictionary::Dictionary;
use super::guesses::Guessed;
use super::languages::{Languages, Profile, Stemmers, profile};
use super::stop_words::{is_faint, stop_languages};
use super::tokens::{Token, capped, parts, tokens};
use super::vocabulary::Term;

/// A telling word of a request.
#[derive(Debug)]
pub(super) struct QueryWord<'t> {
    /// The word as written.
    pub(super) written: &'t str,
    /// How much the word counts, in `(0, 1]`.
    pub(super) weight: f32,
    /// The terms it is looked up under, with the strength of each, strongest first.
    pub(super) terms: Vec<(Term, f32)>,
}

/// A request, read.
#[derive(Debug, Default)]
pub(super) struct Query<'t> {
    /// The telling words, each once.
    pub(super) words: Vec<QueryWord<'t>>,
    /// The summed weight of all telling words, found or not.
    pub(super) mass: f32,
}

/// Bytes of a request that are read.
const REQUEST_BYTES: usize = 8 * 1024;
/// Different words of a request that are looked up, known or not.
const READ_WORDS: usize = 256;
/// Telling words of a request that count.
const REQUEST_WORDS: usize = 64;

const STEM: f32 = 0.95;
const PART: f32 = 0.8;
const CONCEPT: f32 = 0.85;
const TOPIC: f32 = 0.35;
const GUESS: f32 = 0.8;
const FAINT: f32 = 0.3;
const NUMBER: f32 = 0.2;
const CJK: f32 = 0.6;
/// What a telling word counts for at least, however common it is on cards.
const LEAST_MASS: f32 = 0.6;
/// What a word counts for that no card knows.
const UNKNOWN: f32 = 0.6;
/// What a capitalised word counts for that no card knows: mostly a name of a place or a person.
const UNKNOWN_NAME: f32 = 0.2;
/// What a pair of CJK characters counts for that no card knows: mostly the seam of two words.
const UNKNOWN_CJK: f32 = 0.15;

/// Reads a request against a dictionary.
pub(super) fn read<'t>(text: &'t str, dictionary: &Dictionary, stemmers: &Stemmers) -> Query<'t> {
    let tokens = tokens(capped(text, REQUEST_BYTES));
    let stops: Vec<Languages> = tokens
        .iter()
        .map(|token| stop_languages(&token.folded))
        .collect();
    let profile = profile(stops.iter().copied());
    let reader = Reader {
        dictionary,
        stemmers,
        profile,
    };
    let mut query = Query::default();
    let mut seen: Vec<&str> = Vec::new();
    for (at, (token, stop)) in tokens.iter().zip(stops).enumerate() {
        if query.words.len() == REQUEST_WORDS || seen.len() == READ_WORDS {
            break;
        }
        if stop.meets(profile.likely) || seen.contains(&token.folded.as_str()) {
            continue;
        }
        seen.push(&token.folded);
        let Sense::Terms {
            terms,
            meant,
            faint,
        } = reader.terms(token)
        else {
            continue;
        };
        let weight = weight(token, meant, faint);
        let best = terms
            .iter()
            .map(|(term, _)| dictionary.rarity(*term))
            .fold(0.0, f32::max);
        if terms.is_empty() {
            query.mass += weight * unknown(token, at, meant);
        } else {
            query.mass += weight * best.max(LEAST_MASS);
            query.words.push(QueryWord {
                written: token.written,
                weight,
                terms,
            });
        }
    }
    query
}

fn weight(token: &Token<'_>, meant: bool, faint: bool) -> f32 {
    if token.folded.bytes().all(|byte| byte.is_ascii_digit()) {
        NUMBER
    } else if !token.folded.is_ascii() && !meant {
        CJK
    } else if faint {
        FAINT
    } else {
        1.0
    }
}

fn unknown(token: &Token<'_>, at: usize, meant: bool) -> f32 {
    if meant {
        UNKNOWN
    } else if !token.folded.is_ascii() {
        UNKNOWN_CJK
    } else if at > 0 && token.written.chars().next().is_some_and(char::is_uppercase) {
        UNKNOWN_NAME
    } else {
        UNKNOWN
    }
}

enum Sense {
    Nothing,
    Terms {
        terms: Vec<(Term, f32)>,
        meant: bool,
        faint: bool,
    },
}

struct Reader<'d> {
    dictionary: &'d Dictionary,
    stemmers: &'d Stemmers,
    profile: Profile,
}

impl Reader<'_> {
    /// Returns the terms of a word, and whether the bridge knows its meaning.
    fn terms(&self, token: &Token<'_>) -> Sense {
        let mut faint = is_faint(&token.folded);
        let mut terms = Vec::new();
        let mut concepts = Vec::new();
        let readable = self.profile.readable();
        keep(&mut terms, self.dictionary.form(&token.folded), 1.0);
        BRIDGE.concepts(&token.folded, readable, &mut concepts);
        self.stemmers
            .stems(token.written, self.profile.stemmed(), |language, stem| {
                keep(&mut terms, self.dictionary.form(&stem), STEM);
                if readable.has(language) {
                    BRIDGE.concepts(&stem, Languages::of(language), &mut concepts);
                }
            });
        for part in parts(token.written) {
            keep(&mut terms, self.dictionary.form(&part), PART);
            BRIDGE.concepts(&part, readable, &mut concepts);
        }
        let meant = !concepts.is_empty();
        let spread = [1.0, 1.0, 0.9, 0.8, 0.7]
            .get(concepts.len())
            .copied()
            .unwrap_or(0.6);
        for concept in concepts {
            keep(
                &mut terms,
                self.dictionary.concept(concept),
                CONCEPT * spread,
            );
            keep(&mut terms, self.dictionary.topic(concept), TOPIC * spread);
        }
        if terms.is_empty() && !meant {
            match self.dictionary.guess(&token.folded, readable) {
                Guessed::StopWord => return Sense::Nothing,
                Guessed::Unknown => {}
                Guessed::Terms {
                    terms: guesses,
                    faint: is_faint,
                } => {
                    for (term, strength) in guesses {
                        keep(&mut terms, Some(term), GUESS * strength);
                    }
                    faint = is_faint;
                }
            }
        }
        Sense::Terms {
            terms,
            meant,
            faint,
        }
    }
}

fn keep(terms: &mut Vec<(Term, f32)>, term: Option<Term>, strength: f32) {
    let Some(term) = term else { return };
    match terms.iter_mut().find(|(other, _)| *other == term) {
        Some((_, known)) => *known = known.max(strength),
        None => terms.push((term, strength)),
    }
}
