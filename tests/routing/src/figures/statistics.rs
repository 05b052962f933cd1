//! The statistics that figures are made of. A figure over nothing is absent.

/// Returns the mean.
#[expect(clippy::cast_precision_loss, reason = "counts of requests are small")]
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values
        .into_iter()
        .fold((0_usize, 0.0), |(count, sum), value| {
            (count + 1, sum + value)
        });
    (count > 0).then(|| sum / count as f64)
}

/// Returns the share of what is true.
pub(super) fn share(values: impl IntoIterator<Item = bool>) -> Option<f64> {
    mean(
        values
            .into_iter()
            .map(|value| if value { 1.0 } else { 0.0 }),
    )
}

/// Returns the probability that a positive has a higher score than a negative; equal ones count half.
pub(super) fn auroc(positive: &[f64], negative: &[f64]) -> Option<f64> {
    let against = |score: &f64| {
        mean(negative.iter().map(|other| match score.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        }))
    };
    let shares: Option<Vec<f64>> = positive.iter().map(against).collect();
    mean(shares?)
}

/// Returns the harmonic mean of precision and recall.
#[expect(clippy::cast_precision_loss, reason = "counts of requests are small")]
pub(super) fn f1(hits: usize, false_alarms: usize, misses: usize) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    let hits = 2.0 * hits as f64;
    hits / (hits + false_alarms as f64 + misses as f64)
}

/// Returns the score from which calling something positive has the best F1, with that F1.
pub(super) fn best_threshold(positive: &[f64], negative: &[f64]) -> Option<(f64, f64)> {
    let mut thresholds: Vec<f64> = positive.iter().chain(negative).copied().collect();
    thresholds.sort_by(f64::total_cmp);
    thresholds.dedup();
    let mut best: Option<(f64, f64)> = None;
    for threshold in thresholds {
        let hits = positive.iter().filter(|score| **score >= threshold).count();
        let false_alarms = negative.iter().filter(|score| **score >= threshold).count();
        let value = f1(hits, false_alarms, positive.len() - hits);
        if value > best.map_or(0.0, |(_, best)| best) {
            best = Some((threshold, value));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auroc_counts_pairs_in_the_right_order() {
        assert_eq!(auroc(&[0.9, 0.4], &[0.1, 0.4]), Some(0.875));
        assert_eq!(auroc(&[0.2], &[0.2]), Some(0.5));
        assert_eq!(auroc(&[], &[0.2]), None);
        assert_eq!(auroc(&[0.2], &[]), None);
    }

    #[test]
    fn f1_weighs_false_alarms_and_misses_alike() {
        assert_eq!(f1(0, 3, 4), 0.0);
        assert_eq!(f1(2, 1, 1), 4.0 / 6.0);
        assert_eq!(f1(2, 2, 0), f1(2, 0, 2));
    }

    #[test]
    fn best_threshold_separates_what_can_be_separated() {
        assert_eq!(best_threshold(&[0.8, 0.9], &[0.1, 0.7]), Some((0.8, 1.0)));
        assert_eq!(best_threshold(&[], &[0.1]), None);
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(mean([]), None);
        assert_eq!(share([true, false, true, true]), Some(0.75));
    }
}
