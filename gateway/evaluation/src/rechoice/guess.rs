//! Whether a choice made again is a guess that its profile rejects.

use gateway_core::{
    AgentId, OnAmbiguous,
    decision::{Ambiguity, Candidate, DecisionKind, Verdict},
};

use super::{Entrant, field::Field};

/// Agents are recorded as alike from this share on of the likeness that makes a guess, which is 1 at most.
const NEAR: f64 = 0.5;

/// Whether the profile turns a choice down as a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    No,
    Yes,
    /// The record does not say how much others are alike.
    Unknown,
}

impl<'d> Field<'d, '_> {
    /// Judges the best by the next, as far as scores go, and by the likeness that is recorded of the best then.
    pub(super) fn guess(self, best: Entrant<'_>, next: Option<Entrant<'_>>) -> Guess {
        let rule = &self.path.known.profile.ambiguity;
        if rule.on_ambiguous == OnAmbiguous::Choose {
            return Guess::No;
        }
        let is_close = |next: Entrant<'_>| best.score - next.score < rule.margin;
        if next.is_some_and(is_close) {
            return Guess::Yes;
        }
        if self.best_then() != Some(&best.candidate.agent) {
            return Guess::Unknown;
        }
        let recorded = self.decision.ambiguity.as_ref();
        if !self.is_changed() {
            let was_guess = recorded.is_some_and(|recorded| recorded.guess);
            return if was_guess { Guess::Yes } else { Guess::No };
        }
        if !self.path.is_narrowed_as(self.decision.rule.as_ref()) {
            return Guess::Unknown;
        }
        match recorded {
            Some(recorded) if !self.may_be_rival(recorded) => Guess::Unknown,
            Some(recorded) if recorded.likeness >= rule.likeness => Guess::Yes,
            // Nobody was more alike, whatever the threshold was.
            Some(recorded) if !recorded.guess || !self.was_next(&recorded.agent) => Guess::No,
            // It may have been named for its score, and another one be more alike.
            Some(_) => Guess::Unknown,
            None if rule.likeness >= NEAR => Guess::No,
            None => Guess::Unknown,
        }
    }

    /// Returns who scored best then, whether it got the message or not.
    fn best_then(self) -> Option<&'d AgentId> {
        let first = || {
            let unsent = self.decision.kind == DecisionKind::Ambiguous;
            let first = self.decision.candidates.first().filter(|_| unsent)?;
            Some(&first.agent)
        };
        self.decision.best().or_else(first)
    }

    /// Tells whether an agent scored next to the best then.
    fn was_next(self, agent: &AgentId) -> bool {
        let best = self.best_then();
        let candidates = self.decision.candidates.iter();
        let others = candidates.filter(|candidate| {
            candidate.verdict != Verdict::Discarded && Some(&candidate.agent) != best
        });
        let next = others.max_by(|left, right| {
            let score = |one: &Candidate| one.score.unwrap_or(f64::NEG_INFINITY);
            score(left).total_cmp(&score(right))
        });
        next.is_some_and(|next| next.agent == *agent)
    }

    /// Tells whether the rival then would meet the ceiling of effects now.
    fn may_be_rival(self, rival: &Ambiguity) -> bool {
        let participant = self.setting.agents().get(&rival.agent);
        let effect = participant.map(|one| one.effect_of(rival.skill.as_deref()));
        effect.is_some_and(|effect| self.path.is_harmless(effect))
    }
}
