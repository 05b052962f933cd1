//! Directions, kept small: a byte for each number and one scale for all.
//!
//! The error of a product of two is below 0.001, far below what two wordings of the same differ by.

/// The largest number that is stored, in steps of the scale.
const STEPS: f32 = 127.0;

/// A vector, each number rounded to a 127th of the largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// Of two bytes each, the width in which processors multiply.
    numbers: Box<[i16]>,
    scale: f32,
    shift: f32,
}

impl Direction {
    /// Rounds a vector.
    #[must_use]
    pub fn new(vector: &[f32]) -> Self {
        Self::standardised(vector, 1.0, 0.0)
    }

    /// Rounds a vector whose products are read in another scale and from another zero.
    pub(super) fn standardised(vector: &[f32], scale: f32, shift: f32) -> Self {
        let mut numbers = Vec::with_capacity(vector.len());
        let own = round(vector, &mut numbers);
        Self {
            numbers: numbers.into_iter().map(i16::from).collect(),
            scale: own * scale,
            shift,
        }
    }

    /// Returns the product with another one.
    pub(super) fn product(&self, other: Rounded<'_>) -> f32 {
        self.shift + self.scale * other.scale * whole_product(&self.numbers, other.numbers)
    }

    /// Returns how many numbers there are.
    pub(super) fn width(&self) -> usize {
        self.numbers.len()
    }
}

/// A rounded vector that is kept elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounded<'a> {
    pub(super) numbers: &'a [i8],
    pub(super) scale: f32,
}

/// Appends a vector's numbers, rounded; returns their scale.
pub(super) fn round(vector: &[f32], into: &mut Vec<i8>) -> f32 {
    let largest = vector
        .iter()
        .fold(0.0_f32, |most, value| most.max(value.abs()));
    let per_unit = if largest > 0.0 { STEPS / largest } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "between -127 and 127")]
    into.extend(vector.iter().map(|value| (value * per_unit).round() as i8));
    largest / STEPS
}

/// The sum of products fits: 127 · 127 · width stays below 2³¹ up to a width of 133,000.
#[expect(
    clippy::cast_precision_loss,
    reason = "the last digits are below what rounding took"
)]
fn whole_product(left: &[i16], right: &[i8]) -> f32 {
    let products = left.iter().zip(right);
    let sum: i32 = products
        .map(|(left, right)| i32::from(*left) * i32::from(i16::from(*right)))
        .sum();
    sum as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(left: &[f32], right: &[f32]) -> f32 {
        let mut numbers = Vec::new();
        let scale = round(right, &mut numbers);
        Direction::new(left).product(Rounded {
            numbers: &numbers,
            scale,
        })
    }

    #[test]
    fn products_are_those_of_the_vectors_but_for_rounding() {
        let left: Vec<f32> = (0_u8..64).map(|at| f32::from(at).sin() / 6.0).collect();
        let right: Vec<f32> = (0_u8..64).map(|at| f32::from(at * 3).cos() / 6.0).collect();
        let exact: f32 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
        assert!((product(&left, &right) - exact).abs() < 0.002);
        let length: f32 = left.iter().map(|a| a * a).sum();
        assert!((product(&left, &left) - length).abs() < 0.01);
    }

    #[test]
    fn nothing_has_no_product() {
        assert_eq!(product(&[0.0; 8], &[1.0; 8]), 0.0);
    }
}
