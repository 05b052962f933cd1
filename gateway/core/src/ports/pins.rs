//! The seam to where accepted cards are remembered across restarts.

use std::fmt;

use agent_cards::Card;
use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::agent::AgentId;

/// Durable storage of the card each agent was last accepted with.
#[async_trait]
pub trait CardPins: Send + Sync + fmt::Debug {
    /// Returns all pins, also those that cannot be read: what is left out counts as never pinned.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known which there are.
    async fn pins(&self) -> Result<Vec<StoredPin>, StoreError>;

    /// Remembers a card in place of the one before; it is on disk when this returns.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn pin(&self, pin: CardPin) -> Result<(), StoreError>;
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
}

/// A pin as it is found again.
#[derive(Debug, Clone)]
pub struct StoredPin {
    /// The agent; where that cannot be read either, the pin may be any agent's.
    pub agent: Option<AgentId>,
    /// Its card, or why it cannot be read.
    pub card: Result<Card, String>,
}
