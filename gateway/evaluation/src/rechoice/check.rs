//! Refuses records that no gateway writes.

use std::collections::HashSet;

use gateway_core::{
    AgentId,
    decision::{Candidate, DecisionKind, RouteDecision, Verdict},
    route::Recorded,
};

use super::Unreplayed;

pub(super) fn check(decision: &RouteDecision) -> Result<(), Unreplayed> {
    let broken = |what: String| Err(Unreplayed::Broken(what));
    let candidates = &decision.candidates;
    let chosen = candidates
        .iter()
        .filter(|candidate| candidate.verdict == Verdict::Chosen);
    let sent = matches!(decision.kind, DecisionKind::Scored | DecisionKind::Fallback);
    let expected = usize::from(sent);
    if chosen.count() != expected {
        let kind = decision.kind.as_str();
        return broken(format!(
            "not {expected} candidates are chosen, as `{kind}` has"
        ));
    }
    if let Some(candidate) = candidates.iter().find(|candidate| !is_sound(candidate)) {
        let agent = &candidate.agent;
        return broken(format!(
            "the signals of `{agent}` are missing or out of range"
        ));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = candidates.iter().find(|one| !seen.insert(&one.agent)) {
        return broken(format!("`{}` is listed twice", twice.agent));
    }
    let best = decision.best();
    let is_listed = |best: &AgentId| candidates.iter().any(|candidate| candidate.agent == *best);
    match best.filter(|best| !is_listed(best)) {
        Some(best) => broken(format!(
            "the best agent `{best}` is not among the candidates"
        )),
        None => Ok(()),
    }
}

fn is_sound(candidate: &Candidate) -> bool {
    let has_score = candidate.score.is_none_or(f64::is_finite);
    let readable = match &candidate.signals {
        Some(signals) => Recorded::of(signals).is_some(),
        None => candidate.verdict == Verdict::Discarded,
    };
    has_score && readable
}
