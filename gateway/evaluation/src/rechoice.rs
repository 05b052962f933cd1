//! One decision made again: the recorded candidates and signals under another setting.

mod doubts;

use std::collections::BTreeSet;

use gateway_core::{
    decision::{Candidate, DecisionKind, Discard, RouteDecision, Verdict},
    route::{Recorded, TIE, tie_break},
};
use serde::Serialize;

use crate::{
    course::Course,
    setting::{Known, Setting},
};

/// A decision made again.
#[derive(Debug)]
pub struct Rechoice<'d> {
    /// Who got the message then.
    pub logged: Option<&'d Candidate>,
    /// Who would have got it then without chance.
    pub before: Option<&'d Candidate>,
    /// Who would get it now.
    pub after: Option<Entrant<'d>>,
    /// How that one is found now.
    pub kind: DecisionKind,
    /// Name and version of the profile it is made again with.
    pub profile: String,
    /// Why it might be somebody else.
    pub doubts: BTreeSet<Doubt>,
    /// All that meet the requirements now.
    pub(crate) entrants: Vec<Entrant<'d>>,
    /// The new score of the new choice minus the new score of the old one, where it has one.
    pub(crate) lead: Option<f64>,
}

/// A candidate that meets all requirements.
#[derive(Debug, Clone, Copy)]
pub struct Entrant<'d> {
    /// As recorded.
    pub candidate: &'d Candidate,
    /// Its signals under the setting.
    pub signals: Recorded,
    /// Its score under the setting.
    pub score: f64,
}

/// Why a choice that was made again is not certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The configuration has agents that were not there then.
    NewAgent,
    /// Candidates that the record only counts might win.
    Unlisted,
    /// The winner had failed the floor of fit then, and nothing else of its card was looked at.
    CardUnchecked,
    /// A candidate that failed a limit, a ceiling or a rule might pass now, but its signals are not recorded.
    NotMeasured,
    /// A rule asks for the text of the message, which is recorded only with `store.record_text`.
    NoText,
    /// Another one scores best, and whether a rival fits alike is known only of the one that did then.
    Rival,
}

/// A decision cannot be made again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreplayed {
    /// It was made without scoring: by task, by context or by path.
    #[error("it was made without scoring ({})", .0.as_str())]
    NotScored(DecisionKind),
    /// The record contradicts itself.
    #[error("{0}")]
    Broken(String),
}

/// Makes a decision again, with features and signals as recorded.
///
/// # Errors
/// [`Unreplayed`] where there is nothing to choose, or the record cannot be right.
pub fn rechoose<'d>(
    decision: &'d RouteDecision,
    setting: &Setting,
) -> Result<Rechoice<'d>, Unreplayed> {
    match decision.kind {
        DecisionKind::Scored | DecisionKind::Fallback | DecisionKind::NoFit => {}
        other => return Err(Unreplayed::NotScored(other)),
    }
    let course = Course::of(decision, setting);
    let replay = Replayed {
        decision,
        setting,
        course,
        known: course.known,
    };
    replay.check()?;
    let mut doubts = BTreeSet::new();
    if course.is_guess {
        doubts.insert(Doubt::NoText);
    }
    if course.turned_away {
        return Ok(replay.sent_to_nobody(DecisionKind::Rejected, doubts, Vec::new()));
    }
    let mut entrants = Vec::new();
    for candidate in &decision.candidates {
        if let Some(entrant) = replay.enter(candidate, &mut doubts) {
            entrants.push(entrant);
        }
    }
    let scored = replay.winner(&entrants, |entrant| entrant.score);
    let (after, kind) = match scored {
        Some(winner) => (Some(winner), DecisionKind::Scored),
        None => match replay.fallback(&mut doubts) {
            Some(fallback) => (Some(fallback), DecisionKind::Fallback),
            None => (None, DecisionKind::NoFit),
        },
    };
    replay.doubt(after.as_ref(), &mut doubts);
    if kind == DecisionKind::Scored && replay.is_guess(&entrants, after.as_ref(), &mut doubts) {
        return Ok(replay.sent_to_nobody(DecisionKind::Ambiguous, doubts, entrants));
    }
    let before = replay.before();
    Ok(Rechoice {
        logged: decision.chosen(),
        before,
        lead: after.and_then(|after| Some(after.score - replay.score_now(before?)?)),
        after,
        kind,
        profile: course.known.version.clone(),
        doubts,
        entrants,
    })
}

