//! The seam to where accepted cards are remembered across restarts.

use std::{fmt, time::Duration};

use agent_cards::Card;
use async_trait::async_trait;
use jiff::Timestamp;
use url::Url;

use super::StoreError;
use crate::agent::AgentId;

/// Durable storage of the card each agent was last accepted with, and of when it was seen with it.
#[async_trait]
pub trait CardPins: Send + Sync + fmt::Debug {
    /// Returns all pins, also those that cannot be read: what is left out counts as never pinned.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known which there are.
    async fn pins(&self) -> Result<Vec<StoredPin>, StoreError>;

    /// Remembers a card in place of the one before, and when its agent was seen with it; both are on disk when this
    /// returns.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn pin(&self, pin: CardPin) -> Result<(), StoreError>;

    /// Remembers that an agent was seen with the card of its pin, in place of the time before; it is on disk when this
    /// returns.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn sight(&self, agent: AgentId, sighting: Sighting) -> Result<(), StoreError>;
}

/// The card an agent was last accepted with.
#[derive(Debug, Clone)]
pub struct CardPin {
    /// The agent.
    pub agent: AgentId,
    /// Its card, as received.
    pub card: Card,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// When the agent was seen with it, if that is known.
    pub sighting: Option<Sighting>,
}

/// When an agent was last seen with the card it was accepted with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The fingerprint of the card, as received.
    pub card: String,
    /// The addresses it was looked for at, as [`crate::AgentSpec::card_source`] tells them apart.
    pub source: String,
    /// Where it was found.
    pub location: Url,
    /// When that was, in microseconds at most.
    pub seen_at: Timestamp,
    /// How long the card is fresh from then, in milliseconds at most.
    pub fresh_for: Duration,
    /// How long after that the agent lets it be used while it cannot be asked, if it says so; in milliseconds at most.
    pub stale_if_error: Option<Duration>,
    /// Whether another card of the agent waits to be accepted, so that it gets nothing new.
    pub waits: bool,
}

/// A pin as it is found again.
#[derive(Debug, Clone)]
pub struct StoredPin {
    /// The agent; where that cannot be read either, the pin may be any agent's.
    pub agent: Option<AgentId>,
    /// Its card, or why it cannot be read.
    pub card: Result<Card, String>,
    /// When the agent was last seen with it, if that was written, or why it cannot be read.
    pub sighting: Result<Option<Sighting>, String>,
}
