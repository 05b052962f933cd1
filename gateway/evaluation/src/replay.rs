//! Makes decisions again one after the other and adds up what changes; none of them is kept.

mod money;
mod outcomes;
mod words;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use gateway_core::{
    decision::{Candidate, RouteDecision},
    route::Recorded,
};

use self::{money::Money, outcomes::Outcomes};
use crate::{
    interval::rate,
    quantile::Sizes,
    rechoice::{Doubt, Rechoice, Undecidable, Unreplayed, rechoose},
    report::{BeforeAfter, Change, Example, Report},
    seen::Seen,
    setting::Setting,
};

/// Examples of each change.
const EXAMPLES: usize = 3;
/// A file of other making could name any number of agents; further changes are counted as one.
const MOST_CHANGES: usize = 10_000;
/// Broken decisions that are named.
const NAMED: usize = 5;

/// A replay under way.
#[derive(Debug)]
pub struct Replay {
    setting: Arc<Setting>,
    seen: Seen,
    read: u64,
    unreadable: u64,
    duplicates: u64,
    replayed: u64,
    undecidable: BTreeMap<Undecidable, u64>,
    turned_away: u64,
    profiles: BTreeMap<String, u64>,
    changed: u64,
    uncertain: u64,
    explored: u64,
    broken: u64,
    broken_examples: Vec<String>,
    not_scored: BTreeMap<&'static str, u64>,
    doubts: BTreeMap<Doubt, u64>,
    changes: BTreeMap<Ends, (u64, Vec<Example>)>,
    outcomes: Outcomes,
    money: Money,
    latency: (Sizes, Sizes),
}

/// Who got a message, and who would.
type Ends = (Option<String>, Option<String>);

