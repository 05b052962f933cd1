//! Shadows: what other profiles would do with the same message, with the same fits and signals, without doing it.

use std::collections::BTreeMap;

use super::{
    ambiguity, assess,
    choice::Question,
    survey::{Survey, survey},
};
use crate::{
    decision::{DecisionKind, ShadowChoice},
    fit::Fits,
    profile::{OnNoFit, VersionedProfile},
};

/// The best and the next: what it takes to tell whether the choice is a guess.
const COMPARED: usize = 2;

/// Decides by each of the shadow profiles but the one the message is decided by. Chance has no part in it.
pub(super) fn decide(
    question: Question<'_>,
    fits: &Fits<'_, '_>,
    shadows: &[&VersionedProfile],
) -> BTreeMap<String, ShadowChoice> {
    let others = shadows
        .iter()
        .filter(|profile| profile.name != question.profile.name);
    others
        .map(|profile| {
            let question = Question {
                profile,
                ..question
            };
            (profile.name.clone(), shadow(question, fits))
        })
        .collect()
}

fn shadow(question: Question<'_>, fits: &Fits<'_, '_>) -> ShadowChoice {
    let Survey {
        fitting, nearest, ..
    } = survey(question, fits, COMPARED);
    let ranked = fitting.ranked(question.features.message_id.as_deref());
    let rejects =
        || ambiguity::judge(question, fits, &ranked, &nearest).is_some_and(|doubt| doubt.rejects);
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
        profile: question.profile.version().to_owned(),
        kind,
    }
}
