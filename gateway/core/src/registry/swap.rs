//! How what watchers find becomes the catalog: states at once, cards once their texts have been read.
//!
//! Reading the texts of cards takes its time, and an agent that must get nothing new must not get it meanwhile.

use std::{
    collections::HashMap,
    sync::{Arc, MutexGuard, PoisonError},
    time::{Duration, Instant as StdInstant},
};

use tokio::{
    sync::mpsc,
    task::{JoinHandle, spawn_blocking},
    time::{Instant, sleep_until, timeout_at},
};

use super::{Registry, status};
use crate::{
    agent::AgentId,
    catalog::{AgentState, CardStatus, Catalog, CatalogAgent, Texts},
};

/// Cards that arrive within this time are read together, at least.
const SHORTEST_BATCH: Duration = Duration::from_millis(20);
/// The longest time that a card, or a state, waits for company.
const LONGEST_BATCH: Duration = Duration::from_secs(1);
/// How much longer they wait than the last time took: this bounds a large start to a share of the time.
const BATCH_PER_SWAP: u32 = 4;

/// The newest states of those agents that the catalog does not show as they are.
pub(super) type Latest = HashMap<AgentId, CardStatus>;

/// A state that a watcher found.
pub(super) type Found = (AgentId, CardStatus);

/// What can be shown of a state while the index may know another card of the agent than the one it uses.
#[derive(Debug)]
enum Shown {
    /// All of it.
    Wholly,
    /// This: it must get nothing new, and goes on with the card it had.
    Held(Box<CardStatus>),
    /// Nothing; it stays as it is.
    NotYet,
}

impl Shown {
    /// Says it of a state that follows on `before`, `indexed` being the card that the index knows.
    fn of(before: &CardStatus, indexed: Option<&str>, next: &CardStatus) -> Self {
        let card = next.fingerprint();
        let is_held = next.state == AgentState::Quarantined;
        if card.is_none() || card == indexed || (is_held && indexed.is_none()) {
            Self::Wholly
        } else if is_held {
            Self::Held(Box::new(CardStatus {
                accepted: before.accepted.clone(),
                ..next.clone()
            }))
        } else {
            Self::NotYet
        }
    }
}

impl Registry {
    /// Takes over what watchers find until there are none.
    pub(super) async fn take_over(self: &Arc<Self>, mut found: mpsc::Receiver<Found>) {
        let mut reading: Option<JoinHandle<Duration>> = None;
        let mut read_at = None;
        let (mut pause, mut show_at) = (SHORTEST_BATCH, Instant::now());
        loop {
            tokio::select! {
                first = found.recv() => {
                    let Some(first) = first else { break };
                    let mut batch = vec![first];
                    while let Ok(Some(next)) = timeout_at(show_at, found.recv()).await {
                        batch.push(next);
                    }
                    while let Ok(next) = found.try_recv() {
                        batch.push(next);
                    }
                    let took = self.aside(move |registry| registry.show(batch)).await;
                    show_at = Instant::now() + took.saturating_mul(BATCH_PER_SWAP).min(LONGEST_BATCH);
                }
                () = sleep_until(read_at.unwrap_or_else(Instant::now)), if read_at.is_some() => {
                    read_at = None;
                    let registry = Arc::clone(self);
                    reading = Some(tokio::spawn(async move { registry.aside(Self::read).await }));
                }
                took = async { reading.as_mut()?.await.ok() }, if reading.is_some() => {
                    reading = None;
                    let took = took.unwrap_or(LONGEST_BATCH);
                    pause = took.saturating_mul(BATCH_PER_SWAP).clamp(SHORTEST_BATCH, LONGEST_BATCH);
                }
            }
            if reading.is_none() && read_at.is_none() && self.has_unread() {
                read_at = Some(Instant::now() + pause);
            }
        }
        if let Some(reading) = reading {
            let _over = reading.await;
        }
    }