impl Replay {
    /// Begins a replay.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        Self {
            setting: Arc::new(setting),
            seen: Seen::default(),
            read: 0,
            unreadable: 0,
            duplicates: 0,
            replayed: 0,
            undecidable: BTreeMap::new(),
            turned_away: 0,
            profiles: BTreeMap::new(),
            changed: 0,
            uncertain: 0,
            explored: 0,
            broken: 0,
            broken_examples: Vec::new(),
            not_scored: BTreeMap::new(),
            doubts: BTreeMap::new(),
            changes: BTreeMap::new(),
            outcomes: Outcomes::default(),
            money: Money::default(),
            latency: <(Sizes, Sizes)>::default(),
        }
    }

    /// Makes one decision again; one that was added before counts once.
    pub fn add(&mut self, decision: &RouteDecision) {
        if !self.seen.is_new(&decision.id) {
            self.duplicates += 1;
            return;
        }
        self.read += 1;
        let setting = Arc::clone(&self.setting);
        match rechoose(decision, &setting) {
            Ok(rechoice) => self.count(decision, &rechoice),
            Err(Unreplayed::NotScored(kind)) => {
                *self.not_scored.entry(kind.as_str()).or_default() += 1;
            }
            Err(Unreplayed::Undecidable(why)) => {
                *self.undecidable.entry(why).or_default() += 1;
                self.outcomes.add_undecided(decision);
            }
            Err(error @ Unreplayed::Broken(_)) => {
                self.broken += 1;
                if self.broken_examples.len() < NAMED {
                    self.broken_examples
                        .push(format!("{}: {error}", decision.id));
                }
            }
        }
    }

    /// Counts decisions that could not be read: nobody knows what becomes of them.
    pub fn add_unreadable(&mut self, count: u64) {
        self.unreadable += count;
    }

    fn count(&mut self, decision: &RouteDecision, rechoice: &Rechoice<'_, '_>) {
        self.replayed += 1;
        match rechoice.known {
            Some(known) => count_named(&mut self.profiles, &known.version),
            None => self.turned_away += 1,
        }
        if !rechoice.doubts.is_empty() {
            self.uncertain += 1;
        }
        for doubt in &rechoice.doubts {
            *self.doubts.entry(*doubt).or_default() += 1;
        }
        let name = |one: Option<&Candidate>| one.map(|one| one.agent.to_string());
        if name(rechoice.logged) != name(rechoice.before) {
            self.explored += 1;
        }
        if rechoice.is_changed() {
            self.changed += 1;
            self.note_change(decision, rechoice);
        }
        if let Some(latency) = rechoice.logged.and_then(expected_latency) {
            self.latency.0.add(latency);
        }
        if let Some(latency) = rechoice.winner().and_then(expected_latency) {
            self.latency.1.add(latency);
        }
        if let Some(reward) = self.outcomes.add(decision, rechoice) {
            self.money.add(decision, rechoice, reward);
        }
    }

    fn note_change(&mut self, decision: &RouteDecision, rechoice: &Rechoice<'_, '_>) {
        let name = |one: Option<&Candidate>| one.map(|one| one.agent.to_string());
        let mut ends = (name(rechoice.before), name(rechoice.winner()));
        if self.changes.len() >= MOST_CHANGES && !self.changes.contains_key(&ends) {
            ends = (Some("(others)".to_owned()), Some("(others)".to_owned()));
        }
        let (count, examples) = self.changes.entry(ends).or_default();
        *count += 1;
        examples.push(Example {
            decision: decision.id.clone(),
            lead: lead(rechoice, decision),
        });
        // The clearest first; equal ones by id, so that the order of reading does not matter.
        examples.sort_by(|left, right| {
            let lead = |one: &Example| one.lead.unwrap_or(f64::NEG_INFINITY);
            lead(right)
                .total_cmp(&lead(left))
                .then_with(|| left.decision.cmp(&right.decision))
        });
        examples.truncate(EXAMPLES);
    }

    /// Ends the replay.
    #[must_use]
    pub fn finish(self) -> Report {
        let accepted = self.outcomes.accepted();
        let mut changes: Vec<_> = self
            .changes
            .into_iter()
            .map(|((from, to), (count, examples))| Change {
                from,
                to,
                count,
                examples,
            })
            .collect();
        changes.sort_by_key(|change| std::cmp::Reverse(change.count));
        let mut report = Report {
            profile: self.setting.profile().version(),
            read: self.read,
            unreadable: self.unreadable,
            duplicates: self.duplicates,
            replayed: self.replayed,
            undecided: self.undecidable.values().sum(),
            undecidable: self
                .undecidable
                .iter()
                .map(|(why, count)| (why.to_string(), *count))
                .collect(),
            turned_away: self.turned_away,
            profiles: self.profiles,
            not_scored: self.not_scored,
            broken: self.broken,
            broken_examples: self.broken_examples,
            changed: self.changed,
            agreement: rate(count(self.replayed - self.changed), self.replayed),
            changes,
            uncertain: self.uncertain,
            doubts: self.doubts,
            explored: self.explored,
            unjudged: self.outcomes.unjudged(),
            improper_propensity: self.outcomes.improper(),
            cost: self.money.costs(&accepted),
            accepted,
            latency_ms: BeforeAfter {
                before: self.latency.0.median(),
                after: self.latency.1.median(),
            },
            warnings: Vec::new(),
        };
        report.warnings = words::warnings(&report);
        report
    }
}

fn expected_latency(candidate: &Candidate) -> Option<f64> {
    Some(candidate.signals.as_ref()?.latency.raw)
}

fn count_named(counts: &mut BTreeMap<String, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

/// Returns by how much the new choice leads over the old one, both by their new scores.
fn lead(rechoice: &Rechoice<'_, '_>, decision: &RouteDecision) -> Option<f64> {
    let profile = &rechoice.known?.profile;
    let before =
        Recorded::of(rechoice.before?.signals.as_ref()?)?.under(profile, &decision.request.hints);
    Some(rechoice.after?.score - before.score(&profile.weights))
}

#[expect(clippy::cast_precision_loss, reason = "counts of decisions")]
fn count(number: u64) -> f64 {
    number as f64
}
