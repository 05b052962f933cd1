//! Ambiguity: whether the message fits another agent so much alike that choosing the best is a guess.

use super::{
    assess::Assessed,
    choice::{Alternative, Question},
};
use crate::{
    decision::{Ambiguity, Candidate, Verdict},
    fit::Fits,
    profile::OnAmbiguous,
};

/// Agents that are compared with the best: the next by fit. The measure of likeness was fitted for as many.
const COMPARED: usize = 4;
/// A rival is recorded from this share of the likeness on that makes a guess.
const NEAR: f64 = 0.5;

/// A message that another agent fits nearly as well, or as well.
#[derive(Debug)]
pub(super) struct Doubt {
    /// The rival that is most alike.
    pub(super) record: Ambiguity,
    /// Whether the profile would rather send nothing.
    pub(super) rejects: bool,
}

/// Judges ranked candidates that met all requirements.
pub(super) fn judge(
    question: Question<'_>,
    fits: &Fits<'_, '_>,
    ranked: &[Assessed<'_>],
) -> Option<Doubt> {
    let rule = &question.profile.ambiguity;
    let (best, others) = ranked.split_first()?;
    let next_by_score = others.first()?;
    let alike = most_alike(fits, best, others);
    let close = || {
        let is_close = best.score - next_by_score.score < rule.margin;
        is_close.then(|| (next_by_score, likeness(fits, best, next_by_score)))
    };
    let by_likeness = alike.filter(|(_, likeness)| *likeness >= rule.likeness);
    let guess = by_likeness.or_else(close);
    let near = || alike.filter(|(_, likeness)| *likeness >= NEAR * rule.likeness);
    let (rival, likeness) = guess.or_else(near)?;
    Some(Doubt {
        record: Ambiguity {
            agent: rival.agent.spec.id.clone(),
            skill: rival.skill_id().map(str::to_owned),
            likeness,
            margin: best.score - rival.score,
            guess: guess.is_some(),
        },
        rejects: guess.is_some() && rule.on_ambiguous == OnAmbiguous::Reject,
    })
}

/// Returns what a caller may name instead of leaving the choice to a guess: the best, and all that would be a guess
/// beside it.
pub(super) fn alternatives(
    question: Question<'_>,
    fits: &Fits<'_, '_>,
    ranked: &[Assessed<'_>],
) -> Vec<Alternative> {
    let rule = &question.profile.ambiguity;
    let Some((best, others)) = ranked.split_first() else {
        return Vec::new();
    };
    let mut compared = next_by_fit(others);
    let next_by_score = others.iter().take(1);
    let is_new =
        |other: &&Assessed<'_>| compared.iter().all(|held| held.position != other.position);
    let missed: Vec<_> = next_by_score.filter(is_new).collect();
    compared.extend(missed);
    let is_guess = |other: &&Assessed<'_>| {
        best.score - other.score < rule.margin || likeness(fits, best, other) >= rule.likeness
    };
    [best]
        .into_iter()
        .chain(compared.into_iter().filter(is_guess))
        .map(|assessed| Alternative {
            agent: assessed.agent.spec.id.clone(),
            skill: assessed.skill_id().map(str::to_owned),
        })
        .collect()
}

/// Says of the candidates that a record lists why none of them was chosen.
pub(super) fn explain(doubt: &Doubt, listed: &mut [Candidate]) {
    let ambiguity = &doubt.record;
    if let Some(best) = listed.first_mut() {
        best.verdict = Verdict::Outscored;
        best.detail = Some(format!(
            "scored best, but `{}` fits alike (likeness {:.2}, margin {:.4}) and the profile rejects guesses",
            ambiguity.agent, ambiguity.likeness, ambiguity.margin
        ));
    }
}

fn most_alike<'r, 'a>(
    fits: &Fits<'_, '_>,
    best: &Assessed<'_>,
    others: &'r [Assessed<'a>],
) -> Option<(&'r Assessed<'a>, f64)> {
    let compared = next_by_fit(others);
    let rival = fits.rival(best.position, compared.iter().map(|other| other.position))?;
    let other = compared
        .iter()
        .find(|other| other.position == rival.agent)?;
    Some((*other, rival.likeness))
}

/// Returns how much two are alike for the message; 0 where nothing of it was found in them.
fn likeness(fits: &Fits<'_, '_>, best: &Assessed<'_>, other: &Assessed<'_>) -> f64 {
    let rival = fits.rival(best.position, [other.position]);
    rival.map_or(0.0, |rival| rival.likeness)
}

/// Returns those that fit best, best first.
fn next_by_fit<'r, 'a>(others: &'r [Assessed<'a>]) -> Vec<&'r Assessed<'a>> {
    let mut next: Vec<&Assessed<'_>> = Vec::with_capacity(COMPARED + 1);
    for other in others {
        let place = next.partition_point(|held| held.fit_value() >= other.fit_value());
        if place < COMPARED {
            next.truncate(COMPARED.saturating_sub(1));
            next.insert(place, other);
        }
    }
    next
}

#[cfg(test)]
mod tests;
