//! Ambiguity: whether the message fits another agent so much alike that choosing the best is a guess.

use std::{cmp::Ordering, sync::Arc};

use super::{
    assess::{self, Assessed},
    choice::{Alternative, Question},
};
use crate::{
    catalog::CatalogAgent,
    decision::{Ambiguity, Candidate, Discard, Verdict},
    fit::Fits,
    profile::OnAmbiguous,
};

/// Agents that are compared with the best: the next by fit. The measure of likeness was fitted for as many.
const COMPARED: usize = 4;
/// Agents that are held until it is known who is best and who meets the other requirements.
const KEPT: usize = 12;
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

/// The agents that fit a message best, whether or not they fit well enough: of two that do the same, the one whose card
/// lacks the message's words may well be below the floor.
#[derive(Debug, Default)]
pub(super) struct Nearest<'a> {
    /// Best first.
    held: Vec<Near<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Near<'a> {
    log_odds: f64,
    position: usize,
    agent: &'a Arc<CatalogAgent>,
}

impl<'a> Nearest<'a> {
    /// Looks at an agent; one that fails anything but the floor of fit is no rival.
    pub(super) fn see(&mut self, assessed: &Assessed<'a>) {
        let is_rival = matches!(assessed.failed, None | Some(Discard::BelowMinFit));
        let Some(log_odds) = assessed.log_odds().filter(|_| is_rival) else {
            return;
        };
        let is_before = |held: &Near<'_>| match held.log_odds.total_cmp(&log_odds) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => held.agent.spec.id < assessed.agent.spec.id,
        };
        let place = self.held.partition_point(is_before);
        if place < KEPT {
            self.held.truncate(KEPT.saturating_sub(1));
            let near = Near {
                log_odds,
                position: assessed.position,
                agent: assessed.agent,
            };
            self.held.insert(place, near);
        }
    }

    /// Says whether an agent with a fit of these log-odds may be among them.
    pub(super) fn has_room_at(&self, log_odds: f32) -> bool {
        let last = self.held.last().filter(|_| self.held.len() >= KEPT);
        last.is_none_or(|last| f64::from(log_odds) >= last.log_odds)
    }

    /// Returns those that are compared with the best: the next by fit that meet every requirement but the floor.
    fn rivals(
        &self,
        question: Question<'a>,
        fits: &Fits<'_, '_>,
        best: &Assessed<'_>,
    ) -> Vec<Assessed<'a>> {
        let others = self
            .held
            .iter()
            .filter(|near| near.position != best.position);
        others
            .filter_map(|near| assess::beside_fit(question, fits, near.position, near.agent))
            .take(COMPARED)
            .collect()
    }
}

/// Judges ranked candidates that met all requirements.
pub(super) fn judge<'a>(
    question: Question<'a>,
    fits: &Fits<'_, '_>,
    ranked: &[Assessed<'a>],
    nearest: &Nearest<'a>,
) -> Option<Doubt> {
    let rule = &question.profile.ambiguity;
    let best = ranked.first()?;
    let rivals = nearest.rivals(question, fits, best);
    let positions = rivals.iter().map(|rival| rival.position);
    let alike = fits.rival(best.position, positions).and_then(|found| {
        let rival = rivals.iter().find(|rival| rival.position == found.agent)?;
        Some((rival, found.likeness))
    });
    let close = || {
        let next = ranked.get(1)?;
        let is_close = best.score - next.score < rule.margin;
        is_close.then(|| (next, likeness(fits, best, next)))
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
pub(super) fn alternatives<'a>(
    question: Question<'a>,
    fits: &Fits<'_, '_>,
    ranked: &[Assessed<'a>],
    nearest: &Nearest<'a>,
) -> Vec<Alternative> {
    let rule = &question.profile.ambiguity;
    let Some((best, others)) = ranked.split_first() else {
        return Vec::new();
    };
    let mut rivals = nearest.rivals(question, fits, best);
    let next = others.first();
    if let Some(next) =
        next.filter(|next| rivals.iter().all(|rival| rival.position != next.position))
    {
        rivals.push(*next);
    }
    let is_guess = |rival: &&Assessed<'_>| {
        best.score - rival.score < rule.margin || likeness(fits, best, rival) >= rule.likeness
    };
    [best]
        .into_iter()
        .chain(rivals.iter().filter(is_guess))
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

/// Returns how much two are alike for the message; 0 where nothing of it was found in them.
fn likeness(fits: &Fits<'_, '_>, best: &Assessed<'_>, other: &Assessed<'_>) -> f64 {
    let rival = fits.rival(best.position, [other.position]);
    rival.map_or(0.0, |rival| rival.likeness)
}

#[cfg(test)]
mod tests;
