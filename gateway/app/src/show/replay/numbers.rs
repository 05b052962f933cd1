//! Shares, estimates and ranges in words.

use gateway_evaluation::{Estimate, Interval, Range, Rate};

pub(super) fn rate(rate: &Rate) -> String {
    let Rate {
        value,
        of,
        interval,
    } = rate;
    format!(
        "{} of {of} ({})",
        percent(*value),
        within(interval, percent)
    )
}

pub(in crate::show) fn estimate(estimate: &Estimate, show: impl Fn(f64) -> String) -> String {
    let value = show(estimate.value);
    match &estimate.interval {
        Some(interval) => format!("{value} ({})", within(interval, show)),
        None => format!("{value} (no interval)"),
    }
}

fn within(interval: &Interval, show: impl Fn(f64) -> String) -> String {
    format!("95 %: {} to {}", show(interval.low), show(interval.high))
}

pub(super) fn range(range: &Range, show: impl Fn(f64) -> String) -> String {
    if range.is_point() {
        show(range.low)
    } else {
        format!("{} to {}", show(range.low), show(range.high))
    }
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share + 0.0)
}

pub(super) fn signed_percent(share: f64) -> String {
    format!("{:+.1} %", tenths(share))
}

pub(in crate::show) fn points(share: f64) -> String {
    format!("{:+.1} pt", tenths(share))
}

/// Returns hundredths with one decimal, without the sign that what is rounded to nothing had.
fn tenths(share: f64) -> f64 {
    (1000.0 * share).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_to_nothing_has_no_sign_of_loss() {
        for (share, shown) in [
            (-0.0004, "+0.0 pt"),
            (-0.0006, "-0.1 pt"),
            (-0.0, "+0.0 pt"),
        ] {
            assert_eq!(points(share), shown);
        }
        assert_eq!(signed_percent(-0.000_01), "+0.0 %");
    }
}
