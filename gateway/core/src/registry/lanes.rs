//! How many cards are fetched at the same time.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::catalog::AgentState;

/// First fetches, and those of agents that failed, under way at the same time: enough to hide slow agents behind
/// each other, and far below the number of files a process may have open.
pub(super) const MAX_SEARCHES: usize = 128;
/// Refreshes of cards that are in use, under way at the same time. Few, because they share the threads with
/// requests; and apart from the others, so that agents that are down hold up none that is well.
pub(super) const MAX_REFRESHES: usize = 16;

/// The places for fetches.
#[derive(Debug)]
pub(super) struct Lanes {
    searches: Semaphore,
    refreshes: Semaphore,
    judging: Semaphore,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            searches: Semaphore::new(MAX_SEARCHES),
            refreshes: Semaphore::new(MAX_REFRESHES),
            judging: Semaphore::new(1),
        }
    }
}

impl Lanes {
    /// Waits for a place to fetch the card of an agent in this state.
    pub(super) async fn place(&self, state: AgentState) -> Option<SemaphorePermit<'_>> {
        let lane = match state {
            AgentState::Ready | AgentState::Quarantined => &self.refreshes,
            AgentState::Pending | AgentState::Stale | AgentState::Unavailable => &self.searches,
        };
        // Nobody closes the lanes, so there is always a place at last.
        lane.acquire().await.ok()
    }

    /// Waits for the turn to judge a card: many that arrive together must not fill the threads that requests
    /// are waiting for.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.judging.acquire().await.ok()
    }
}
