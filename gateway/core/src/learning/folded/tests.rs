use proptest::prelude::*;

use super::*;

const NOW: i64 = 1_796_000_000;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

fn today() -> i64 {
    NOW / 86_400
}

fn fold(days: &[(i64, Counts)]) -> Folded {
    let days = days.iter().map(|(day, counts)| (*day, counts));
    Folded::of(Learning::default(), days, now())
}

fn counts() -> impl Strategy<Value = Counts> {
    let number = || (0_u32..50).prop_map(f64::from);
    (number(), number(), number(), number(), number()).prop_map(
        |(completed, failed, messages, accepted, refused)| Counts {
            completed,
            failed,
            messages,
            accepted,
            refused,
            ..Counts::default()
        },
    )
}

fn days() -> impl Strategy<Value = Vec<(i64, Counts)>> {
    prop::collection::vec((today() - 200..=today(), counts()), 0..8)
}

fn after_days(days: i64) -> Timestamp {
    Timestamp::from_second(NOW + days * 86_400).unwrap()
}

#[test]
fn without_evidence_the_prior_is_expected() {
    let folded = fold(&[]);
    assert_eq!(folded.quality(0.8, now()), Quality::of_prior(0.8));
    assert_eq!(folded.cost(), None);
}

#[test]
fn ten_tasks_of_today_weigh_as_much_as_the_prior() {
    let failed = Counts {
        failed: 10.0,
        ..Counts::default()
    };
    let folded = fold(&[(today(), failed)]);
    let quality = folded.quality(0.8, now());
    assert!((quality.value - 0.4).abs() < 1e-12, "{quality:?}");
    assert!((quality.weight - 0.5).abs() < 1e-12, "{quality:?}");
    assert_eq!((quality.mean, quality.decisions), (0.0, 10));
    let later = folded.quality(0.8, after_days(30));
    // Half of the evidence is left: 5 against 10.
    assert!((later.value - 8.0 / 15.0).abs() < 1e-12, "{later:?}");
}

#[test]
fn cost_is_the_mean_of_what_is_known_and_newer_ones_weigh_more() {
    let cost = |costs: f64, cost: f64| Counts {
        costs,
        cost,
        ..Counts::default()
    };
    let folded = fold(&[(today(), cost(4.0, 4.0)), (today() - 30, cost(4.0, 16.0))]);
    let learned = folded.cost().unwrap();
    // Weights 2 to 1: (4·2 + 16) / (4·2 + 4).
    assert!((learned.mean - 2.0).abs() < 1e-9, "{learned:?}");
    assert!(learned.known == 8 && learned.suffices());
}

proptest! {
    #[test]
    fn success_never_lowers_quality_and_failure_never_raises_it(
        days in days(),
        day in today() - 200..=today(),
        prior in 0.0..=1.0_f64,
        (kind, share) in (0..5_usize, 0.0..=1.0_f64),
    ) {
        let before = fold(&days).quality(prior, now()).value;
        let mut more = Counts::default();
        *[&mut more.completed, &mut more.messages, &mut more.accepted, &mut more.failed, &mut more.refused][kind] = share;
        let mut days = days;
        days.push((day, more));
        let after = fold(&days).quality(prior, now()).value;
        if kind < 3 {
            prop_assert!(after >= before - 1e-12, "{before} {after}");
        } else {
            prop_assert!(after <= before + 1e-12, "{before} {after}");
        }
        prop_assert!((0.0..=1.0).contains(&after));
    }

    #[test]
    fn quality_moves_towards_the_prior_as_time_passes(
        days in days(),
        prior in 0.0..=1.0_f64,
        (first, then) in (0..400_i64, 0..400_i64),
    ) {
        let folded = fold(&days);
        let distance = |after: i64| {
            (folded.quality(prior, after_days(after)).value - prior).abs()
        };
        prop_assert!(distance(first + then) <= distance(first) + 1e-12);
    }

    #[test]
    fn the_order_of_evidence_does_not_matter(days in days(), prior in 0.0..=1.0_f64) {
        let forwards = fold(&days).quality(prior, now());
        let mut reversed = days;
        reversed.reverse();
        let backwards = fold(&reversed).quality(prior, now());
        prop_assert!((forwards.value - backwards.value).abs() < 1e-12);
        prop_assert_eq!(forwards.decisions, backwards.decisions);
    }

    #[test]
    fn value_is_prior_and_mean_in_the_shares_it_says(days in days(), prior in 0.0..=1.0_f64) {
        let quality = fold(&days).quality(prior, now());
        let mixed = prior * (1.0 - quality.weight) + quality.mean * quality.weight;
        prop_assert!((quality.value - mixed).abs() < 1e-12);
    }
}
