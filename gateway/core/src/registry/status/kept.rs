//! The card that an agent was accepted with before this run: while the agent cannot be asked it is used as long as it would
//! have been without the restart.

use std::{sync::Arc, time::Duration};

use agent_cards::verify;
use jiff::Timestamp;

use super::super::judge::{Judgement, Standard};
use crate::{
    agent::AgentSpec,
    catalog::{AcceptedCard, AgentState, CardStatus, Pinned},
    ports::{FetchedCard, Sighting},
};

impl Sighting {
    /// Returns what is to be remembered of the card in use, if it is the one that is pinned.
    pub(in crate::registry) fn of(spec: &AgentSpec, status: &CardStatus) -> Option<Self> {
        let accepted = status.accepted.as_ref()?;
        let fingerprint = accepted.received.fingerprint();
        let pinned = status.pinned.card()?;
        (pinned.fingerprint() == fingerprint).then(|| Self {
            card: fingerprint.to_owned(),
            source: spec.card_source(),
            location: accepted.location.clone(),
            seen_at: accepted.confirmed_at,
            fresh_for: in_milliseconds(accepted.fresh_for),
            stale_if_error: accepted.stale_if_error.map(in_milliseconds),
            waits: status.held.is_some() || status.waited,
        })
    }

    /// Tells whether this is worth writing in place of another, which needs not be exact but must not be far behind.
    pub(in crate::registry) fn replaces(&self, known: &Self, usable_for: Duration) -> bool {
        /// What is written is behind by this time at most.
        const LONGEST: Duration = Duration::from_secs(60);
        /// Or by this part of the time that the card may be used.
        const PART: u32 = 16;
        let age = self.seen_at.duration_since(known.seen_at);
        let is_old = Duration::try_from(age).is_ok_and(|age| age >= LONGEST.min(usable_for / PART));
        let same_moment = Self {
            seen_at: known.seen_at,
            ..self.clone()
        };
        same_moment != *known || (is_old && self.seen_at != known.seen_at)
    }

    /// Returns the card that is pinned as its agent showed it then, judged by the keys of now.
    ///
    /// # Errors
    /// Says why it cannot be used.
    pub(in crate::registry) fn card(
        &self,
        spec: &AgentSpec,
        pinned: &Pinned,
    ) -> Result<FetchedCard, &'static str> {
        let pinned = pinned.card();
        let card = pinned
            .filter(|card| card.fingerprint() == self.card)
            .ok_or("it is not known when it was last seen")?;
        if self.source != spec.card_source() {
            return Err("the agent's address in the configuration is another now");
        }
        Ok(FetchedCard {
            verification: verify(card, &spec.card.trust.keys),
            missing_keys: Vec::new(),
            card: card.clone(),
            location: self.location.clone(),
            fresh_for: self.fresh_for,
            stale_while_revalidate: Duration::ZERO,
            stale_if_error: self.stale_if_error,
        })
    }
}

impl CardStatus {
    /// Returns the status of an agent that was not seen in this run, with its card from before as far as that may be used.
    pub(in crate::registry) fn keeping(
        &self,
        spec: &AgentSpec,
        (kept, sighting): (&FetchedCard, &Sighting),
        now: Timestamp,
    ) -> Self {
        match self.kept(spec, (kept, sighting), now) {
            Ok(accepted) => Self {
                state: match sighting.waits {
                    true => AgentState::Quarantined,
                    false => AgentState::Stale,
                },
                accepted: Some(Arc::new(accepted)),
                waited: sighting.waits,
                problem: Some(
                    "its card is from before the start of the gateway, which is waiting for the agent to show it"
                        .to_owned(),
                ),
                ..self.clone()
            },
            Err(reason) => self.not_keeping(reason),
        }
    }

    /// Returns the status of an agent whose card from before is not used.
    pub(in crate::registry) fn not_keeping(&self, reason: impl Into<Arc<str>>) -> Self {
        Self {
            not_kept: Some(reason.into()),
            ..self.clone()
        }
    }

    fn kept(
        &self,
        spec: &AgentSpec,
        (kept, sighting): (&FetchedCard, &Sighting),
        now: Timestamp,
    ) -> Result<AcceptedCard, String> {
        let standard = Standard {
            spec,
            last: None,
            pinned: &self.pinned,
            approved: None,
        };
        // A clock that was set back makes no card younger than it is.
        let seen_at = sighting.seen_at.min(now);
        let card = match standard.judge(kept, seen_at) {
            Judgement::Accept(card, _) => *card,
            Judgement::Hold(held) => return Err(super::trust::summary(&held.departure)),
            Judgement::Refuse(problem) => return Err(problem),
        };
        if now > card.usable_until() {
            return Err(format!(
                "it was last seen at {} and is too old",
                sighting.seen_at
            ));
        }
        Ok(AcceptedCard {
            is_from_before: true,
            ..card
        })
    }
}

/// As exact as it is kept.
fn in_milliseconds(duration: Duration) -> Duration {
    Duration::from_millis(duration.as_millis().try_into().unwrap_or(u64::MAX))
}
