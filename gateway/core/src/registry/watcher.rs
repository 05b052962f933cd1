//! Fetches the card of one agent, again and again.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{Registry, bell::Bell, lanes::Lanes};
use crate::{
    agent::{AgentId, AgentSpec},
    catalog::{AgentState, CardStatus},
    ports::{CardFetch, CardPin, CardPins, CardSource, FetchedCard},
};

/// A card that may not be kept at all is asked for again after this time.
const SHORTEST_FRESHNESS: Duration = Duration::from_secs(5);
/// First pause after a failed fetch; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause between fetches of an agent that keeps failing.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause that an agent gets when it asks for one.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(600);
/// Refreshes are spread over this part of the time between them, so that agents registered together are not
/// fetched together.
const SPREAD: u32 = 10;

/// Watches one agent. It alone decides about the state of the agent's card.
pub(super) struct Watcher {
    pub(super) registry: Arc<Registry>,
    pub(super) spec: Arc<AgentSpec>,
    pub(super) status: CardStatus,
    pub(super) failures: u32,
    pub(super) cards: Arc<dyn CardSource>,
    pub(super) pins: Arc<dyn CardPins>,
    /// Shared by all watchers.
    pub(super) lanes: Arc<Lanes>,
    pub(super) results: mpsc::Sender<(AgentId, CardStatus)>,
}

impl Watcher {
    /// Fetches now and whenever it is time, or somebody asks.
    pub(super) async fn run(mut self) {
        let mut force = false;
        loop {
            let fetch = self.fetch(force).await;
            let before = self.fingerprint();
            let lanes = Arc::clone(&self.lanes);
            let turn = lanes.turn().await;
            let pause = self.take(fetch, Timestamp::now());
            drop(turn);
            let result = (self.spec.id.clone(), self.status.clone());
            if self.results.send(result).await.is_err() {
                return;
            }
            if self.fingerprint() != before {
                self.pin().await;
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.bell() => {}
            }
            // The pause has its own idea of freshness: it may end before the cache's.
            force = true;
        }
    }

    async fn fetch(&self, force: bool) -> CardFetch {
        let _place = self.lanes.place(self.status.state).await;
        self.cards.fetch(&self.spec, force).await
    }

    /// Takes over what a fetch brought; returns how long to wait for the next one.
    fn take(&mut self, fetch: CardFetch, now: Timestamp) -> Duration {
        let due = fetch.result.as_ref().ok().map(due);
        let asked = fetch.retry_after.unwrap_or_default();
        let bell = self.registry.bells.get(&self.spec.id);
        let approved = bell
            .filter(|_| fetch.result.is_ok())
            .and_then(Bell::take_approval);
        self.status = self
            .status
            .after(&self.spec, fetch, approved.as_deref(), now);
        let pause = match due.filter(|_| {
            matches!(
                self.status.state,
                AgentState::Ready | AgentState::Quarantined
            )
        }) {
            Some(due) => {
                self.failures = 0;
                due
            }
            None => {
                self.failures = self.failures.saturating_add(1);
                let pause = backoff(self.failures).max(asked.min(LONGEST_RETRY_AFTER));
                (pause + random_part(pause / SPREAD)).min(self.time_left(now))
            }
        };
        self.status.next_fetch_at = now.checked_add(pause).ok();
        pause
    }

    fn fingerprint(&self) -> Option<String> {
        let pinned = self.status.pinned.as_ref();
        pinned.map(|card| card.fingerprint().to_owned())
    }

    /// Remembers the accepted card across restarts. A failure is logged: the card is good all the same.
    async fn pin(&self) {
        let Some(card) = self.status.pinned.clone() else {
            return;
        };
        let pin = CardPin {
            agent: self.spec.id.clone(),
            card,
            accepted_at: Timestamp::now(),
        };
        if let Err(error) = self.pins.pin(pin).await {
            let id = &self.spec.id;
            tracing::error!(agent.id = %id, error = %error, "the accepted card of agent `{id}` is not remembered");
        }
    }

    /// A card that is about to be given up is asked for at that moment, however long the pause would be.
    fn time_left(&self, now: Timestamp) -> Duration {
        self.status.accepted.as_ref().map_or(Duration::MAX, |card| {
            let left = card.usable_until().duration_since(now);
            Duration::try_from(left)
                .unwrap_or_default()
                .max(FIRST_PAUSE)
        })
    }

    async fn bell(&self) {
        match self.registry.bells.get(&self.spec.id) {
            Some(bell) => bell.rings().await,
            None => std::future::pending().await,
        }
    }
}

/// Returns after how long a card is asked for again: a little before its freshness ends, so that it is never
/// used stale; a little after that, where the agent lets it be used meanwhile.
fn due(fetched: &FetchedCard) -> Duration {
    let fresh = fetched.fresh_for.max(SHORTEST_FRESHNESS);
    let spread = fresh / SPREAD;
    if fetched.stale_while_revalidate.is_zero() {
        (fresh - random_part(spread)).max(SHORTEST_FRESHNESS)
    } else {
        fresh + random_part(spread.min(fetched.stale_while_revalidate))
    }
}

fn backoff(failures: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(1 << failures.saturating_sub(1).min(16))
        .min(LONGEST_PAUSE)
}

fn random_part(of: Duration) -> Duration {
    let random = uuid::Uuid::new_v4().as_bytes()[0];
    of.mul_f64(f64::from(random) / 255.0)
}

#[cfg(test)]
mod tests;
