//! What a record does not tell about a choice that is made again.

use std::collections::BTreeSet;

use gateway_core::{
    OnAmbiguous,
    decision::{DecisionKind, Discard, Verdict},
};

use super::{Doubt, Entrant, Replayed};

impl<'d> Replayed<'d, '_> {
    /// Says what the record does not tell.
    pub(super) fn doubt(self, after: Option<&Entrant<'d>>, doubts: &mut BTreeSet<Doubt>) {
        let agents = self.setting.agents();
        let listed = self.decision.candidates.iter();
        let listed = listed.filter(|candidate| agents.contains_key(&candidate.agent));
        let absent = agents.len().saturating_sub(listed.count());
        let unlisted = &self.decision.unlisted;
        let counted = unlisted
            .discarded
            .values()
            .fold(unlisted.outscored, |sum, count| sum.saturating_add(*count));
        if absent > counted {
            doubts.insert(Doubt::NewAgent);
        }
        let excluded = unlisted.discarded.get(&Discard::ExcludedByRule);
        let has_excluded = excluded.is_some_and(|count| *count > 0);
        if has_excluded && self.course.leaves_in_others(self.decision) {
            doubts.insert(Doubt::Unlisted);
        }
        if absent > 0 && self.unlisted_may_win(after) {
            doubts.insert(Doubt::Unlisted);
        }
        let had_failed_fit = after.is_some_and(|after| {
            self.decision.kind == DecisionKind::Scored
                && after.candidate.reason == Some(Discard::BelowMinFit)
        });
        if had_failed_fit {
            doubts.insert(Doubt::CardUnchecked);
        }
    }

    /// Tells whether one of those that are only counted might win. Those listed came closest, which bounds the others.
    fn unlisted_may_win(self, after: Option<&Entrant<'d>>) -> bool {
        let unlisted = &self.decision.unlisted;
        let count = |reason| unlisted.discarded.get(&reason).copied().unwrap_or_default();
        let was_fitting = after.is_some_and(|after| after.candidate.verdict != Verdict::Discarded);
        if unlisted.outscored > 0 && (self.is_changed() || !was_fitting) {
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
            count(Discard::BelowMinFit) > 0 && lowest_fit >= self.known.profile.min_fit;
        floor_may_let_in || count(Discard::RiskCeiling) > 0
    }

    /// Tells whether the profile rejects the choice as a guess.
    pub(super) fn is_guess(
        self,
        entrants: &[Entrant<'d>],
        after: Option<&Entrant<'d>>,
        doubts: &mut BTreeSet<Doubt>,
    ) -> bool {
        let rule = &self.known.profile.ambiguity;
        let Some(after) = after.filter(|_| rule.on_ambiguous == OnAmbiguous::Reject) else {
            return false;
        };
        let others = entrants
            .iter()
            .filter(|entrant| entrant.candidate.agent != after.candidate.agent);
        let next = others.map(|entrant| entrant.score).reduce(f64::max);
        if next.is_some_and(|next| after.score - next < rule.margin) {
            return true;
        }
        let same = self
            .before()
            .is_some_and(|before| before.agent == after.candidate.agent);
        if !same {
            doubts.insert(Doubt::Rival);
            return false;
        }
        let rival = self.decision.ambiguity.as_ref();
        rival.is_some_and(|rival| {
            let may_get_it = self.setting.agents().contains_key(&rival.agent);
            may_get_it && rival.likeness >= rule.likeness
        })
    }
}
