//! The state of an agent's card: the one in use, the one it was accepted with, and one that waits.

use std::sync::Arc;

use agent_cards::{Card, Change};
use jiff::Timestamp;
use serde::Serialize;

use super::AcceptedCard;
use crate::ports::CardTry;

/// Whether an agent can be routed to, as far as its card says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// The card has not been fetched yet.
    Pending,
    /// The card is as fresh as its agent allows.
    Ready,
    /// The card could not be refreshed; the last good one is in use.
    Stale,
    /// There is no usable card.
    Unavailable,
    /// The card changed and waits to be accepted; running tasks go on with the one before, new ones go elsewhere.
    Quarantined,
}

impl AgentState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::Ready,
        Self::Stale,
        Self::Unavailable,
        Self::Quarantined,
    ];

    /// Returns the name used in the status API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Stale => "stale",
            Self::Unavailable => "unavailable",
            Self::Quarantined => "quarantined",
        }
    }
}

/// The state of an agent's card.
#[derive(Debug, Clone)]
pub struct CardStatus {
    /// Whether the agent can be routed to.
    pub state: AgentState,
    /// The card in use.
    pub accepted: Option<Arc<AcceptedCard>>,
    /// The card that was accepted last, in this run or one before; drift is measured from it.
    pub pinned: Pinned,
    /// How the card in use drifted from the one before, when it last did.
    pub drift: Option<Arc<Drift>>,
    /// The card that waits to be accepted.
    pub held: Option<Arc<HeldCard>>,
    /// Whether another card waited when the last run of the gateway ended, and the agent has not been seen since.
    pub waited: bool,
    /// Why the card from before this run is not used, until there is another one.
    pub not_kept: Option<Arc<str>>,
    /// Why the last fetch brought no usable card, with one next step.
    pub problem: Option<String>,
    /// The places looked at by the last fetch.
    pub tried: Vec<CardTry>,
    /// When the last fetch ended.
    pub checked_at: Option<Timestamp>,
    /// When the next one begins, unless somebody asks for it before.
    pub next_fetch_at: Option<Timestamp>,
}

impl CardStatus {
    /// Returns the status of an agent nobody has looked at yet.
    #[must_use]
    pub fn pending() -> Self {
        Self {
            state: AgentState::Pending,
            accepted: None,
            pinned: Pinned::Nothing,
            drift: None,
            held: None,
            waited: false,
            not_kept: None,
            problem: None,
            tried: Vec::new(),
            checked_at: None,
            next_fetch_at: None,
        }
    }

    /// Returns the fingerprint of the card in use, as far as it is trusted.
    #[must_use]
    pub fn fingerprint(&self) -> Option<&str> {
        Some(self.accepted.as_ref()?.card.fingerprint())
    }
}

/// What is known of the card that an agent was accepted with last.
#[derive(Debug, Clone, Default)]
pub enum Pinned {
    /// There is none: the agent is new.
    #[default]
    Nothing,
    /// This one.
    Card(Card),
    /// It was remembered and cannot be read, for this reason.
    Unreadable(Arc<str>),
}

impl Pinned {
    /// Returns the card, if it can be read.
    #[must_use]
    pub fn card(&self) -> Option<&Card> {
        match self {
            Self::Card(card) => Some(card),
            Self::Nothing | Self::Unreadable(_) => None,
        }
    }
}

/// How a card departs from the one that was accepted before it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Departure {
    /// What changed, the most severe first.
    pub changes: Vec<Change>,
    /// Why it is not known what changed; then nobody can say that nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

impl Departure {
    /// Tells whether the card is known to be what was accepted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.changes.is_empty() && self.unknown.is_none()
    }
}

/// How the card in use departs from the one before it.
#[derive(Debug, Clone, Serialize)]
pub struct Drift {
    /// What is different.
    #[serde(flatten)]
    pub departure: Departure,
    /// When that was seen.
    pub seen_at: Timestamp,
}

/// A card that waits to be accepted.
#[derive(Debug, Clone)]
pub struct HeldCard {
    /// The card, as received.
    pub card: Card,
    /// How it departs from the accepted one.
    pub departure: Departure,
    /// Since when it waits.
    pub since: Timestamp,
}
