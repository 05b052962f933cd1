//! Exploration: now and then another than the best is taken, with a probability that is known and recorded.
//!
//! The probability of each candidate of the set is computed first, then one of them is drawn, so what the record says
//! is exact. For a share of the messages it is the same for all; for the rest either the best alone has one, or that of
//! being the best when qualities are drawn from what is known of them (Thompson).

mod dice;

use self::dice::Dice;
use super::{assess::Assessed, choice::Question};
use crate::{
    decision::{Candidate, Explored},
    profile::{Exploration, Method},
};

/// How often qualities are drawn; probabilities are multiples of its inverse, besides the share that is the same for all.
const DRAWS: u32 = 256;

/// What chance has made of a choice.
#[derive(Debug)]
pub(super) struct Chance {
    /// How probable the choice was.
    pub(super) propensity: f64,
    /// What the record says of it.
    pub(super) record: Explored,
    /// By how much the best would have won.
    behind: f64,
}

/// Lets chance choose among the best of the ranked candidates and puts the one it takes first. Returns nothing where
/// chance has no part.
pub(super) fn explore(question: Question<'_>, ranked: &mut [Assessed<'_>]) -> Option<Chance> {
    let settings = &question.profile.exploration;
    if settings.is_off() {
        return None;
    }
    let best = *ranked.first()?;
    let set = allowed(settings, ranked);
    if set.first() != Some(&0) || set.len() < 2 {
        return None;
    }
    let mut dice = Dice::of(question);
    let candidates: Vec<&Assessed<'_>> =
        set.iter().filter_map(|place| ranked.get(*place)).collect();
    // Drawn first, since how many numbers the draws of qualities take depends on what is known, which moves on.
    let lot = dice.unit();
    let propensities = propensities(question, &candidates, &mut dice);
    let taken = pick(lot, &candidates, &propensities);
    let (place, propensity) = (*set.get(taken)?, *propensities.get(taken)?);
    let explored = place != 0;
    for (place, propensity) in set.iter().zip(&propensities) {
        ranked.get_mut(*place)?.propensity = Some(*propensity);
    }
    ranked.get_mut(..=place)?.rotate_right(1);
    let behind = best.score - ranked.first()?.score;
    let record = Explored {
        method: settings.method,
        among: set.len(),
        explored,
        best: explored.then(|| best.agent.spec.id.clone()),
    };
    Some(Chance {
        propensity,
        record,
        behind,
    })
}

/// Returns the place that a number from [0,1) falls on, each with its probability. They lie in the order of their names,
/// so that a retry meets the same even if the ranks have changed meanwhile.
fn pick(lot: f64, set: &[&Assessed<'_>], propensities: &[f64]) -> usize {
    let mut places: Vec<_> = (0..).zip(set).zip(propensities).collect();
    places.sort_unstable_by_key(|((_, candidate), _)| &candidate.agent.spec.id);
    let mut left = lot;
    for ((place, _), propensity) in places {
        left -= propensity;
        if left < 0.0 {
            return place;
        }
    }
    // Rounding may leave a last speck to nobody.
    0
}

/// Returns the places of those of the best whose effect may be explored.
fn allowed(settings: &Exploration, ranked: &[Assessed<'_>]) -> Vec<usize> {
    let best = ranked.iter().take(settings.among).enumerate();
    best.filter(|(_, candidate)| candidate.effect() <= settings.max_effect)
        .map(|(place, _)| place)
        .collect()
}

/// Returns how probable each candidate of the set is; together they make 1.
fn propensities(question: Question<'_>, set: &[&Assessed<'_>], dice: &mut Dice) -> Vec<f64> {
    let settings = &question.profile.exploration;
    let mut wins = vec![0_u32; set.len()];
    let mut count = |place: usize| {
        if let Some(wins) = wins.get_mut(place) {
            *wins += 1;
        }
    };
    let rounds = match settings.method {
        Method::Off | Method::Epsilon => {
            count(0);
            1
        }
        Method::Thompson => {
            for _ in 0..DRAWS {
                count(best_of_draw(question, set, dice));
            }
            DRAWS
        }
    };
    let equal = settings.share / size(set.len());
    wins.into_iter()
        .map(|wins| (1.0 - settings.share) * f64::from(wins) / f64::from(rounds) + equal)
        .collect()
}

/// Returns the place of the best candidate when qualities are drawn; of equal ones, the first.
fn best_of_draw(question: Question<'_>, set: &[&Assessed<'_>], dice: &mut Dice) -> usize {
    let weight = question.profile.weights.quality;
    let strength = question.profile.exploration.prior_strength;
    let mut best = (0, f64::NEG_INFINITY);
    for (place, candidate) in set.iter().enumerate() {
        let Some(quality) = candidate.quality() else {
            continue;
        };
        let drawn = dice.beta(quality.value, quality.strength(strength));
        let score = candidate.score + weight * (drawn - quality.value);
        if score > best.1 {
            best = (place, score);
        }
    }
    best.0
}

/// Says of the candidates that a record lists why the one explored is chosen, and the best is not.
pub(super) fn explain(chance: &Chance, listed: &mut [Candidate]) {
    let (Some(best), Some((chosen, others))) = (&chance.record.best, listed.split_first_mut())
    else {
        return;
    };
    chosen.detail = Some(format!(
        "explored ({}): {:.4} behind `{best}`, probability {:.4}",
        chance.record.method.as_str(),
        chance.behind,
        chance.propensity
    ));
    let best_score = chosen.score.unwrap_or_default() + chance.behind;
    for other in others.iter_mut().filter(|other| other.reason.is_none()) {
        other.detail = Some(if other.agent == *best {
            format!("scored best; `{}` was explored", chosen.agent)
        } else {
            let behind = best_score - other.score.unwrap_or_default();
            format!("{behind:.4} behind `{best}`")
        });
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of candidates")]
fn size(candidates: usize) -> f64 {
    candidates as f64
}

#[cfg(test)]
mod tests;
