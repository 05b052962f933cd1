//! Keeps the catalog current: fetches cards in the background and swaps snapshots.
//!
//! Nothing here blocks a request: requests read the current snapshot, refreshes replace it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use tokio::{
    sync::{Notify, mpsc, watch},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    agent::{AgentId, AgentSpec},
    catalog::{AcceptedCard, AgentState, CardStatus, Catalog, CatalogAgent},
    ports::{CardFetch, CardSource},
    stats::AgentStats,
};

/// First pause after a failed fetch; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// A card that may not be kept at all is asked for again after this time.
const SHORTEST_FRESHNESS: Duration = Duration::from_secs(5);
/// Longest pause between fetches of an agent that keeps failing.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Results that arrive within this time are swapped in together.
const BATCH_WINDOW: Duration = Duration::from_millis(20);

/// The agents and the current catalog.
#[derive(Debug)]
pub struct Registry {
    current: ArcSwap<Catalog>,
    swapped: watch::Sender<()>,
    wake: HashMap<AgentId, Notify>,
}

impl Registry {
    /// Creates a registry in which every agent is pending.
    #[must_use]
    pub fn new(specs: Vec<AgentSpec>) -> Arc<Self> {
        let wake = specs
            .iter()
            .map(|spec| (spec.id.clone(), Notify::new()))
            .collect();
        let agents = specs
            .into_iter()
            .map(|spec| {
                Arc::new(CatalogAgent {
                    spec: Arc::new(spec),
                    stats: Arc::new(AgentStats::default()),
                    status: CardStatus::pending(),
                })
            })
            .collect();
        Arc::new(Self {
            current: ArcSwap::from_pointee(Catalog::new(agents, None)),
            swapped: watch::channel(()).0,
            wake,
        })
    }

    /// Returns the current catalog.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        self.current.load_full()
    }

    /// Asks for a new fetch of an agent's card now, past its cache. Returns whether the agent exists.
    pub fn refresh(&self, agent: &AgentId) -> bool {
        let wake = self.wake.get(agent);
        wake.inspect(|wake| wake.notify_one()).is_some()
    }

    /// Waits until an agent's card has been looked for at least once, but not longer than `limit`.
    pub async fn settled(&self, agent: &AgentId, limit: Duration) {
        let pending = || {
            let catalog = self.current.load();
            catalog
                .agent(agent)
                .is_some_and(|agent| agent.status.state == AgentState::Pending)
        };
        let mut swapped = self.swapped.subscribe();
        let wait = async { while pending() && swapped.changed().await.is_ok() {} };
        // Running out of time is an answer too: the caller looks at the state next.
        let _settled_or_not = tokio::time::timeout(limit, wait).await;
    }

    /// Fetches cards until stopped.
    pub async fn run(self: Arc<Self>, cards: Arc<dyn CardSource>, stop: CancellationToken) {
        let (results, mut arrived) = mpsc::channel(256);
        let tasks = TaskTracker::new();
        for agent in self.catalog().agents() {
            let watcher = Watcher {
                registry: Arc::clone(&self),
                spec: Arc::clone(&agent.spec),
                cards: Arc::clone(&cards),
                results: results.clone(),
            };
            let stop = stop.clone();
            tasks.spawn(async move { stop.run_until_cancelled(watcher.run()).await });
        }
        drop(results);
        while let Some(first) = arrived.recv().await {
            let mut batch = vec![first];
            let until = Instant::now() + BATCH_WINDOW;
            while let Ok(Some(next)) = tokio::time::timeout_at(until, arrived.recv()).await {
                batch.push(next);
            }
            self.apply(batch, Timestamp::now());
        }
        tasks.close();
        tasks.wait().await;
    }

    /// Swaps in a catalog with the results of fetches.
    pub fn apply(&self, results: Vec<(AgentId, CardFetch)>, now: Timestamp) {
        let current = self.current.load_full();
        let mut results: HashMap<_, _> = results.into_iter().collect();
        let agents = current
            .agents()
            .iter()
            .map(|agent| match results.remove(&agent.spec.id) {
                Some(fetch) => Arc::new(CatalogAgent {
                    spec: Arc::clone(&agent.spec),
                    stats: Arc::clone(&agent.stats),
                    status: next_status(&agent.spec, &agent.status, fetch, now),
                }),
                None => Arc::clone(agent),
            })
            .collect();
        self.current
            .store(Arc::new(Catalog::new(agents, Some(&current))));
        self.swapped.send_replace(());
    }
}

fn next_status(
    spec: &AgentSpec,
    last: &CardStatus,
    fetch: CardFetch,
    now: Timestamp,
) -> CardStatus {
    let (state, accepted, problem) = match fetch.result {
        Ok(fetched) => (
            AgentState::Ready,
            Some(Arc::new(AcceptedCard::new(spec, &fetched, now))),
            None,
        ),
        Err(problem) => {
            let kept = last.accepted.clone().filter(|card| usable(spec, card, now));
            let state = if kept.is_some() {
                AgentState::Stale
            } else {
                AgentState::Unavailable
            };
            (state, kept, Some(problem))
        }
    };
    log_change(spec, last.state, state, problem.as_deref());
    CardStatus {
        state,
        accepted,
        problem,
        tried: fetch.tried,
        checked_at: Some(now),
    }
}

/// A card whose agent cannot be reached is used for its freshness and `max_stale` more.
fn usable(spec: &AgentSpec, card: &AcceptedCard, now: Timestamp) -> bool {
    let age = Duration::try_from(now.duration_since(card.confirmed_at)).unwrap_or_default();
    age <= card.fresh_for + spec.card.max_stale
}

fn log_change(spec: &AgentSpec, last: AgentState, state: AgentState, problem: Option<&str>) {
    if last == state {
        return;
    }
    let (id, state) = (&spec.id, state.as_str());
    match problem {
        None => tracing::info!(agent.id = %id, agent.state = state, "agent `{id}` is {state}"),
        Some(problem) => {
            tracing::warn!(agent.id = %id, agent.state = state, "agent `{id}` is {state}: {problem}");
        }
    }
}

/// Fetches the card of one agent, again and again.
struct Watcher {
    registry: Arc<Registry>,
    spec: Arc<AgentSpec>,
    cards: Arc<dyn CardSource>,
    results: mpsc::Sender<(AgentId, CardFetch)>,
}

impl Watcher {
    async fn run(self) {
        let (mut failures, mut force) = (0_u32, false);
        loop {
            let fetch = self.cards.fetch(&self.spec, force).await;
            let pause = match &fetch.result {
                Ok(fetched) => {
                    failures = 0;
                    fetched.fresh_for.max(SHORTEST_FRESHNESS)
                }
                Err(_) => {
                    failures += 1;
                    backoff(failures)
                }
            };
            if self
                .results
                .send((self.spec.id.clone(), fetch))
                .await
                .is_err()
            {
                return;
            }
            force = tokio::select! {
                () = tokio::time::sleep(jittered(pause)) => false,
                () = self.woken() => true,
            };
        }
    }

    async fn woken(&self) {
        match self.registry.wake.get(&self.spec.id) {
            Some(wake) => wake.notified().await,
            None => std::future::pending().await,
        }
    }
}

fn backoff(failures: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(1 << failures.saturating_sub(1).min(16))
        .min(LONGEST_PAUSE)
}

/// Spreads refreshes: up to a tenth later, so that agents registered together are not fetched together.
fn jittered(pause: Duration) -> Duration {
    let random = uuid::Uuid::new_v4().as_bytes()[0];
    pause + pause.mul_f64(f64::from(random) / 2550.0)
}

#[cfg(test)]
mod tests;
