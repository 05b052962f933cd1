//! Makes the directions of any model comparable: what closeness between unrelated sentences is to it becomes what it is
//! to the model that the weights of fusion were fitted with.
//!
//! Models differ in how close they find texts that have nothing to do with each other, and in how much that varies. Both
//! are measured on ordinary sentences, taken off and divided by. What counts is then by how much a card is closer than
//! chance would have it.

use super::{
    direction::Direction,
    ordinary::{MEANINGS, ORDINARY},
};

/// Closeness of unrelated ordinary sentences to the model that the weights were fitted with: its mean.
const MEAN: f32 = -0.0894;
/// Its standard deviation.
const SPREAD: f32 = 0.0825;

/// How a model's closeness is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standard {
    /// The mean of ordinary sentences, which is in everything that can be said.
    ordinary: Vec<f32>,
    scale: f32,
    shift: f32,
}

impl Standard {
    /// Measures a model by what it makes of the ordinary sentences; none if it makes the same of all of them.
    pub(super) fn of(vectors: &[Vec<f32>]) -> Option<Self> {
        let ordinary = mean(vectors);
        let (mean, spread) = unrelated(vectors, &ordinary);
        let scale = SPREAD / spread;
        scale.is_finite().then_some(Self {
            ordinary,
            scale,
            shift: MEAN - mean * scale,
        })
    }

    /// Returns what makes a request different from ordinary sentences, to be compared with cards.
    pub(super) fn direction(&self, mut vector: Vec<f32>) -> Direction {
        for (value, ordinary) in vector.iter_mut().zip(&self.ordinary) {
            *value -= ordinary;
        }
        Direction::standardised(&vector, self.scale, self.shift)
    }

    /// Returns factor and summand.
    pub(super) fn line(&self) -> (f32, f32) {
        (self.scale, self.shift)
    }

    /// Returns the width of the model's vectors.
    pub(super) fn width(&self) -> usize {
        self.ordinary.len()
    }
}

/// Returns the texts by which a model is measured.
pub(super) fn texts() -> &'static [&'static str] {
    &ORDINARY
}

/// Returns mean and standard deviation of the closeness of ordinary sentences that say different things.
fn unrelated(vectors: &[Vec<f32>], ordinary: &[f32]) -> (f32, f32) {
    let (mut count, mut sum, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (asked, request) in vectors.iter().enumerate() {
        for (other, card) in vectors.iter().enumerate() {
            if asked % MEANINGS != other % MEANINGS {
                let parts = request.iter().zip(ordinary).zip(card);
                let closeness = parts.map(|((value, ordinary), card)| (value - ordinary) * card);
                let closeness = f64::from(closeness.sum::<f32>());
                count += 1.0;
                sum += closeness;
                squares += closeness * closeness;
            }
        }
    }
    let mean = sum / count;
    let variance = squares / count - mean * mean;
    #[expect(clippy::cast_possible_truncation, reason = "numbers about 0 and 1")]
    let found = (mean as f32, variance.max(0.0).sqrt() as f32);
    found
}

/// Returns the mean of vectors of one width.
fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
    let share = 1.0 / f32::from(u16::try_from(vectors.len()).unwrap_or(u16::MAX));
    for vector in vectors {
        for (mean, value) in mean.iter_mut().zip(vector) {
            *mean += value * share;
        }
    }
    mean
}