/// Tells whether a requirement is a limit on signals, and not on what an agent is or can do.
fn is_limit(reason: Discard) -> bool {
    matches!(
        reason,
        Discard::BelowMinFit | Discard::RiskCeiling | Discard::BudgetCost | Discard::BudgetLatency
    )
}

/// What a decision is made again with.
#[derive(Clone, Copy)]
struct Replayed<'d, 's> {
    decision: &'d RouteDecision,
    setting: &'s Setting,
    course: Course<'s>,
    known: &'s Known,
}

impl<'d> Replayed<'d, '_> {
    /// Refuses records that no gateway writes.
    fn check(self) -> Result<(), Unreplayed> {
        let broken = |what: String| Err(Unreplayed::Broken(what));
        let candidates = &self.decision.candidates;
        let chosen = candidates
            .iter()
            .filter(|candidate| candidate.verdict == Verdict::Chosen);
        let expected = usize::from(self.decision.kind != DecisionKind::NoFit);
        if chosen.count() != expected {
            let kind = self.decision.kind.as_str();
            return broken(format!(
                "not {expected} candidates are chosen, as `{kind}` has"
            ));
        }
        for candidate in candidates {
            let readable = candidate
                .signals
                .as_ref()
                .map(|signals| Recorded::of(signals).is_some());
            let has_score = candidate.score.is_none_or(f64::is_finite);
            let met_all = candidate.verdict != Verdict::Discarded;
            if readable == Some(false) || !has_score || (met_all && readable.is_none()) {
                let agent = &candidate.agent;
                return broken(format!(
                    "the signals of `{agent}` are missing or out of range"
                ));
            }
        }
        Ok(())
    }

    /// Lets a candidate take part, unless a requirement stands against it.
    fn enter(self, candidate: &'d Candidate, doubts: &mut BTreeSet<Doubt>) -> Option<Entrant<'d>> {
        if !self.setting.agents().contains_key(&candidate.agent) {
            return None;
        }
        let (allowed, harmless) = (
            self.course.allows(candidate),
            self.course.within_ceiling(candidate, self.setting),
        );
        if !allowed || !harmless {
            return None;
        }
        match candidate.reason {
            // Nothing else of it was looked at then.
            Some(Discard::ExcludedByRule) => {
                doubts.insert(Doubt::NotMeasured);
                return None;
            }
            Some(Discard::EffectCeiling) if self.setting.knows_effect_of(&candidate.agent) => {
                doubts.insert(Doubt::NotMeasured);
                return None;
            }
            Some(reason) if !is_limit(reason) => return None,
            _ => {}
        }
        let Some(recorded) = self.recorded(candidate) else {
            if self.is_changed() {
                doubts.insert(Doubt::NotMeasured);
            }
            return None;
        };
        let hints = &self.decision.request.hints;
        let profile = &self.known.profile;
        let failed = if self.course.pins() {
            recorded.failed_limit_beside_fit(profile, hints)
        } else {
            recorded.failed_limit(profile, hints)
        };
        // The fallback takes part in the choice like any other, and had failed the floor.
        if failed.is_some() {
            return None;
        }
        let is_reachable = candidate.interface.is_some();
        is_reachable.then(|| self.entrant(candidate, recorded))
    }

    fn recorded(self, candidate: &Candidate) -> Option<Recorded> {
        let recorded = Recorded::of(candidate.signals.as_ref()?)?;
        Some(recorded.under(&self.known.profile, &self.decision.request.hints))
    }

    fn entrant(self, candidate: &'d Candidate, signals: Recorded) -> Entrant<'d> {
        Entrant {
            candidate,
            signals,
            score: signals.score(&self.known.profile.weights),
        }
    }

    /// Returns the one with the highest score; equal ones go by preference and message id, as live.
    fn winner(
        self,
        entrants: &[Entrant<'d>],
        score: impl Fn(&Entrant<'d>) -> f64,
    ) -> Option<Entrant<'d>> {
        let best = entrants.iter().map(&score).reduce(f64::max)?;
        let tied = entrants
            .iter()
            .filter(|entrant| score(entrant) >= best - TIE);
        tied.max_by_key(|entrant| self.tie_break(entrant.candidate))
            .copied()
    }

    fn tie_break(self, candidate: &Candidate) -> (i32, u64) {
        let message = self.decision.request.message_id.as_deref();
        let preference = self.setting.agents().get(&candidate.agent);
        tie_break(
            preference.copied().unwrap_or_default(),
            message.unwrap_or_default(),
            &candidate.agent,
        )
    }

    /// Returns the agent that takes what nobody fits, if it meets all other requirements.
    fn fallback(self, doubts: &mut BTreeSet<Doubt>) -> Option<Entrant<'d>> {
        let hints = &self.decision.request.hints;
        if hints.agent.is_some() || hints.skill.is_some() {
            return None;
        }
        let wanted = self.known.fallback()?;
        let candidates = &self.decision.candidates;
        let Some(candidate) = candidates
            .iter()
            .find(|candidate| candidate.agent == *wanted)
        else {
            // Where nobody got the message by the same profile, the fallback had failed too.
            if self.is_changed() || self.decision.kind != DecisionKind::NoFit {
                doubts.insert(Doubt::Unlisted);
            }
            return None;
        };
        let out = candidate.reason.is_some_and(|reason| !is_limit(reason));
        if out
            || !self.course.allows(candidate)
            || !self.course.within_ceiling(candidate, self.setting)
        {
            return None;
        }
        let recorded = self.recorded(candidate)?;
        let failed = recorded.failed_limit_beside_fit(&self.known.profile, hints);
        let may_enter = failed.is_none() && candidate.interface.is_some();
        may_enter.then(|| self.entrant(candidate, recorded))
    }

    /// Sends the message to nobody.
    fn sent_to_nobody(
        self,
        kind: DecisionKind,
        doubts: BTreeSet<Doubt>,
        entrants: Vec<Entrant<'d>>,
    ) -> Rechoice<'d> {
        Rechoice {
            logged: self.decision.chosen(),
            before: self.before(),
            after: None,
            kind,
            profile: self.known.version.clone(),
            doubts,
            entrants,
            lead: None,
        }
    }

    /// Returns the score of a candidate under the profile.
    fn score_now(self, candidate: &Candidate) -> Option<f64> {
        let recorded = self.recorded(candidate)?;
        Some(recorded.score(&self.known.profile.weights))
    }

    /// Returns who would have got the message then without chance.
    fn before(self) -> Option<&'d Candidate> {
        let chosen = self.decision.chosen()?;
        if self.decision.kind != DecisionKind::Scored {
            return Some(chosen);
        }
        let score = |candidate: &Candidate| candidate.score.unwrap_or(f64::NEG_INFINITY);
        let met_all = || {
            let candidates = self.decision.candidates.iter();
            candidates.filter(|candidate| candidate.verdict != Verdict::Discarded)
        };
        let best = met_all().map(score).fold(f64::NEG_INFINITY, f64::max);
        if score(chosen) >= best - TIE {
            return Some(chosen);
        }
        met_all()
            .filter(|candidate| score(candidate) >= best - TIE)
            .max_by_key(|candidate| self.tie_break(candidate))
    }

    /// Tells whether weights or limits are others than then.
    fn is_changed(self) -> bool {
        self.decision.versions.profile != self.known.version
    }
}

impl<'d> Rechoice<'d> {
    /// Tells whether somebody else, or nobody, would get the message.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        agent(self.before) != agent(self.after.map(|after| after.candidate))
    }

    /// Tells whether the one that got the message would get it.
    #[must_use]
    pub fn is_matched(&self) -> bool {
        self.logged.is_some()
            && agent(self.logged) == agent(self.after.map(|after| after.candidate))
    }

    /// Returns the candidate that would get the message.
    #[must_use]
    pub fn winner(&self) -> Option<&'d Candidate> {
        self.after.map(|after| after.candidate)
    }
}

fn agent(candidate: Option<&Candidate>) -> Option<&str> {
    candidate.map(|candidate| candidate.agent.as_str())
}
