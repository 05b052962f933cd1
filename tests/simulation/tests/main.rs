//! What simulated federations must show, over fixed seeds.

use gateway_core::RouteDecision;
use simulation::{Scale, Strategy, World, compare, coverage, coverage_table, run};

const SCALE: Scale = Scale {
    days: 20,
    per_day: 15,
    feedback: 0.5,
};

#[test]
fn learning_with_exploration_buys_more_accepted_tasks_than_fixed_priors() {
    let compared = [Strategy::Fixed, Strategy::Epsilon, Strategy::Thompson];
    let compared = compare(&compared, 4, SCALE).unwrap();
    let fixed = compared.row(Strategy::Fixed).unwrap();
    for strategy in [Strategy::Epsilon, Strategy::Thompson] {
        let row = compared.row(strategy).unwrap();
        let (own, other) = (
            row.sum().accepted_per_cost(),
            fixed.sum().accepted_per_cost(),
        );
        assert!(own > other, "{}: {own} against {other}", strategy.name());
        assert!(row.sum().explored > 0, "{}", strategy.name());
    }
    assert_eq!(fixed.sum().explored, 0);
}

#[test]
fn the_same_seed_gives_the_same_records() {
    let small = Scale { days: 3, ..SCALE };
    let records = || {
        let mut lines = Vec::new();
        let see = |decision: RouteDecision| lines.push(serde_json::to_string(&decision).unwrap());
        run(&World::new(7, small), Strategy::Thompson, see).unwrap();
        lines
    };
    let once = records();
    assert_eq!(once, records());
    let read: RouteDecision = serde_json::from_str(&once[0]).unwrap();
    assert!(read.propensity > 0.0 && read.outcome.is_some());
}

/// The least of a hundred runs in which a 95 % interval must hold the truth.
const HELD: u32 = 90;

#[test]
fn intervals_of_replay_hold_what_another_profile_is_worth_in_90_of_100_runs() {
    let scale = Scale {
        per_day: 18,
        feedback: 1.0,
        ..SCALE
    };
    let coverages = coverage(Strategy::Explored, 100, scale).unwrap();
    let table = coverage_table(&coverages);
    for coverage in &coverages {
        // Another profile that chooses the same would prove nothing.
        assert!(coverage.changed > 0.3, "{table}");
        for fared in &coverage.estimators {
            assert!(fared.held >= HELD, "{table}");
        }
    }
}
