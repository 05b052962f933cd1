//! Tells the agents that meet all requirements from those that do not.

use super::{
    ambiguity::Nearest,
    assess::{Assessed, First, assess},
    choice::Question,
    discarded::Discarded,
    leaders::Leaders,
    requirements,
};
use crate::{
    decision::Discard,
    fit::{Fits, surely_below},
};

/// What is known about all agents.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    /// The best of those that meet all requirements.
    pub(super) fitting: Leaders<'a>,
    /// The others.
    pub(super) discarded: Discarded<'a>,
    /// Those that fit best.
    pub(super) nearest: Nearest<'a>,
}

/// Surveys all agents, of which the `most` that score best are wanted. Where a floor under the fit rules agents out before anything else, those far below it are only
/// counted; the result is that of looking at everyone. A rule may rule agents out before their fit does.
pub(super) fn survey<'a>(question: Question<'a>, fits: &Fits<'_, '_>, most: usize) -> Survey<'a> {
    match requirements::floor(&question) {
        // What the index found is counted there, and must be in use for that.
        Some(floor) if question.rule.is_none() && !question.catalog.lags() => {
            above(floor, question, fits, most)
        }
        _ => everybody(question, fits, most),
    }
}

/// Looks at every agent.
pub(super) fn everybody<'a>(
    question: Question<'a>,
    fits: &Fits<'_, '_>,
    most: usize,
) -> Survey<'a> {
    let mut survey = Survey::new(most);
    for position in 0..question.catalog.agents().len() {
        survey.add(assess(question, fits, First::Fit, position));
    }
    survey
}

/// Looks at the agents whose fit is above the floor or may be listed, without a look at the others.
fn above<'a>(floor: f64, question: Question<'a>, fits: &Fits<'_, '_>, most: usize) -> Survey<'a> {
    let mut survey = Survey::new(most);
    let look = |position| assess(question, fits, First::Fit, position);
    let roster = question.catalog.roster();
    let surely_below = surely_below(floor);
    let (mut found, mut far) = (0, 0);
    for (position, log_odds) in fits.found() {
        found += 1;
        if log_odds < surely_below && !survey.has_room_at(log_odds) {
            far += 1;
        } else {
            survey.add(look(position));
        }
    }
    survey.discarded.count(Discard::BelowMinFit, far);
    // The rest is alike but for its ids, by which it is listed as far as there is room.
    let strangers = roster.known.iter().copied();
    let strangers = strangers.filter(|position| fits.get(*position).is_none());
    let many = roster.known.len() - found;
    survey.add_first(strangers.map(look), many, Discard::BelowMinFit);
    let unknown = roster.unknown.iter().copied();
    let many = roster.unknown.len();
    survey.add_first(unknown.map(look), many, Discard::CardUnavailable);
    survey
}

impl<'a> Survey<'a> {
    fn new(most: usize) -> Self {
        Self {
            fitting: Leaders::new(most),
            discarded: Discarded::default(),
            nearest: Nearest::default(),
        }
    }

    fn add(&mut self, assessed: Option<Assessed<'a>>) {
        let Some(assessed) = assessed else { return };
        self.nearest.see(&assessed);
        match assessed.failed {
            None => self.fitting.add(assessed),
            Some(reason) => self.discarded.add(assessed, reason),
        }
    }

    /// Says whether an agent with a fit of these log-odds, below the floor, may be shown or compared.
    fn has_room_at(&self, log_odds: f32) -> bool {
        self.discarded.has_room_at(log_odds) || self.nearest.has_room_at(log_odds)
    }

    /// Adds the first of so `many` agents that fail for the same reason, closest first, and counts those that no record
    /// would list.
    fn add_first(
        &mut self,
        agents: impl Iterator<Item = Option<Assessed<'a>>>,
        many: usize,
        reason: Discard,
    ) {
        let listed = agents.flatten().map_while(|agent| {
            self.discarded
                .has_room_for(&agent)
                .then(|| self.add(Some(agent)))
        });
        let listed = listed.count();
        self.discarded.count(reason, many.saturating_sub(listed));
    }
}

#[cfg(test)]
mod tests;
