//! The field of a choice: which recorded candidates meet the requirements now, and who of them is best.

use std::{cmp::Reverse, collections::BTreeSet};

use gateway_core::{
    AgentId,
    decision::{Candidate, DecisionKind, Discard, RouteDecision},
    route::{Recorded, SignalName, TIE, tie_break},
};

use super::{Doubt, Entrant};
use crate::{
    course::Path,
    setting::{Participant, Setting},
};

/// What a decision is made again with.
#[derive(Clone, Copy)]
pub(super) struct Field<'d, 's> {
    pub(super) decision: &'d RouteDecision,
    pub(super) setting: &'s Setting,
    pub(super) path: Path<'s>,
}

impl<'d, 's> Field<'d, 's> {
    /// Lets a candidate take part, unless a requirement stands against it.
    pub(super) fn enter(
        self,
        candidate: &'d Candidate,
        doubts: &mut BTreeSet<Doubt>,
    ) -> Option<Entrant<'d>> {
        let participant = self.participant(candidate)?;
        if !self.may_run(participant, candidate.skill.as_deref()) {
            return None;
        }
        let Some(recorded) = self.recorded(candidate) else {
            if !self.still_fails(candidate) {
                doubts.insert(Doubt::NotMeasured);
            }
            return None;
        };
        let hints = &self.decision.request.hints;
        // A fallback that was chosen takes part like any other, and had failed the floor.
        if recorded.failed_limit(self.path.limits(), hints).is_some() {
            return None;
        }
        let is_reachable = candidate.interface.is_some();
        is_reachable.then(|| self.entrant(candidate, recorded))
    }

    /// Returns the agent that takes what nobody fits, if it meets all other requirements.
    pub(super) fn fallback(self, doubts: &mut BTreeSet<Doubt>) -> Option<Entrant<'d>> {
        let hints = &self.decision.request.hints;
        if hints.agent.is_some() || hints.skill.is_some() {
            return None;
        }
        let wanted = self.path.known.fallback()?;
        if !self.path.allows(wanted) {
            return None;
        }
        let mut candidates = self.decision.candidates.iter();
        let Some(candidate) = candidates.find(|candidate| candidate.agent == *wanted) else {
            // Where nobody got the message by the same course, the fallback had failed too.
            if self.is_changed() || self.decision.kind != DecisionKind::NoFit {
                doubts.insert(Doubt::Unlisted);
            }
            return None;
        };
        let participant = self.participant(candidate)?;
        // Nobody asks which of its skills it is wanted for, or how well that fits.
        if !self.may_run(participant, None) {
            return None;
        }
        let Some(recorded) = self.recorded(candidate) else {
            if !self.still_fails(candidate) {
                doubts.insert(Doubt::NotMeasured);
            }
            return None;
        };
        let recorded = recorded.with(SignalName::Fit, 0.0);
        let failed = recorded.failed_limit(&self.path.known.without_floor, hints);
        let may_enter = failed.is_none() && candidate.interface.is_some();
        may_enter.then(|| self.entrant(candidate, recorded))
    }

    /// Returns the first two in the order of live routing: by score, then by id; those tied with the best by preference
    /// and message id.
    pub(super) fn best_two(
        self,
        entrants: &[Entrant<'d>],
    ) -> (Option<Entrant<'d>>, Option<Entrant<'d>>) {
        let mut ranked: Vec<&Entrant<'d>> = entrants.iter().collect();
        ranked.sort_unstable_by(|left, right| {
            let by_id = || left.candidate.agent.cmp(&right.candidate.agent);
            right.score.total_cmp(&left.score).then_with(by_id)
        });
        let highest = ranked.first().map_or(0.0, |best| best.score);
        let tied = ranked.partition_point(|entrant| entrant.score >= highest - TIE);
        if let (Some(tied), true) = (ranked.get_mut(..tied), tied > 1) {
            tied.sort_by_cached_key(|entrant| Reverse(self.tie_break(&entrant.candidate.agent)));
        }
        let mut ranked = ranked.into_iter().copied();
        (ranked.next(), ranked.next())
    }

    /// Tells whether the decision is made by another profile than then, or narrowed by another rule.
    pub(super) fn is_changed(self) -> bool {
        !self.path.is_that_of(self.decision)
    }

    /// Returns what the setting says of an agent that is in it and that the rule leaves in.
    fn participant(self, candidate: &Candidate) -> Option<&'s Participant> {
        let participant = self.setting.agents().get(&candidate.agent)?;
        let may_pass = candidate.reason.is_none_or(may_pass_now);
        (may_pass && self.path.allows(&candidate.agent)).then_some(participant)
    }

    fn may_run(self, participant: &Participant, skill: Option<&str>) -> bool {
        self.path.is_harmless(participant.effect_of(skill))
    }

    /// Tells whether a candidate without signals fails for certain, as it did then: for a limit that is the same.
    fn still_fails(self, candidate: &Candidate) -> bool {
        let by_rule_or_effect = matches!(
            candidate.reason,
            Some(Discard::ExcludedByRule | Discard::EffectCeiling)
        );
        !by_rule_or_effect && !self.is_changed()
    }

    fn recorded(self, candidate: &Candidate) -> Option<Recorded> {
        let recorded = Recorded::of(candidate.signals.as_ref()?)?;
        let hints = &self.decision.request.hints;
        Some(recorded.under(&self.path.known.profile, hints))
    }

    fn entrant(self, candidate: &'d Candidate, signals: Recorded) -> Entrant<'d> {
        Entrant {
            candidate,
            signals,
            score: signals.score(&self.path.known.profile.weights),
        }
    }

    fn tie_break(self, agent: &AgentId) -> (i32, u64) {
        let message = self.decision.request.message_id.as_deref();
        let preference = self.setting.preference(agent);
        tie_break(preference, message.unwrap_or_default(), agent)
    }
}

/// Tells whether a requirement is one that another setting may drop, and not about what an agent is or can do.
fn may_pass_now(reason: Discard) -> bool {
    matches!(
        reason,
        Discard::BelowMinFit
            | Discard::RiskCeiling
            | Discard::BudgetCost
            | Discard::BudgetLatency
            | Discard::EffectCeiling
            | Discard::ExcludedByRule
    )
}
