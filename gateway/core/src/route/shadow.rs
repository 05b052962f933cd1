//! Shadows: what other profiles would do with the same message, with the same fits and signals, without doing it.

use std::collections::BTreeMap;

use super::{
    ambiguity::{self, Nearest},
    assess::{self, Assessed, First, everybody, rank},
    choice::Question,
};
use crate::{
    decision::{DecisionKind, ShadowChoice},
    fit::Fits,
    profile::{OnNoFit, Profile},
};

/// Decides by each of the shadow profiles but the one the message is decided by. Chance has no part in it.
pub(super) fn decide(
    question: Question<'_>,
    fits: &Fits<'_, '_>,
    shadows: &[&Profile],
) -> BTreeMap<String, ShadowChoice> {
    let others = shadows
        .iter()
        .filter(|profile| profile.name != question.profile.name);
    // Its memory serves all profiles, one after the other.
    let mut ranked = Vec::new();
    others
        .map(|profile| {
            let question = Question {
                profile,
                ..question
            };
            ranked.clear();
            (profile.name.clone(), shadow(question, fits, &mut ranked))
        })
        .collect()
}

fn shadow<'a>(
    question: Question<'a>,
    fits: &Fits<'_, '_>,
    ranked: &mut Vec<Assessed<'a>>,
) -> ShadowChoice {
    let mut nearest = Nearest::default();
    let everybody = everybody(question, fits, First::Fit).inspect(|agent| nearest.see(agent));
    ranked.extend(everybody.filter(|agent| agent.failed.is_none()));
    rank(ranked, question.features.message_id.as_deref());
    let rejects =
        || ambiguity::judge(question, fits, ranked, &nearest).is_some_and(|doubt| doubt.rejects);
    let (kind, chosen) = match (ranked.first(), &question.profile.on_no_fit) {
        (Some(_), _) if rejects() => (DecisionKind::Ambiguous, None),
        (Some(best), _) => (DecisionKind::Scored, Some(*best)),
        (None, OnNoFit::Fallback(id)) => match assess::fallback(question, id) {
            Some(fallback) => (DecisionKind::Fallback, Some(fallback)),
            None => (DecisionKind::NoFit, None),
        },
        (None, OnNoFit::Reject) => (DecisionKind::NoFit, None),
    };
    ShadowChoice {
        agent: chosen.map(|chosen| chosen.agent.spec.id.clone()),
        skill: chosen.and_then(|chosen| chosen.skill_id().map(str::to_owned)),
        score: chosen.map(|chosen| chosen.score),
        profile: question.profile.version(),
        kind,
    }
}
