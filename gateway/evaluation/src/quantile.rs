//! Medians of many numbers in little memory: counts by size, each within half a percent.

use std::collections::BTreeMap;

/// Steps of the logarithm; a step is one percent.
const STEPS: f64 = 100.0;

/// Counts numbers by size.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sizes {
    /// By the logarithm in steps; zero and what is below it stand first.
    counts: BTreeMap<i64, u64>,
    total: u64,
}

impl Sizes {
    pub(crate) fn add(&mut self, number: f64) {
        if number.is_finite() {
            *self.counts.entry(step(number)).or_default() += 1;
            self.total += 1;
        }
    }

    /// Returns the median, to half a percent.
    #[expect(clippy::cast_precision_loss, reason = "steps of a logarithm")]
    pub(crate) fn median(&self) -> Option<f64> {
        let mut before = 0;
        for (step, count) in &self.counts {
            before += count;
            if before * 2 >= self.total {
                return Some(if *step == i64::MIN {
                    0.0
                } else {
                    (*step as f64 / STEPS).exp()
                });
            }
        }
        None
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "logarithms of finite numbers are small"
)]
fn step(number: f64) -> i64 {
    if number > 0.0 {
        (number.ln() * STEPS).round() as i64
    } else {
        i64::MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_right_to_half_a_percent() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.median(), None);
        for number in 0..=2000 {
            sizes.add(f64::from(number));
        }
        sizes.add(f64::NAN);
        assert!((sizes.median().unwrap() / 1000.0 - 1.0).abs() < 0.006);
        let mut free = Sizes::default();
        free.add(0.0);
        assert_eq!(free.median(), Some(0.0));
    }
}
