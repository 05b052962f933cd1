//! How the state of an agent follows from what fetching its card brought.

mod kept;

use std::sync::Arc;

use agent_cards::verify;
use jiff::Timestamp;

use super::{
    acceptance::Waiting,
    judge::{Judgement, Standard},
    trust,
};
use crate::{
    agent::AgentSpec,
    catalog::{AcceptedCard, AgentState, CardStatus, Departure, Drift, HeldCard, Pinned},
    ports::{CardFetch, FetchedCard},
};

impl CardStatus {
    /// Returns the status after a fetch; when the next one is due is not known here.
    pub(super) fn after(&self, spec: &AgentSpec, fetch: CardFetch, now: Timestamp) -> Self {
        let mut tried = fetch.tried;
        let standard = Standard {
            spec,
            last: self.accepted.as_deref(),
            pinned: &self.pinned,
            approved: None,
        };
        let mut next = match fetch.result {
            Ok(fetched) => match standard.judge(&fetched, now) {
                Judgement::Accept(card, departure) => self.with(*card, departure, now),
                Judgement::Hold(held) => {
                    note(&mut tried, "a card that waits to be accepted");
                    self.holding(spec, held, &fetched, now)
                }
                Judgement::Refuse(problem) => {
                    note(&mut tried, "a card, which is refused");
                    self.without_card(problem, now)
                }
            },
            Err(problem) => self.without_card(problem, now),
        };
        next.tried = tried;
        next.checked_at = Some(now);
        next.next_fetch_at = None;
        next
    }

    /// Returns the status after the operator accepted the card that waits. What it changed is no news any more.
    ///
    /// # Errors
    /// Says why the card cannot be used.
    pub(super) fn accepting(
        &self,
        spec: &AgentSpec,
        waiting: &Waiting,
        now: Timestamp,
    ) -> Result<Self, String> {
        let standard = Standard {
            spec,
            last: self.accepted.as_deref(),
            pinned: &self.pinned,
            approved: Some(waiting.fetched.card.fingerprint()),
        };
        let card = match standard.judge(&waiting.fetched, waiting.seen_at) {
            Judgement::Accept(card, _) => *card,
            Judgement::Hold(held) => return Err(trust::summary(&held.departure)),
            Judgement::Refuse(problem) => return Err(problem),
        };
        let accepted = Self {
            drift: None,
            ..self.with(card, Departure::default(), now)
        };
        if self.checked_at == Some(waiting.seen_at) {
            return Ok(accepted);
        }
        // Its agent could not be asked since.
        let problem = self.problem.clone().unwrap_or_default();
        Ok(accepted.without_card(problem, now))
    }

    fn with(&self, card: AcceptedCard, departure: Departure, now: Timestamp) -> Self {
        let drift = (!departure.is_none()).then(|| {
            Arc::new(Drift {
                departure,
                seen_at: now,
            })
        });
        let uncallable = card.endpoints.is_empty();
        Self {
            state: AgentState::Ready,
            pinned: Pinned::Card(card.received.clone()),
            accepted: Some(Arc::new(card)),
            drift: drift.or_else(|| self.drift.clone()),
            held: None,
            waited: false,
            not_kept: None,
            problem: uncallable.then(|| {
                "its card has no interface that the gateway can call; correct the card's interfaces"
                    .to_owned()
            }),
            ..self.clone()
        }
    }

    /// The card that was accepted goes on for the tasks that run; one that cannot be read any more cannot.
    fn holding(
        &self,
        spec: &AgentSpec,
        mut held: HeldCard,
        fetched: &FetchedCard,
        now: Timestamp,
    ) -> Self {
        let problem = format!(
            "{}; look at `agents {}` and accept it with `agents accept-card {}`",
            trust::summary(&held.departure),
            spec.id,
            spec.id
        );
        if let Some(before) = self
            .held
            .as_ref()
            .filter(|before| before.card.fingerprint() == held.card.fingerprint())
        {
            held.since = before.since;
        }
        let pinned = || {
            let card = self.pinned.card()?.clone();
            let before = FetchedCard {
                verification: verify(&card, &spec.card.trust.keys),
                card: card.clone(),
                ..fetched.clone()
            };
            Some(Arc::new(AcceptedCard::new(spec, (&before, card), now)))
        };
        Self {
            state: AgentState::Quarantined,
            accepted: self.accepted.clone().or_else(pinned),
            held: Some(Arc::new(held)),
            waited: false,
            not_kept: None,
            problem: Some(problem),
            ..self.clone()
        }
    }

    /// The last good card goes on while it may.
    fn without_card(&self, problem: String, now: Timestamp) -> Self {
        let usable = |card: &Arc<AcceptedCard>| now <= card.usable_until();
        let kept = self.accepted.clone().filter(usable);
        let is_held = self.held.is_some() || self.waited;
        let state = match kept {
            Some(_) if is_held => AgentState::Quarantined,
            Some(_) => AgentState::Stale,
            None => AgentState::Unavailable,
        };
        let problem = match (&kept, &self.not_kept) {
            (None, Some(reason)) => {
                format!("{problem}; its card from before the start is not used: {reason}")
            }
            (Some(_), _) if self.waited => format!(
                "{problem}; it gets nothing new until then, as a changed card waited to be accepted before the start"
            ),
            _ => problem,
        };
        Self {
            state,
            accepted: kept,
            problem: Some(problem),
            ..self.clone()
        }
    }
}

/// Says more of the last place that was tried.
fn note(tried: &mut [crate::ports::CardTry], outcome: &str) {
    if let Some(place) = tried.last_mut() {
        outcome.clone_into(&mut place.outcome);
    }
}

/// Says what a catalog changed for an agent; to be called once it is in use.
pub(super) fn log_change(spec: &AgentSpec, last: &CardStatus, next: &CardStatus) {
    let id = &spec.id;
    let is_new = |drift: &&Arc<Drift>| {
        !last
            .drift
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, drift))
    };
    if let Some(drift) = next.drift.as_ref().filter(is_new) {
        let summary = trust::summary(&drift.departure);
        tracing::warn!(agent.id = %id, "the card of agent `{id}` is used though {summary}");
    }
    if last.state == next.state {
        return;
    }
    let state = next.state.as_str();
    match &next.problem {
        None => tracing::info!(agent.id = %id, agent.state = state, "agent `{id}` is {state}"),
        Some(problem) => {
            tracing::warn!(agent.id = %id, agent.state = state, "agent `{id}` is {state}: {problem}");
        }
    }
}
