//! Work on cards that takes its time, done where no request waits.
//!
//! One piece at a time: many cards that arrive together, or a large one, must not hold up the threads that requests
//! are waiting for.

use std::sync::Arc;

use agent_cards::{Card, TrustedKeys, Verification, verify};
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::outcome::Outcome;

static TURN: Semaphore = Semaphore::const_new(1);

/// Does a piece of work when it is its turn.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Outcome> {
    // Nobody closes it.
    let _turn = TURN.acquire().await;
    spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "work on a card ended abnormally");
        Outcome::Unreadable
    })
}

/// Verifies a card with the keys at hand.
pub(super) async fn verified(
    card: &Card,
    keys: &Arc<TrustedKeys>,
) -> Result<Verification, Outcome> {
    let (card, keys) = (card.clone(), Arc::clone(keys));
    aside(move || verify(&card, &keys)).await
}
