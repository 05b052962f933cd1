//! Estimators against policies whose true value is known.

use rand_core::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::{
    chance::{below, unit},
    fold::FOLDS,
    interval::rate,
};

const AGENTS: usize = 4;

fn action(agent: usize) -> Action {
    crate::action::numbered(agent)
}

/// A world of three kinds of messages, each with the chance that an agent does it well.
struct World {
    quality: [[f64; AGENTS]; 3],
    /// The agent that the logging policy prefers for each kind, and the new one.
    logging: [usize; 3],
    after: [usize; 3],
    epsilon: f64,
}

impl World {
    fn random(chance: &mut Pcg64Mcg) -> Self {
        let mut agent = |_| below(chance, 4);
        let logging = [0, 1, 2].map(&mut agent);
        let after = [0, 1, 2].map(&mut agent);
        Self {
            quality: [(); 3].map(|()| [(); AGENTS].map(|()| 0.2 + 0.7 * unit(chance))),
            logging,
            after,
            epsilon: 0.1 + 0.3 * unit(chance),
        }
    }

    fn truth(&self) -> f64 {
        (0..3)
            .map(|kind| self.quality[kind][self.after[kind]])
            .sum::<f64>()
            / 3.0
    }

    fn observe(&self, chance: &mut Pcg64Mcg, number: usize) -> Observation {
        let kind = below(chance, 3);
        let best = self.logging[kind];
        let explored = below(chance, 4);
        let logged = if unit(chance) < self.epsilon {
            explored
        } else {
            best
        };
        let after = self.after[kind];
        let part = self.epsilon / 4.0;
        Observation {
            fold: number % FOLDS,
            logged: action(logged),
            after: action(after),
            matched: logged == after,
            propensity: if after == best {
                1.0 - self.epsilon + part
            } else {
                part
            },
            reward: if unit(chance) < self.quality[kind][logged] {
                1.0
            } else {
                0.0
            },
        }
    }

    fn estimates(&self, chance: &mut Pcg64Mcg, decisions: usize) -> Estimates {
        let mut cells = Cells::default();
        for number in 0..decisions {
            let observation = self.observe(chance, number);
            cells.learn(observation.fold, observation.logged, observation.reward);
            cells.add(observation);
        }
        cells.estimates().unwrap()
    }
}

#[test]
fn intervals_hold_the_true_value_in_at_least_90_of_100_worlds() {
    let mut covered = [0; 4];
    let mut off = [0.0; 3];
    for seed in 0..100 {
        let mut chance = Pcg64Mcg::seed_from_u64(seed);
        let world = World::random(&mut chance);
        let estimates = world.estimates(&mut chance, 3000);
        let all = [
            estimates.inverse_propensity,
            estimates.self_normalised,
            estimates.doubly_robust,
        ];
        for (place, estimate) in all.iter().enumerate() {
            covered[place] += usize::from(estimate.interval.unwrap().covers(world.truth()));
            off[place] += estimate.value - world.truth();
        }
        covered[3] += usize::from(estimates.mean_weight.interval.unwrap().covers(1.0));
    }
    assert!(covered.iter().all(|count| *count >= 90), "{covered:?}");
    // None of them errs to one side.
    assert!(off.iter().all(|sum| sum.abs() / 100.0 < 0.01), "{off:?}");
}

#[test]
fn intervals_hold_the_true_value_where_what_changes_was_hardly_tried() {
    let mut held = [0; 3];
    for seed in 0..100 {
        let mut chance = Pcg64Mcg::seed_from_u64(seed);
        let world = World {
            quality: [[0.9, 0.3, 0.5, 0.5]; 3],
            logging: [0, 0, 0],
            // Of 400 decisions some 130 change, of which chance took hardly more than six.
            after: [0, 0, 1],
            epsilon: 0.2,
        };
        let estimates = world.estimates(&mut chance, 400);
        let all = [
            estimates.inverse_propensity,
            estimates.self_normalised,
            estimates.doubly_robust,
        ];
        for (place, estimate) in all.iter().enumerate() {
            let interval = estimate.interval.unwrap();
            held[place] += usize::from(interval.covers(world.truth()));
            // It says more than nothing.
            assert!(interval.high - interval.low < 0.9, "{interval:?}");
        }
    }
    assert!(held.iter().all(|count| *count >= 90), "{held:?}");
}

#[test]
fn what_goes_to_nobody_is_not_accepted_for_certain() {
    let mut cells = Cells::default();
    for number in 0..400 {
        let to_nobody = number % 4 == 0;
        cells.learn(number % FOLDS, action(0), 1.0);
        cells.add(Observation {
            fold: number % FOLDS,
            logged: action(0),
            after: if to_nobody { Action::NOBODY } else { action(0) },
            matched: !to_nobody,
            propensity: 1.0,
            reward: 1.0,
        });
    }
    let estimates = cells.estimates().unwrap();
    for estimate in [
        estimates.inverse_propensity,
        estimates.self_normalised,
        estimates.doubly_robust,
    ] {
        assert!((estimate.value - 0.75).abs() < 1e-9, "{estimate:?}");
    }
    assert!((estimates.difference.value + 0.25).abs() < 1e-9);
    assert!((estimates.mean_weight.value - 1.0).abs() < 1e-9);
}

