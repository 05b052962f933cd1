//! Tells whether a message fits two agents alike, so that choosing one of them is a guess.
//!
//! The margin says little: of two agents that do the same, the one whose card happens to have the words of the
//! message is far ahead. So what the two cards are about counts most, then whether the words that speak for the
//! first speak for the other too. The weights were fitted on labelled requests over real cards.

use super::Fits;
use super::index::{Index, Match};
use super::query::Query;

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
        let best = self.scratch.best(first)?;
        let value = self.get(first)?.value;
        let rivals = others.into_iter().filter_map(|agent| {
            let matched = self.scratch.best(agent)?;
            let margin = value - self.get(agent)?.value;
            let similarity = similarity(self.index, best, matched)?;
            let shared = shared(self.index, &self.query, best, matched);
            let log_odds =
                BIAS + SIMILARITY * similarity + SHARED * f64::from(shared) + MARGIN * margin;
            let likeness = 1.0 / (1.0 + (-log_odds).exp());
            Some(Rival { agent, likeness })
        });
        rivals.max_by(|left, right| left.likeness.total_cmp(&right.likeness))
    }
}

/// Returns the cosine of two skills' terms, rare ones weighing more.
fn similarity(index: &Index, left: &Match, right: &Match) -> Option<f64> {
    let (left, right) = (
        &index.terms(left.position)?.impacts,
        &index.terms(right.position)?.impacts,
    );
    let weight = |(term, impact): &(_, f32)| impact * index.dictionary.rarity(*term);
    let norm = |terms: &[(_, f32)]| {
        let squares = terms.iter().map(|term| exact(weight(term).powi(2)));
        squares.sum::<i64>()
    };
    let mut product = 0;
    let mut rest = right.iter().peekable();
    for term in left {
        while rest.next_if(|other| other.0 < term.0).is_some() {}
        if let Some(other) = rest.next_if(|other| other.0 == term.0) {
            product += exact(weight(term) * weight(other));
        }
    }
    let norms = (inexact(norm(left)) * inexact(norm(right))).sqrt();
    (norms > 0.0).then(|| inexact(product) / norms)
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

/// Returns the part of what speaks for the first that comes from words the other matches too.
fn shared(index: &Index, query: &Query<'_>, first: &Match, other: &Match) -> f32 {
    let (mut all, mut shared) = (0.0_f32, 0.0);
    for word in &query.words {
        let gain = index.gain(word, first.position);
        all += gain;
        if index.gain(word, other.position) > 0.0 {
            shared += gain;
        }
    }
    shared / all.max(f32::MIN_POSITIVE)
}
