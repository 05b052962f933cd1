//! Fetches the card of one agent, again and again.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{sync::mpsc, task::spawn_blocking};

use super::{Registry, bell::Bell, lanes::Lanes};
use crate::{
    agent::{AgentId, AgentSpec, OnDrift},
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
    /// The fingerprint of the card that is remembered across restarts.
    pub(super) remembered: Option<String>,
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
            let lanes = Arc::clone(&self.lanes);
            let turn = lanes.turn().await;
            let pause = self.take(fetch, Timestamp::now()).await;
            drop(turn);
            let result = (self.spec.id.clone(), self.status.clone());
            if self.results.send(result).await.is_err() {
                return;
            }
            self.remember().await;
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
    async fn take(&mut self, fetch: CardFetch, now: Timestamp) -> Duration {
        let due = fetch.result.as_ref().ok().map(due);
        let asked = fetch.retry_after.unwrap_or_default();
        let bell = self.registry.bells.get(&self.spec.id);
        let approved = bell
            .filter(|_| fetch.result.is_ok())
            .and_then(Bell::take_approval);
        self.status = self.judged(fetch, approved, now).await;
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

    /// Judges on a thread where no request waits: comparing and verifying a large card takes its time.
    async fn judged(
        &self,
        fetch: CardFetch,
        approved: Option<String>,
        now: Timestamp,
    ) -> CardStatus {
        let (before, spec) = (self.status.clone(), Arc::clone(&self.spec));
        let judging = spawn_blocking(move || before.after(&spec, fetch, approved.as_deref(), now));
        judging.await.unwrap_or_else(|error| {
            let id = &self.spec.id;
            tracing::error!(agent.id = %id, %error, "judging the card of agent `{id}` ended abnormally");
            let problem = "judging its card failed inside the gateway; report the card and the gateway's log";
            let nothing = CardFetch {
                result: Err(problem.to_owned()),
                tried: Vec::new(),
                retry_after: None,
            };
            self.status.after(&self.spec, nothing, None, now)
        })
    }

    /// Remembers the accepted card across restarts, unless no change of it matters. A failure is logged, as the card
    /// is good all the same, and made up for after the next fetch.
    async fn remember(&mut self) {
        let Some(card) = self.status.pinned.card().cloned() else {
            return;
        };
        let is_new = self.remembered.as_deref() != Some(card.fingerprint());
        if !is_new || self.spec.card.trust.on_drift == OnDrift::Ignore {
            return;
        }
        let fingerprint = card.fingerprint().to_owned();
        let pin = CardPin {
            agent: self.spec.id.clone(),
            card,
            accepted_at: Timestamp::now(),
        };
        match self.pins.pin(pin).await {
            Ok(()) => self.remembered = Some(fingerprint),
            Err(error) => {
                let id = &self.spec.id;
                tracing::error!(agent.id = %id, error = %error, "the accepted card of agent `{id}` is not remembered");
            }
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
