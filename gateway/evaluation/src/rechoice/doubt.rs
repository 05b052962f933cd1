//! What a record does not tell, so that a choice made again is not certain.

use std::collections::BTreeSet;

use gateway_core::{
    AgentId,
    decision::{DecisionKind, Discard, Verdict},
};
use serde::Serialize;

use super::{Entrant, field::Field};

/// Why a choice that was made again is not certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The configuration has agents that were not there then.
    NewAgent,
    /// Candidates that the record only counts might win.
    Unlisted,
    /// The winner had failed the floor of fit or the rule then, and nothing else of its card was looked at.
    CardUnchecked,
    /// A candidate that failed a requirement might pass now, but its signals are not recorded.
    NotMeasured,
    /// The profile rejects guesses, and how much another agent is like the winner is not recorded.
    LikenessUnknown,
}

impl<'d> Field<'d, '_> {
    /// Says what the record does not tell about the others, and about the winner.
    pub(super) fn doubt(self, after: Option<&Entrant<'d>>, doubts: &mut BTreeSet<Doubt>) {
        let is_listed = |agent: &AgentId| {
            let mut listed = self.decision.candidates.iter();
            listed.any(|candidate| candidate.agent == *agent)
        };
        let absent = self.setting.agents().keys();
        let absent: Vec<_> = absent.filter(|agent| !is_listed(agent)).collect();
        if absent.iter().any(|agent| self.path.allows(agent)) {
            let unlisted = &self.decision.unlisted;
            let counted = unlisted
                .discarded
                .values()
                .fold(unlisted.outscored, |sum, count| sum.saturating_add(*count));
            if absent.len() > counted {
                doubts.insert(Doubt::NewAgent);
            }
            if self.unlisted_may_win(after) || self.unlisted_may_run(&absent) {
                doubts.insert(Doubt::Unlisted);
            }
        }
        if after.is_some_and(|after| self.is_unchecked(after)) {
            doubts.insert(Doubt::CardUnchecked);
        }
    }

    /// Tells whether one of those that are only counted might win. Those listed came closest, which bounds the others.
    fn unlisted_may_win(self, after: Option<&Entrant<'d>>) -> bool {
        let was_fitting = after.is_some_and(|after| after.candidate.verdict != Verdict::Discarded);
        if self.decision.unlisted.outscored > 0 && (self.is_changed() || !was_fitting) {
            return true;
        }
        if !self.is_changed() {
            return false;
        }
        let listed_unfit = self
            .decision
            .candidates
            .iter()
            .filter(|candidate| candidate.reason == Some(Discard::BelowMinFit));
        let lowest_fit = listed_unfit
            .filter_map(|candidate| Some(candidate.signals.as_ref()?.fit.value))
            .fold(f64::INFINITY, f64::min);
        let floor_may_let_in =
            self.counted(Discard::BelowMinFit) > 0 && lowest_fit >= self.path.limits().min_fit;
        floor_may_let_in
            || self.counted(Discard::RiskCeiling) > 0
            || self.counted(Discard::ExcludedByRule) > 0
    }

    /// Tells whether one of those that are only counted, and whose effect was too high then, may run now.
    fn unlisted_may_run(self, absent: &[&AgentId]) -> bool {
        let version = Some(self.decision.versions.config.as_str());
        let effects_are_the_same = self.setting.version() == version && !self.is_changed();
        let mut agents = absent
            .iter()
            .filter_map(|agent| self.setting.agents().get(*agent));
        self.counted(Discard::EffectCeiling) > 0
            && !effects_are_the_same
            && agents.any(|agent| self.path.is_harmless(agent.least_effect()))
    }

    fn counted(self, reason: Discard) -> usize {
        let counts = &self.decision.unlisted.discarded;
        counts.get(&reason).copied().unwrap_or_default()
    }

    /// Tells whether the winner failed then before the rest of its card was looked at. Where nobody fitted, cards were
    /// looked at first.
    fn is_unchecked(self, after: &Entrant<'_>) -> bool {
        match after.candidate.reason {
            Some(Discard::ExcludedByRule) => true,
            Some(Discard::BelowMinFit) => self.decision.kind != DecisionKind::NoFit,
            _ => false,
        }
    }
}