#[test]
fn the_model_narrows_what_weights_alone_leave_wide() {
    let (mut robust, mut plain) = (0.0, 0.0);
    for seed in 0..20 {
        let mut chance = Pcg64Mcg::seed_from_u64(seed);
        let world = World::random(&mut chance);
        let estimates = world.estimates(&mut chance, 3000);
        let width = |estimate: Estimate| {
            let interval = estimate.interval.unwrap();
            interval.high - interval.low
        };
        robust += width(estimates.doubly_robust);
        plain += width(estimates.inverse_propensity);
    }
    assert!(robust < plain, "{robust} {plain}");
}

#[test]
fn sums_say_what_decisions_one_by_one_do() {
    let mut chance = Pcg64Mcg::seed_from_u64(7);
    let world = World::random(&mut chance);
    let observed: Vec<_> = (0..500)
        .map(|number| world.observe(&mut chance, number))
        .collect();
    let mut cells = Cells::default();
    let mut model = model::Model::default();
    for one in &observed {
        cells.learn(one.fold, one.logged, one.reward);
        model.learn(one.fold, one.logged, one.reward);
        cells.add(*one);
    }
    let terms: Vec<_> = observed
        .iter()
        .map(|one| {
            let weight = if one.matched {
                1.0 / one.propensity
            } else {
                0.0
            };
            model.expects(one.fold, one.after)
                + weight * (one.reward - model.expects(one.fold, one.logged))
        })
        .collect();
    let weights = observed.iter().filter(|one| one.matched);
    let squares: Vec<f64> = weights.map(|one| one.propensity.powi(-2)).collect();
    let heavy = squares.iter().sum::<f64>().powi(2)
        / squares.iter().map(|square| square * square).sum::<f64>();
    let check = |estimate: Estimate, terms: &[f64], by_chance: f64| {
        let n = terms.len() as f64;
        let mean = terms.iter().sum::<f64>() / n;
        let variance = terms.iter().map(|term| (term - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let error = (variance / n).sqrt().max(by_chance.sqrt() / n);
        let expected = Interval::around_of_few(mean, error, heavy);
        let got = estimate.interval.unwrap();
        assert!(
            (estimate.value - mean).abs() < 1e-9,
            "{} {mean}",
            estimate.value
        );
        assert!((got.low - expected.low).abs() < 1e-9 && (got.high - expected.high).abs() < 1e-9);
    };
    let estimates = cells.estimates().unwrap();
    let spread = |less: f64| {
        let spreads = observed.iter().map(|one| {
            let expected = model.expects(one.fold, one.after);
            expected * (1.0 - expected) * (1.0 / one.propensity - less)
        });
        spreads.sum::<f64>()
    };
    check(estimates.doubly_robust, &terms, spread(0.0));
    let differences: Vec<_> = terms
        .iter()
        .zip(&observed)
        .map(|(term, one)| term - one.reward)
        .collect();
    check(estimates.difference, &differences, spread(1.0));
}

#[test]
fn intervals_are_those_of_wilson_where_all_is_certain() {
    let mut cells = Cells::default();
    for number in 0..400 {
        cells.add(Observation {
            fold: number % FOLDS,
            logged: action(0),
            after: action(0),
            matched: true,
            propensity: 1.0,
            reward: if number % 5 == 0 { 0.0 } else { 1.0 },
        });
    }
    let estimates = cells.estimates().unwrap();
    let wilson = rate(320.0, 400).unwrap().interval;
    for estimate in [estimates.inverse_propensity, estimates.self_normalised] {
        let got = estimate.interval.unwrap();
        // A little wider, since the spread is known from 400 rewards only.
        let wider = [wilson.low - got.low, got.high - wilson.high];
        assert!(wider.iter().all(|by| (0.0..0.005).contains(by)), "{got:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let run = || {
        let mut chance = Pcg64Mcg::seed_from_u64(3);
        let world = World::random(&mut chance);
        world.estimates(&mut chance, 1000)
    };
    assert_eq!(run(), run());
}

#[test]
fn choices_taken_less_often_than_recorded_show_in_the_mean_weight() {
    let mut cells = Cells::default();
    for number in 0..1000 {
        cells.add(Observation {
            fold: number % FOLDS,
            logged: action(0),
            after: action(1),
            matched: false,
            propensity: 0.1,
            reward: 1.0,
        });
    }
    let estimates = cells.estimates().unwrap();
    assert_eq!(
        (estimates.effective, estimates.mean_weight.value),
        (0.0, 0.0)
    );
    assert_eq!(estimates.doubly_robust.interval, None);
}
