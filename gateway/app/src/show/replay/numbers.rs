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
    format!("{:+.1} %", 100.0 * share + 0.0)
}

pub(in crate::show) fn points(share: f64) -> String {
    format!("{:+.1} pt", 100.0 * share + 0.0)
}
