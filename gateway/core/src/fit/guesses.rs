//! Guesses what a word means that no card and no column of the bridge has: a misspelling, a cognate, an inflection.

use super::bridge::{BRIDGE, Concept};
use super::languages::Languages;
use super::ngrams::Ngrams;
use super::spelling::{Spelling, one_slip, slip_strength};
use super::stop_words::{faint_words, stop_words};
use super::vocabulary::Term;

/// The known words, filed for guessing.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    words: Vec<KnownWord>,
    spelling: Spelling,
    ngrams: Ngrams,
}

#[derive(Debug)]
struct KnownWord {
    folded: String,
    meaning: Meaning,
}

#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// A term of a card, or of a concept a card has, in these languages.
    Term(Term, Languages),
    /// A stop word of these languages.
    Stop(Languages),
    /// A word that says little in any language.
    Faint,
}

/// What an unknown word turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Guessed {
    /// Nothing known is like it.
    Unknown,
    /// A misspelt stop word.
    StopWord,
    /// One of these terms, with the strength of each, strongest first.
    Terms {
        /// The terms.
        terms: Vec<(Term, f32)>,
        /// Whether a faint word is the likeliest.
        faint: bool,
    },
}

/// Share of 3-grams from which an unknown word may stand for a known one.
const LEAST_SIMILARITY: f32 = 0.55;
/// Strength from which a guess is taken for granted.
const CONVINCING: f32 = 0.5;
/// Terms kept for one unknown word, and all that are as strong as the last of them: words of other cards must not push
/// one out that is as good.
const ENOUGH_TERMS: usize = 4;
/// Terms kept at most.
const MOST_TERMS: usize = 32;

impl Guesses {
    /// Files the forms of the cards, the words of the bridge whose concept a card has, and the plain words.
    pub(super) fn build<'w>(
        forms: impl Iterator<Item = (&'w str, Term)>,
        concept: impl Fn(Concept) -> Option<Term>,
    ) -> Self {
        let forms =
            forms.map(|(form, term)| KnownWord::new(form, Meaning::Term(term, Languages::ALL)));
        let bridge = BRIDGE.words.iter().filter_map(|word| {
            let meaning = Meaning::Term(concept(word.concept)?, Languages::of(word.language));
            Some(KnownWord::new(&word.folded, meaning))
        });
        let stop =
            stop_words().map(|(word, languages)| KnownWord::new(word, Meaning::Stop(languages)));
        let faint = faint_words().map(|word| KnownWord::new(word, Meaning::Faint));
        let mut words: Vec<KnownWord> = forms.chain(bridge).chain(stop).chain(faint).collect();
        words.sort_by(|left, right| left.folded.cmp(&right.folded));
        let spelling = Spelling::build(words.iter().map(|word| word.folded.as_str()));
        let ngrams = Ngrams::build(words.iter().map(|word| word.folded.as_str()));
        Self {
            words,
            spelling,
            ngrams,
        }
    }

    /// Returns what a word may stand for in a text of the given languages.
    pub(super) fn guess(&self, folded: &str, languages: Languages) -> Guessed {
        let mut terms: Vec<(Term, f32)> = Vec::new();
        let mut faint = false;
        for (meaning, strength) in self.alike(folded) {
            match meaning {
                Meaning::Stop(of)
                    if of.meets(languages) && terms.is_empty() && strength >= CONVINCING =>
                {
                    return Guessed::StopWord;
                }
                Meaning::Faint if terms.is_empty() && strength >= CONVINCING => faint = true,
                Meaning::Term(term, of)
                    if of.meets(languages) && terms.iter().all(|(other, _)| *other != term) =>
                {
                    terms.push((term, strength));
                }
                _ => {}
            }
        }
        keep_strongest(&mut terms);
        if terms.is_empty() {
            Guessed::Unknown
        } else {
            Guessed::Terms { terms, faint }
        }
    }

    fn alike(&self, folded: &str) -> Vec<(Meaning, f32)> {
        let known = |position: u32| self.words.get(position as usize);
        let slips = self
            .spelling
            .candidates(folded)
            .into_iter()
            .filter_map(known);
        let slips = slips.filter(|word| one_slip(&word.folded, folded));
        let slips = slips.map(|word| (word, slip_strength(&word.folded, folded)));
        let similar = self.ngrams.similar(folded, LEAST_SIMILARITY).into_iter();
        let similar =
            similar.filter_map(|(position, share)| Some((known(position)?, share * share)));
        let mut found: Vec<(&KnownWord, f32)> = slips.chain(similar).collect();
        found.sort_by(|left, right| {
            right
                .1
                .total_cmp(&left.1)
                .then_with(|| left.0.folded.cmp(&right.0.folded))
        });
        found
            .into_iter()
            .map(|(word, strength)| (word.meaning, strength))
            .collect()
    }
}

/// Leaves the strongest; they are sorted.
fn keep_strongest(terms: &mut Vec<(Term, f32)>) {
    if let Some((_, last)) = terms.get(ENOUGH_TERMS - 1).copied() {
        let kept = terms.partition_point(|(_, strength)| *strength >= last);
        terms.truncate(kept.min(MOST_TERMS));
    }
}

impl KnownWord {
    fn new(folded: &str, meaning: Meaning) -> Self {
        Self {
            folded: folded.to_owned(),
            meaning,
        }
    }
}
