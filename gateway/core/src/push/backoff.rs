//! When a delivery that failed is tried again.

use std::time::Duration;

use aws_lc_rs::rand;

/// The pause after the first failure.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause, also where a webhook asks for a longer one.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Returns the pause after so many failures: doubled each time, spread so that webhooks that failed together are not
/// tried together, and no shorter than the webhook asks for.
pub(super) fn pause(failures: u32, retry_after: Option<u64>) -> Duration {
    spread(failures, random_share(), retry_after)
}

/// `share` says where in the second half of the pause it ends, from 0 to 1.
fn spread(failures: u32, share: f64, retry_after: Option<u64>) -> Duration {
    let doubled = FIRST
        .checked_mul(1 << failures.saturating_sub(1).min(16))
        .unwrap_or(LONGEST)
        .min(LONGEST);
    let pause = doubled.mul_f64(share.mul_add(0.5, 0.5));
    pause
        .max(Duration::from_secs(retry_after.unwrap_or_default()))
        .min(LONGEST)
}

fn random_share() -> f64 {
    let mut bytes = [0; 4];
    // Without random numbers the pause is merely not spread.
    let filled = rand::fill(&mut bytes).is_ok();
    if filled {
        f64::from(u32::from_be_bytes(bytes)) / f64::from(u32::MAX)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let seconds = |failures| spread(failures, 1.0, None).as_secs();
        assert_eq!([1, 2, 3, 4].map(seconds), [1, 2, 4, 8]);
        assert_eq!(seconds(40), 3600);
    }

    #[test]
    fn pauses_are_spread_over_their_second_half() {
        assert_eq!(spread(4, 0.0, None), Duration::from_secs(4));
        assert_eq!(spread(4, 0.5, None), Duration::from_secs(6));
        let real = pause(4, None);
        assert!((4..=8).contains(&real.as_secs()), "{real:?}");
    }

    #[test]
    fn a_webhook_that_asks_for_time_gets_it_within_limits() {
        assert_eq!(spread(1, 1.0, Some(30)), Duration::from_secs(30));
        assert_eq!(spread(6, 1.0, Some(3)), Duration::from_secs(32));
        assert_eq!(spread(1, 1.0, Some(u64::MAX)), Duration::from_secs(3600));
    }
}
