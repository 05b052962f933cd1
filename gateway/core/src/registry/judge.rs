//! Whether a card that arrived becomes the one in use.
//!
//! Every card passes here after it was read and before it is swapped in. A refused card never becomes active:
//! the last accepted one stays in use as if its agent could not be reached.

use jiff::Timestamp;

use super::trust;
use crate::{
    agent::{AgentSpec, OnDrift},
    catalog::{AcceptedCard, Departure, HeldCard, Pinned},
    ports::FetchedCard,
};

/// What is decided about a card.
#[derive(Debug)]
pub(super) enum Judgement {
    /// It becomes the one in use, and departs so from the one before.
    Accept(Box<AcceptedCard>, Departure),
    /// It waits until the operator accepts it.
    Hold(HeldCard),
    /// It does not, for this reason, with one next step.
    Refuse(String),
}

/// What a card is judged by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standard<'a> {
    pub(super) spec: &'a AgentSpec,
    /// The card in use so far.
    pub(super) last: Option<&'a AcceptedCard>,
    /// The card that was accepted last, in this run or one before.
    pub(super) pinned: &'a Pinned,
    /// The fingerprint of the card that the operator accepts.
    pub(super) approved: Option<&'a str>,
}

impl Standard<'_> {
    /// Decides about a card that arrived.
    pub(super) fn judge(self, fetched: &FetchedCard, now: Timestamp) -> Judgement {
        let Self { spec, last, .. } = self;
        let trusted = match trust::trusted(spec, fetched) {
            Ok(trusted) => trusted,
            Err(problem) => return Judgement::Refuse(problem),
        };
        let fingerprint = fetched.card.fingerprint();
        let same = |last: &&AcceptedCard| {
            last.received.fingerprint() == fingerprint
                && last.card.fingerprint() == trusted.fingerprint()
        };
        if let Some(last) = last.filter(same) {
            let confirmed = last.confirmed(spec, fetched, now);
            return Judgement::Accept(Box::new(confirmed), Departure::default());
        }
        let card = AcceptedCard::new(spec, (fetched, trusted), now);
        // With nothing to lose, the card is taken with its findings, and calls say which versions it lacks.
        if card.endpoints.is_empty() && last.is_some_and(|last| !last.endpoints.is_empty()) {
            return Judgement::Refuse(
                "its new card has no interface that the gateway can call, so the last one stays in use; correct the card's interfaces"
                    .to_owned(),
            );
        }
        let departure = trust::departure(spec, self.pinned, fetched);
        let waits = spec.card.trust.on_drift == OnDrift::Quarantine
            && !departure.is_none()
            && self.approved != Some(fingerprint);
        if waits {
            return Judgement::Hold(HeldCard {
                card: fetched.card.clone(),
                departure,
                since: now,
            });
        }
        Judgement::Accept(Box::new(card), departure)
    }
}

#[cfg(test)]
mod tests;
