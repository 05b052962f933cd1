//! Tells whether a message fits two agents alike, so that choosing one of them is a guess.
//!
//! The margin says little: of two agents that do the same, the one whose card happens to have the words of the
//! message is far ahead. So what the two cards are about counts most, then whether the words that speak for the
//! first speak for the other too. The weights were fitted on labelled requests over real cards.

use super::Fits;
use super::index::Index;
use super::vocabulary::Term;

/// An agent that may be as right as the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// The agent's position in the catalog.
    pub agent: usize,
    /// How much the two are alike for this message, in `[0, 1]`; not a probability.
    pub likeness: f64,
}

impl Rival {
    /// Likeness from which a choice between the two is a guess.
    const ALIKE: f64 = 0.5;

    /// Says whether a choice between the two is a guess.
    #[must_use]
    pub fn is_alike(&self) -> bool {
        self.likeness >= Self::ALIKE
    }
}

const SIMILARITY: f64 = 5.15;
const SHARED: f64 = 2.39;
const MARGIN: f64 = -0.47;
const BIAS: f64 = -3.70;

impl Fits<'_, '_> {
    /// Returns which of the `others` is most like the `first` for this message; none if nothing of the message
    /// was found in them. The weights hold for the next four by fit.
    #[must_use]
    pub fn rival(&self, first: usize, others: impl IntoIterator<Item = usize>) -> Option<Rival> {
        let mut others = others.into_iter().peekable();
        others.peek()?;
        let first = First::of(self, first)?;
        let rivals = others.filter_map(|agent| {
            let likeness = first.likeness(agent)?;
            Some(Rival { agent, likeness })
        });
        rivals.max_by(|left, right| left.likeness.total_cmp(&right.likeness))
    }
}

/// The agent that others are compared with, and what all comparisons need of it.
struct First<'f> {
    fits: &'f Fits<'f, 'f>,
    value: f64,
    /// Each term of its best skill with its weight, by term.
    weights: Vec<(Term, f32)>,
    /// The sum of their squares.
    squares: i64,
    /// What each word of the message brings to it.
    gains: Vec<f32>,
}

impl<'f> First<'f> {
    fn of(fits: &'f Fits<'f, 'f>, agent: usize) -> Option<Self> {
        let position = fits.scratch.best(agent)?.position;
        let terms = fits.index.terms(position)?.impacts.iter();
        let weights = terms.map(|(term, impact)| (*term, weight(fits.index, *term, *impact)));
        let weights: Vec<_> = weights.collect();
        let words = fits.query.words.iter();
        Some(Self {
            value: fits.get(agent)?.value,
            squares: weights.iter().map(|(_, weight)| square(*weight)).sum(),
            weights,
            gains: words.map(|word| fits.index.gain(word, position)).collect(),
            fits,
        })
    }

    /// Returns how much another agent is like this one.
    fn likeness(&self, other: usize) -> Option<f64> {
        let position = self.fits.scratch.best(other)?.position;
        let margin = self.value - self.fits.get(other)?.value;
        let similarity = self.similarity(position)?;
        let shared = f64::from(self.shared(position));
        let log_odds = BIAS + SIMILARITY * similarity + SHARED * shared + MARGIN * margin;
        Some(1.0 / (1.0 + (-log_odds).exp()))
    }

    /// Returns the cosine of the terms of both skills, rare ones weighing more.
    fn similarity(&self, position: u32) -> Option<f64> {
        let (mut product, mut squares) = (0, 0);
        let mut own = self.weights.iter().peekable();
        for (term, impact) in &self.fits.index.terms(position)?.impacts {
            let weight = weight(self.fits.index, *term, *impact);
            squares += square(weight);
            while own.next_if(|own| own.0 < *term).is_some() {}
            if let Some((_, own)) = own.next_if(|own| own.0 == *term) {
                product += exact(own * weight);
            }
        }
        let norms = (inexact(self.squares) * inexact(squares)).sqrt();
        (norms > 0.0).then(|| inexact(product) / norms)
    }

    /// Returns the part of what speaks for this one that comes from words the other matches too.
    fn shared(&self, position: u32) -> f32 {
        let (mut all, mut shared) = (0.0_f32, 0.0);
        for (word, gain) in self.fits.query.words.iter().zip(&self.gains) {
            all += gain;
            if *gain > 0.0 && self.fits.index.gain(word, position) > 0.0 {
                shared += gain;
            }
        }
        shared / all.max(f32::MIN_POSITIVE)
    }
}

fn weight(index: &Index, term: Term, impact: f32) -> f32 {
    impact * index.dictionary.rarity(term)
}

fn square(weight: f32) -> i64 {
    exact(weight.powi(2))
}

/// Terms are in the order in which cards were read. Counted in whole steps, their sum does not depend on it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what a term weighs is far below 2^20, and skills have far less than 2^11 terms"
)]
fn exact(amount: f32) -> i64 {
    (f64::from(amount) * f64::from(u32::MAX)) as i64
}

#[expect(clippy::cast_precision_loss, reason = "the last bits say nothing")]
fn inexact(steps: i64) -> f64 {
    steps as f64
}
