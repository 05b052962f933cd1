//! The search for weights: random points, then one weight after the other from the best of them.
//!
//! Only the ratio of weights matters to a choice, so all points have the sum of the current weights.

use gateway_core::Weights;
use rand_core::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

use super::{objective::Judge, sample::Row};
use crate::chance::unit;

const SEED: u64 = 0x7475_6e65;
/// Random points that are tried.
const POINTS: usize = 120;
/// Steps of one weight, as parts of the sum; from coarse to fine.
const STEPS: [f64; 3] = [0.1, 0.03, 0.01];
/// Rounds over all weights with one step.
const ROUNDS: usize = 4;

/// Returns the weights that are worth most, or the current ones if none is worth more.
pub(super) fn propose(rows: &[&Row], judge: &Judge, current: &Weights) -> Weights {
    let mut chance = Pcg64Mcg::seed_from_u64(SEED);
    let total = sum(current);
    let mut best = (normalised(current), judge.value(rows, current));
    let take = |point: [f64; 6], best: &mut ([f64; 6], Option<f64>)| {
        let value = judge.value(rows, &weights(point, total));
        let is_better = match (value, best.1) {
            (Some(value), Some(known)) => value > known + judge.least_difference(),
            (value, None) => value.is_some(),
            (None, Some(_)) => false,
        };
        if is_better {
            *best = (point, value);
        }
        is_better
    };
    for _ in 0..POINTS {
        let point = random_point(&mut chance);
        take(point, &mut best);
    }
    for step in STEPS {
        for _ in 0..ROUNDS {
            let mut moved = false;
            for place in 0..6 {
                for by in [step, -step] {
                    moved |= take(shifted(best.0, place, by), &mut best);
                }
            }
            if !moved {
                break;
            }
        }
    }
    weights(best.0, total)
}

/// Returns weights that are good to read: in thousandths of their sum.
pub(super) fn rounded(proposed: &Weights, current: &Weights) -> Weights {
    if proposed == current {
        return *current;
    }
    let unit = sum(current) / 1000.0;
    let round = |weight: f64| ((weight / unit).round() * unit * 1e6).round() / 1e6;
    proposed.parts().map(round).into()
}

/// Returns weights with a sum of 1.
fn normalised(weights: &Weights) -> [f64; 6] {
    scaled(weights.parts())
}

/// Returns a point of the simplex; all are equally likely.
fn random_point(chance: &mut Pcg64Mcg) -> [f64; 6] {
    let lengths = [(); 6].map(|()| -(1.0 - unit(chance)).ln());
    scaled(lengths)
}

/// Moves one weight; the others give or take in proportion.
fn shifted(mut point: [f64; 6], place: usize, by: f64) -> [f64; 6] {
    if let Some(weight) = point.get_mut(place) {
        *weight = (*weight + by).max(0.0);
    }
    scaled(point)
}

fn scaled(point: [f64; 6]) -> [f64; 6] {
    let total: f64 = point.iter().sum();
    point.map(|weight| {
        if total > 0.0 {
            weight / total
        } else {
            1.0 / 6.0
        }
    })
}

fn weights(point: [f64; 6], total: f64) -> Weights {
    point.map(|weight| weight * total).into()
}

fn sum(weights: &Weights) -> f64 {
    weights.parts().iter().sum()
}
