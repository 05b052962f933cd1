//! The decisions weights are searched on: those whose result is known and in which chance took part.

use gateway_core::{
    Weights,
    decision::RouteDecision,
    route::{Recorded, TIE, tie_break},
};

use crate::{
    action::{Action, Actions},
    fold::{fold_of, spread},
    propensity::{are_proper, propensity, took_part},
    rechoice::rechoose,
    result::{Judged, judge},
    seen::Seen,
    setting::{Known, Setting},
};

/// More decisions are thinned out by their ids, so that memory is bounded.
const MOST: usize = 50_000;

/// Decisions as far as weights matter to them.
#[derive(Debug)]
pub(super) struct Sample {
    seen: Seen,
    actions: Actions,
    rows: Vec<Row>,
    read: u64,
    usable: u64,
    certain: u64,
    improper: u64,
    /// Ids whose number is above are left out.
    highest: u64,
}

/// One decision.
#[derive(Debug)]
pub(super) struct Row {
    number: u64,
    pub(super) fold: usize,
    /// How far the result was accepted, in [0,1].
    pub(super) reward: f64,
    /// The place of the one that got the message.
    pub(super) logged: usize,
    pub(super) entrants: Vec<Entrant>,
}

/// One that could be chosen.
#[derive(Debug)]
pub(super) struct Entrant {
    pub(super) action: Action,
    /// How probable it was that it gets the message; none where it could not.
    pub(super) propensity: Option<f64>,
    signals: Recorded,
    pub(super) cost: f64,
    /// The highest wins among equal scores.
    tie_break: (i32, u64),
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            seen: Seen::default(),
            actions: Actions::default(),
            rows: Vec::new(),
            read: 0,
            usable: 0,
            certain: 0,
            improper: 0,
            highest: u64::MAX,
        }
    }
}

impl Sample {
    pub(super) fn add(&mut self, decision: &RouteDecision, setting: &Setting) {
        if !self.seen.is_new(&decision.id) {
            return;
        }
        self.read += 1;
        let Some(row) = self.row(decision, setting) else {
            return;
        };
        self.usable += 1;
        if row.number > self.highest {
            return;
        }
        self.rows.push(row);
        while self.rows.len() > MOST {
            self.highest /= 2;
            let highest = self.highest;
            self.rows.retain(|row| row.number <= highest);
        }
    }

    fn row(&mut self, decision: &RouteDecision, setting: &Setting) -> Option<Row> {
        let Judged::Accepted(reward) = judge(decision) else {
            return None;
        };
        if !are_proper(decision) {
            self.improper += 1;
            return None;
        }
        // Where chance had no part, nothing is known of what other weights would have chosen.
        if !took_part(decision) {
            self.certain += 1;
            return None;
        }
        let rechoice = rechoose(decision, setting).ok()?;
        // Weights of one profile are searched; a rule or the request may have chosen another.
        let by_default = |profile: &Known| profile.profile.name == setting.profile().name;
        rechoice.known.filter(|known| by_default(known))?;
        let chosen = &rechoice.logged?.agent;
        let mut entrants = Vec::with_capacity(rechoice.entrants.len());
        let message = decision.request.message_id.as_deref().unwrap_or_default();
        for entrant in &rechoice.entrants {
            let agent = &entrant.candidate.agent;
            entrants.push(Entrant {
                action: self.actions.of(Some(entrant.candidate)),
                propensity: propensity(decision, entrant.candidate),
                signals: entrant.signals,
                cost: entrant.signals.cost(),
                tie_break: tie_break(setting.preference(agent), message, agent),
            });
        }
        let is_logged = |entrant: &crate::rechoice::Entrant<'_>| entrant.candidate.agent == *chosen;
        let logged = rechoice.entrants.iter().position(is_logged)?;
        entrants.get(logged)?.propensity?;
        Some(Row {
            number: spread(&decision.id),
            fold: fold_of(&decision.id),
            reward,
            logged,
            entrants,
        })
    }

    pub(super) fn read(&self) -> u64 {
        self.read
    }

    pub(super) fn usable(&self) -> u64 {
        self.usable
    }

    /// Returns how many decisions with a known result were made without chance.
    pub(super) fn certain(&self) -> u64 {
        self.certain
    }

    /// Returns how many hold propensities that cannot be right.
    pub(super) fn improper(&self) -> u64 {
        self.improper
    }

    /// Returns the decisions in an order that does not depend on that of reading.
    pub(super) fn into_rows(mut self) -> Vec<Row> {
        self.rows.sort_by_key(|row| row.number);
        self.rows
    }
}

impl Row {
    /// Returns the place of the one that weights choose.
    pub(super) fn choice(&self, weights: &Weights) -> usize {
        let mut best = f64::NEG_INFINITY;
        for entrant in &self.entrants {
            best = best.max(entrant.signals.score(weights));
        }
        let places = self.entrants.iter().enumerate();
        places
            .filter(|(_, entrant)| entrant.signals.score(weights) >= best - TIE)
            .max_by_key(|(_, entrant)| entrant.tie_break)
            .map_or(self.logged, |(place, _)| place)
    }
}
