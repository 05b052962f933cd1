//! One decision made again: the recorded candidates and signals under another setting.

mod check;
mod doubt;
mod field;
mod guess;
mod undecidable;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use gateway_core::{
    decision::{Candidate, DecisionKind, RouteDecision},
    route::Recorded,
};

pub use self::{
    doubt::Doubt,
    undecidable::{Undecidable, Unreplayed},
};
use self::{field::Field, guess::Guess};
use crate::{
    course::{Course, Path},
    setting::{Known, Setting},
};

/// A decision made again.
#[derive(Debug)]
pub struct Rechoice<'d, 's> {
    /// Who got the message then.
    pub logged: Option<&'d Candidate>,
    /// Who would have got it then without chance.
    pub before: Option<&'d Candidate>,
    /// Who would get it now.
    pub after: Option<Entrant<'d>>,
    /// How that one is found now.
    pub kind: DecisionKind,
    /// Why it might be somebody else.
    pub doubts: BTreeSet<Doubt>,
    /// By which profile; absent where the message is turned away.
    pub(crate) known: Option<&'s Known>,
    /// All that meet the requirements now.
    pub(crate) entrants: Vec<Entrant<'d>>,
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

/// Makes a decision again, with features and signals as recorded.
///
/// # Errors
/// [`Unreplayed`] where there is nothing to choose, the record does not tell enough to begin with, or it cannot be right.
pub fn rechoose<'d, 's>(
    decision: &'d RouteDecision,
    setting: &'s Setting,
) -> Result<Rechoice<'d, 's>, Unreplayed> {
    if let DecisionKind::Owner | DecisionKind::Context | DecisionKind::Pinned = decision.kind {
        return Err(Unreplayed::NotScored(decision.kind));
    }
    check::check(decision)?;
    let path = match Course::of(decision, setting)? {
        Course::TurnedAway => return Ok(turned_away(decision)),
        Course::Choose(path) => path,
    };
    if decision.kind == DecisionKind::Rejected && decision.candidates.is_empty() {
        return Err(Undecidable::NobodyConsidered.into());
    }
    Ok(choose(decision, setting, path))
}

fn turned_away<'d>(decision: &'d RouteDecision) -> Rechoice<'d, 'static> {
    Rechoice {
        logged: decision.chosen(),
        before: before(decision),
        after: None,
        kind: DecisionKind::Rejected,
        doubts: BTreeSet::new(),
        known: None,
        entrants: Vec::new(),
    }
}

fn choose<'d, 's>(
    decision: &'d RouteDecision,
    setting: &'s Setting,
    path: Path<'s>,
) -> Rechoice<'d, 's> {
    let field = Field {
        decision,
        setting,
        path,
    };
    let mut doubts = BTreeSet::new();
    let mut entrants = Vec::new();
    for candidate in &decision.candidates {
        entrants.extend(field.enter(candidate, &mut doubts));
    }
    let (best, next) = field.best_two(&entrants);
    let (mut after, mut kind) = match best {
        Some(best) => (Some(best), DecisionKind::Scored),
        None => match field.fallback(&mut doubts) {
            Some(fallback) => (Some(fallback), DecisionKind::Fallback),
            None => (None, DecisionKind::NoFit),
        },
    };
    field.doubt(after.as_ref(), &mut doubts);
    if let Some(best) = best {
        match field.guess(best, next) {
            Guess::No => {}
            Guess::Yes => (after, kind) = (None, DecisionKind::Ambiguous),
            Guess::Unknown => {
                doubts.insert(Doubt::LikenessUnknown);
            }
        }
    }
    Rechoice {
        logged: decision.chosen(),
        before: before(decision),
        after,
        kind,
        doubts,
        known: Some(path.known),
        entrants,
    }
}

/// Returns who would have got the message then without chance.
fn before(decision: &RouteDecision) -> Option<&Candidate> {
    let best = decision.best()?;
    let mut candidates = decision.candidates.iter();
    candidates.find(|candidate| candidate.agent == *best)
}

impl<'d> Rechoice<'d, '_> {
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