    /// Does something on a thread where no request waits; returns how long it took, or a long time if it failed.
    async fn aside(self: &Arc<Self>, act: impl FnOnce(&Self) + Send + 'static) -> Duration {
        let registry = Arc::clone(self);
        let begun = StdInstant::now();
        if let Err(error) = spawn_blocking(move || act(&registry)).await {
            tracing::error!(%error, "some cards that were fetched could not be taken over");
            return LONGEST_BATCH;
        }
        begun.elapsed()
    }

    /// Shows states as far as that needs no look at a text.
    pub(super) fn show(&self, found: Vec<Found>) {
        let mut latest = self.latest();
        latest.extend(found);
        let current = self.catalog();
        let indexed = current.texts().fingerprints();
        let agents = current.agents().iter().zip(indexed);
        let agents = agents.map(|(agent, indexed)| {
            let Some(next) = latest.get(&agent.spec.id) else {
                return Arc::clone(agent);
            };
            match Shown::of(&agent.status, indexed, next) {
                Shown::Wholly => match latest.remove(&agent.spec.id) {
                    Some(next) => with(agent, next),
                    None => Arc::clone(agent),
                },
                Shown::Held(held) => with(agent, *held),
                Shown::NotYet => Arc::clone(agent),
            }
        });
        let agents: Vec<_> = agents.collect();
        self.swap(&current, current.showing(agents), latest);
    }

    /// Reads the texts of the newest cards, and shows these cards. What arrives meanwhile is heeded, too.
    pub(super) fn read(&self) {
        let (before, agents) = {
            let latest = self.latest();
            let current = self.catalog();
            let agents = current.agents().iter().map(|agent| {
                let next = latest.get(&agent.spec.id);
                next.map_or_else(|| Arc::clone(agent), |next| with(agent, next.clone()))
            });
            let agents: Vec<_> = agents.collect();
            (Arc::clone(current.texts()), agents)
        };
        let texts = Texts::of(&agents, &before);
        let mut latest = self.latest();
        let current = self.catalog();
        let agents = agents
            .iter()
            .zip(current.agents())
            .zip(texts.fingerprints());
        let agents = agents.map(|((read, now), indexed)| {
            let id = &now.spec.id;
            let next = latest.remove(id);
            let newest = next.as_ref().unwrap_or(&now.status);
            match Shown::of(&read.status, indexed, newest) {
                Shown::Wholly => next.map_or_else(|| Arc::clone(now), |next| with(now, next)),
                Shown::Held(held) => {
                    let newest = newest.clone();
                    latest.insert(id.clone(), newest);
                    with(now, *held)
                }
                Shown::NotYet => {
                    let newest = newest.clone();
                    latest.insert(id.clone(), newest);
                    Arc::clone(read)
                }
            }
        });
        let agents: Vec<_> = agents.collect();
        let next = current.knowing(Arc::clone(&texts), agents);
        self.swap(&current, next, latest);
    }

    /// Tells whether there are cards whose texts were not read, or texts of cards that are in use no more.
    pub(super) fn has_unread(&self) -> bool {
        let latest = self.latest();
        !latest.is_empty() || self.current.load().lags()
    }

    pub(super) fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn swap(&self, current: &Catalog, next: Catalog, turn: MutexGuard<'_, Latest>) {
        let next = Arc::new(next);
        self.current.store(Arc::clone(&next));
        self.swapped.send_replace(());
        drop(turn);
        // Only now, as until then messages went by the catalog before.
        for (last, next) in current.agents().iter().zip(next.agents()) {
            if !Arc::ptr_eq(last, next) {
                status::log_change(&next.spec, &last.status, &next.status);
            }
        }
    }
}

fn with(agent: &CatalogAgent, status: CardStatus) -> Arc<CatalogAgent> {
    Arc::new(CatalogAgent {
        spec: Arc::clone(&agent.spec),
        stats: Arc::clone(&agent.stats),
        status,
    })
}

#[cfg(test)]
mod tests;
