//! Latencies and their percentiles.

use std::time::Duration;

/// Latencies of one kind of request.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took);
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the latencies, in microseconds, that these shares of all requests did not exceed.
    pub(crate) fn percentiles<const N: usize>(&mut self, shares: [f64; N]) -> [f64; N] {
        self.0.sort_unstable();
        shares.map(|share| self.at(share).as_secs_f64() * 1e6)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rank among at most millions of samples"
    )]
    fn at(&self, share: f64) -> Duration {
        let rank = (self.0.len() as f64 * share).ceil() as usize;
        self.0.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_rank() {
        let mut samples = Samples::default();
        for ms in (1..=100).rev() {
            samples.push(Duration::from_millis(ms));
        }
        let [half, most, all] = samples.percentiles([0.5, 0.99, 1.0]);
        assert_eq!([half, most, all].map(f64::round), [50e3, 99e3, 100e3]);
        assert_eq!(Samples::default().percentiles([0.5]).map(f64::round), [0.0]);
    }
}
