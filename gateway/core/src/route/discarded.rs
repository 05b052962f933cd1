//! Keeps account of discarded agents: the closest to be listed, the others counted, without memory for each.

use std::collections::BTreeMap;

use super::{
    assess::{Assessed, First, assess, by_closeness},
    choice::Question,
};
use crate::{decision::Discard, fit::Fits};

/// A decision lists at most this many discarded agents, those that came closest; the rest are counted by reason.
pub(super) const MAX_DISCARDED: usize = 30;

/// The discarded agents of a choice.
#[derive(Debug, Default)]
pub(super) struct Discarded<'a> {
    /// Those that came closest, closest first. One more than is listed, since the fallback agent may be taken out.
    pub(super) closest: Vec<Assessed<'a>>,
    /// How many others there are, by reason.
    pub(super) others: BTreeMap<Discard, usize>,
}

impl<'a> Discarded<'a> {
    /// Adds an agent.
    pub(super) fn add(&mut self, assessed: Assessed<'a>, reason: Discard) {
        if !self.has_room_for(&assessed) {
            self.count(reason, 1);
            return;
        }
        let place = self
            .closest
            .partition_point(|held| by_closeness(held, &assessed).is_lt());
        self.closest.insert(place, assessed);
        self.drop_beyond(MAX_DISCARDED + 1);
    }

    /// Counts agents that are not among the closest.
    pub(super) fn count(&mut self, reason: Discard, many: usize) {
        *self.others.entry(reason).or_default() += many;
    }

    /// Says whether an agent is among the closest so far.
    pub(super) fn has_room_for(&self, assessed: &Assessed<'_>) -> bool {
        let last = self.last_of_many();
        last.is_none_or(|last| !by_closeness(last, assessed).is_lt())
    }

    /// Says whether an agent may be among the closest so far that fails by a fit of these log-odds.
    pub(super) fn has_room_at(&self, log_odds: f32) -> bool {
        let last = self.last_of_many();
        last.is_none_or(|last| {
            last.score == f64::NEG_INFINITY && f64::from(log_odds) >= last.closeness()
        })
    }

    /// Returns the last of the closest, if there is room for no other one.
    fn last_of_many(&self) -> Option<&Assessed<'a>> {
        let last = self.closest.last();
        last.filter(|_| self.closest.len() > MAX_DISCARDED)
    }

    /// Takes out the agent that gets the message all the same.
    pub(super) fn take_out(&mut self, fallback: &Assessed<'a>) {
        let before = self.closest.len();
        self.closest
            .retain(|held| held.position != fallback.position);
        if self.closest.len() == before
            && let Some(count) = self.others.get_mut(&Discard::BelowMinFit)
        {
            *count = count.saturating_sub(1);
        }
    }

    /// Looks once more at those that came closest where nobody fits, at their cards first: what else speaks against
    /// them is the better reason.
    pub(super) fn look_again(&mut self, question: Question<'a>, fits: &Fits<'_, '_>) {
        for held in &mut self.closest {
            let again = assess(question, fits, First::Card, held.position);
            *held = again.unwrap_or(*held);
        }
        self.closest.sort_by(by_closeness);
    }

    /// Ends the account; the closest get the signals their record shows.
    pub(super) fn finish(mut self, question: Question<'_>) -> Self {
        self.drop_beyond(MAX_DISCARDED);
        self.others.retain(|_, count| *count > 0);
        for assessed in &mut self.closest {
            assessed.complete(question);
        }
        self
    }

    fn drop_beyond(&mut self, most: usize) {
        while self.closest.len() > most {
            if let Some(reason) = self.closest.pop().and_then(|dropped| dropped.failed) {
                self.count(reason, 1);
            }
        }
    }
}
