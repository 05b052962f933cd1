//! Keeps the catalog current: fetches cards in the background and swaps snapshots.
//!
//! Nothing here blocks a request: requests read the current snapshot, refreshes replace it.

mod acceptance;
mod bell;
mod judge;
mod lanes;
mod remembered;
mod status;
mod swap;
mod trust;
mod understanding;
mod watcher;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::acceptance::NotAccepted;
use self::{bell::Bell, lanes::Lanes, remembered::Remembered, swap::Latest, watcher::Watcher};
use crate::{
    agent::{AgentId, AgentSpec},
    catalog::{AgentState, CardStatus, Catalog, CatalogAgent},
    ports::{CardFetch, CardPins, CardSource},
    stats::AgentStats,
};

/// How long the operator who accepts a card waits for the catalog that holds it.
const LONGEST_SWAP: Duration = Duration::from_secs(10);

/// The agents and the current catalog.
#[derive(Debug)]
pub struct Registry {
    current: ArcSwap<Catalog>,
    /// Held while a catalog is made from the current one.
    latest: Mutex<Latest>,
    swapped: watch::Sender<()>,
    bells: HashMap<AgentId, Arc<Bell>>,
}

impl Registry {
    /// Creates a registry in which every agent is pending.
    #[must_use]
    pub fn new(specs: Vec<AgentSpec>) -> Arc<Self> {
        let bells = specs
            .iter()
            .map(|spec| (spec.id.clone(), Arc::default()))
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
            latest: Mutex::default(),
            swapped: watch::channel(()).0,
            bells,
        })
    }

    /// Returns the current catalog.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        self.current.load_full()
    }

    /// Asks for a new fetch of an agent's card now, past its cache. Returns whether the agent exists.
    pub fn refresh(&self, agent: &AgentId) -> bool {
        let bell = self.bells.get(agent);
        bell.inspect(|bell| bell.ring()).is_some()
    }

    /// Accepts the card of a fingerprint that waits. When this returns, the card is remembered across restarts, and in
    /// use unless building the next catalog takes longer than ten seconds.
    ///
    /// # Errors
    /// Says why it was not accepted; an unknown agent has no card that waits.
    pub async fn accept(&self, agent: &AgentId, fingerprint: &str) -> Result<(), NotAccepted> {
        let bell = self.bells.get(agent).ok_or(NotAccepted::NotWaiting)?;
        bell.approve(fingerprint).await?;
        let waits = |agent: &Arc<CatalogAgent>| {
            let held = agent.status.held.as_ref();
            held.is_some_and(|held| held.card.fingerprint() == fingerprint)
        };
        self.swapped_while(agent, waits, LONGEST_SWAP).await;
        Ok(())
    }

    /// Tells that an agent does not answer as its card says, so that the card is fetched again (A2A §8.6).
    /// Returns whether that was asked for: an agent is doubted once in a while only, however many calls it
    /// disappoints, and not while its card cannot be fetched anyway.
    pub fn doubt(&self, agent: &AgentId) -> bool {
        let catalog = self.current.load();
        let ready = catalog
            .agent(agent)
            .is_some_and(|agent| agent.status.state == AgentState::Ready);
        let bell = self.bells.get(agent).filter(|_| ready);
        bell.is_some_and(|bell| bell.doubt(Instant::now()))
    }

    /// Waits until an agent's card has been looked for at least once, but not longer than `limit`.
    pub async fn settled(&self, agent: &AgentId, limit: Duration) {
        let pending = |agent: &Arc<CatalogAgent>| agent.status.state == AgentState::Pending;
        self.swapped_while(agent, pending, limit).await;
    }

    /// Waits for new catalogs while something is so of an agent, but not longer than `limit`.
    async fn swapped_while(
        &self,
        agent: &AgentId,
        is_so: impl Fn(&Arc<CatalogAgent>) -> bool,
        limit: Duration,
    ) {
        let mut swapped = self.swapped.subscribe();
        let is_so_now = || self.current.load().agent(agent).is_some_and(&is_so);
        let wait = async { while is_so_now() && swapped.changed().await.is_ok() {} };
        // Running out of time is an answer too: the caller looks at the state next.
        let _over_or_not = tokio::time::timeout(limit, wait).await;
    }

    /// Fetches cards until stopped. Changes are measured from the cards that `pins` remembers.
    pub async fn run(
        self: Arc<Self>,
        (cards, pins): (Arc<dyn CardSource>, Arc<dyn CardPins>),
        stop: CancellationToken,
    ) {
        let mut remembered = Remembered::read(&*pins).await;
        let (results, arrived) = mpsc::channel(256);
        let lanes = Arc::new(Lanes::default());
        let tasks = TaskTracker::new();
        for agent in self.catalog().agents() {
            let Some((bell, approvals)) = self.bells.get(&agent.spec.id).and_then(|bell| {
                let approvals = bell.take_inbox()?;
                Some((Arc::clone(bell), approvals))
            }) else {
                continue;
            };
            let (pinned, sighting) = remembered.of(&agent.spec.id);
            let watcher = Watcher {
                bell,
                approvals,
                waiting: None,
                spec: Arc::clone(&agent.spec),
                remembered: pinned.card().map(|card| card.fingerprint().to_owned()),
                sighting,
                is_new: true,
                status: CardStatus {
                    pinned,
                    ..agent.status.clone()
                },
                pins: Arc::clone(&pins),
                failures: 0,
                cards: Arc::clone(&cards),
                lanes: Arc::clone(&lanes),
                results: results.clone(),
            };
            let stop = stop.clone();
            tasks.spawn(async move { stop.run_until_cancelled(watcher.run()).await });
        }
        drop(results);
        self.take_over(arrived).await;
        tasks.close();
        tasks.wait().await;
    }

    /// Takes over the results of fetches that were made elsewhere.
    pub fn apply(&self, results: Vec<(AgentId, CardFetch)>, now: Timestamp) {
        let catalog = self.catalog();
        let judged = results.into_iter().filter_map(|(id, fetch)| {
            let agent = catalog.agent(&id)?;
            Some((id, agent.status.after(&agent.spec, fetch, now)))
        });
        self.show(judged.collect());
        if self.has_unread() {
            self.read();
        }
    }
}

#[cfg(test)]
mod tests;
