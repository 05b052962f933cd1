//! Intervals that hold the true value in 95 of 100 cases.

use serde::Serialize;

/// How many standard errors lie on either side.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// From where to where a value lies in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Of a share of which nothing is known.
    pub(crate) const ALL: Self = Self {
        low: 0.0,
        high: 1.0,
    };

    /// Returns the interval of what is known exactly.
    pub(crate) fn at(value: f64) -> Self {
        Self::within(value, 0.0)
    }

    /// Returns the interval of so many times the value.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            low: factor * self.low,
            high: factor * self.high,
        }
    }

    /// Returns the interval around a mean, whose standard error is itself known from few terms only.
    pub(crate) fn around_of_few(mean: f64, standard_error: f64, terms: f64) -> Self {
        Self::within(mean, student(terms) * standard_error)
    }

    fn within(mean: f64, half: f64) -> Self {
        Self {
            low: mean - half,
            high: mean + half,
        }
    }

    /// Cuts the interval where a share cannot be.
    pub(crate) fn of_share(self) -> Self {
        Self {
            low: self.low.clamp(0.0, 1.0),
            high: self.high.clamp(0.0, 1.0),
        }
    }

    /// Returns the interval that holds both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Tells whether a value lies within.
    #[must_use]
    pub fn covers(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Returns how many standard errors lie on either side where they are known from so many terms: the quantile of
/// Student's distribution, by the expansion of Cornish and Fisher.
pub(crate) fn student(terms: f64) -> f64 {
    let freedom = (terms - 1.0).max(1.0);
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    Z + first / freedom + second / (freedom * freedom)
}

/// A share of a number of decisions, with its Wilson interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// The share, in [0,1].
    pub value: f64,
    /// Of how many.
    pub of: u64,
    /// Where the true share lies.
    pub interval: Interval,
}

/// Returns a share with its Wilson interval; `None` of nothing. The sum may hold parts, as scores between 0 and 1 do.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of decisions")]
pub fn rate(sum: f64, of: u64) -> Option<Rate> {
    if of == 0 {
        return None;
    }
    let n = of as f64;
    let share = (sum / n).clamp(0.0, 1.0);
    let shrink = 1.0 + Z * Z / n;
    let center = (share + Z * Z / (2.0 * n)) / shrink;
    let half = Z / shrink * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some(Rate {
        value: share,
        of,
        interval: Interval {
            low: (center - half).max(0.0),
            high: (center + half).min(1.0),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student_are_the_known_ones() {
        for (terms, known) in [(11.0, 2.228), (21.0, 2.086), (31.0, 2.042), (1e9, Z)] {
            assert!((student(terms) - known).abs() < 0.005, "{terms}");
        }
    }

    #[test]
    fn wilson_intervals_are_the_known_ones() {
        for (sum, of, low, high) in [
            (0.0, 10, 0.0, 0.2775),
            (5.0, 10, 0.2366, 0.7634),
            (10.0, 10, 0.7225, 1.0),
            (90.0, 100, 0.8256, 0.9448),
        ] {
            let Interval {
                low: at_least,
                high: at_most,
            } = rate(sum, of).unwrap().interval;
            assert!((at_least - low).abs() < 1e-4, "{sum} {of} {at_least}");
            assert!((at_most - high).abs() < 1e-4, "{sum} {of} {at_most}");
        }
        assert_eq!(rate(0.0, 0), None);
    }
}
