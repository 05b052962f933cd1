//! The operator's word that a card which waits is right.

use jiff::Timestamp;
use tokio::sync::oneshot;

use crate::ports::{FetchedCard, StoreError};

/// Why a card was not accepted. Nothing has changed then.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum NotAccepted {
    /// Another card waits, or none.
    #[error("no such card waits to be accepted")]
    NotWaiting,
    /// It could not be used.
    #[error("the card cannot be used: {0}")]
    Unusable(String),
    /// It would be held again after a restart.
    #[error("the card was not accepted, as it could not be remembered")]
    NotKept(#[source] StoreError),
    /// Nobody watches the agent any more.
    #[error("the card was not accepted, as the gateway is stopping")]
    Stopping,
}

/// A question to the watcher of an agent, which answers once the card is accepted for good.
#[derive(Debug)]
pub(super) struct Approval {
    pub(super) fingerprint: String,
    pub(super) answer: oneshot::Sender<Result<(), NotAccepted>>,
}

/// A card that waits, with all that its use needs.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) fetched: FetchedCard,
    /// When its agent showed it last.
    pub(super) seen_at: Timestamp,
}
