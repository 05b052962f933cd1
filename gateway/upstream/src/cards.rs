//! Fetching AgentCards: from the cache while fresh, by one walk over the likely places otherwise.

mod advice;
mod aside;
mod freshness;
mod key_sets;
mod outcome;
mod places;
mod visit;
mod walk;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant as StdInstant},
};

use agent_cards::{Card, TrustedKeys, Verification, verify};
use async_trait::async_trait;
use futures_util::future::{BoxFuture, FutureExt, Shared, WeakShared};
use gateway_core::{
    agent::{AgentId, AgentSpec},
    ports::{CardFetch, CardSource, CardTry, FetchedCard},
};
use moka::{Expiry, future::Cache};
use url::Url;

pub use self::key_sets::MissingKeys;
use self::{
    advice::Reader,
    aside::verified,
    key_sets::{KeySets, Patience},
    walk::Known,
};
use crate::guard::{self, Clients};

/// More agents than this lose the validators of the ones used longest ago.
const MAX_KEPT: u64 = 10_000;

/// An agent as far as its card is concerned: a changed address makes another one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    agent: AgentId,
    url: Url,
    card: Option<Url>,
}

type Flight = Shared<BoxFuture<'static, CardFetch>>;

/// Fetches cards over HTTP and keeps them as their caching headers say.
#[derive(Clone)]
pub struct CardFetcher(Arc<Shelf>);

struct Shelf {
    clients: Clients,
    reader: Reader,
    key_sets: KeySets,
    known: Cache<Key, Arc<Known>>,
    /// Fetches under way, which everyone who wants the same card joins.
    flights: Mutex<HashMap<Key, WeakShared<BoxFuture<'static, CardFetch>>>>,
}

impl CardFetcher {
    /// Creates a fetcher with nothing in its cache.
    #[must_use]
    pub fn new(clients: Clients) -> Self {
        Self::read_by(Reader::Operator, clients)
    }

    /// Creates a fetcher for somebody at a terminal: what it says to do next names options of a command, not settings.
    #[must_use]
    pub fn for_terminal(clients: Clients) -> Self {
        Self::read_by(Reader::Terminal, clients)
    }

    fn read_by(reader: Reader, clients: Clients) -> Self {
        let known = Cache::builder()
            .max_capacity(MAX_KEPT)
            .expire_after(Keep)
            .build();
        Self(Arc::new(Shelf {
            key_sets: KeySets::new(clients.clone()),
            clients,
            reader,
            known,
            flights: Mutex::default(),
        }))
    }

    /// Verifies a card, wherever it comes from, and fetches the allowed key sets that its signatures name where the keys
    /// at hand are not enough. Each of those fetches may take as long as `limit`.
    ///
    /// Returns what the signatures say, and the key sets that could not be had.
    pub async fn verify(
        &self,
        card: &Card,
        keys: &TrustedKeys,
        limit: Duration,
    ) -> (Verification, Vec<MissingKeys>) {
        let patience = Patience {
            connect: limit,
            whole: limit,
        };
        let first = verify(card, keys);
        self.0.key_sets.completed(card, first, keys, patience).await
    }

    /// Joins the fetch under way for this agent, or starts one.
    fn join(&self, key: Key, agent: &AgentSpec, force: bool) -> Flight {
        let mut flights = self
            .0
            .flights
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let under_way = flights
            .get(&key)
            .and_then(WeakShared::upgrade)
            .filter(|flight| flight.peek().is_none());
        if let Some(flight) = under_way {
            return flight;
        }
        flights.retain(|_, flight| flight.upgrade().is_some());
        let flight = fly(Arc::clone(&self.0), key.clone(), agent.clone(), force)
            .boxed()
            .shared();
        if let Some(weak) = flight.downgrade() {
            flights.insert(key, weak);
        }
        flight
    }
}

#[async_trait]
impl CardSource for CardFetcher {
    async fn fetch(&self, agent: &AgentSpec, force: bool) -> CardFetch {
        let mut fetch = self.look_up(agent, force).await;
        if let Ok(fetched) = &mut fetch.result {
            self.0.key_sets.complete(agent, fetched).await;
        }
        fetch
    }

    async fn verify(&self, agent: &AgentSpec, kept: &mut FetchedCard) {
        self.0.key_sets.complete(agent, kept).await;
    }
}

impl CardFetcher {
    async fn look_up(&self, agent: &AgentSpec, force: bool) -> CardFetch {
        let key = Key {
            agent: agent.id.clone(),
            url: agent.url.clone(),
            card: agent.card.url.clone(),
        };
        if !force && let Some(fetch) = self.0.fresh(&key, agent).await {
            return fetch;
        }
        self.join(key, agent, force).await
    }
}

impl fmt::Debug for CardFetcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CardFetcher")
            .field("known", &self.0.known.entry_count())
            .finish_non_exhaustive()
    }
}

impl Shelf {
    /// Returns the card if it may be used without asking the agent.
    async fn fresh(&self, key: &Key, agent: &AgentSpec) -> Option<CardFetch> {
        let known = self.known.get(key).await?;
        let kept = known.kept.as_ref()?;
        let lifetime = known.freshness.lifetime;
        let fresh_for = lifetime.checked_sub(known.fetched_at.elapsed())?;
        if fresh_for.is_zero() {
            return None;
        }
        let location = guard::shown(&known.place);
        let tried = vec![CardTry {
            url: location.to_string(),
            outcome: "from the cache, still fresh".to_owned(),
        }];
        Some(CardFetch {
            result: Ok(FetchedCard {
                card: kept.card.clone(),
                verification: verified(&kept.card, &agent.card.trust.keys).await.ok()?,
                missing_keys: Vec::new(),
                location,
                fresh_for,
                stale_while_revalidate: known.freshness.while_revalidating,
                stale_if_error: known.freshness.if_error,
            }),
            tried,
            retry_after: None,
        })
    }
}

/// Fetches a card from its agent and keeps what is worth keeping.
async fn fly(shelf: Arc<Shelf>, key: Key, agent: AgentSpec, force: bool) -> CardFetch {
    // Another fetch may have ended between the caller's look into the cache and this start.
    if !force && let Some(fetch) = shelf.fresh(&key, &agent).await {
        return fetch;
    }
    let known = shelf.known.get(&key).await;
    let (fetch, learned) = walk::walk(&shelf.clients, &agent, known.as_deref(), shelf.reader).await;
    if let Some(learned) = learned {
        shelf.known.insert(key, Arc::new(learned)).await;
    }
    fetch
}

/// Keeps entries past their freshness, as validators and the place that worked still serve then.
struct Keep;

impl Expiry<Key, Arc<Known>> for Keep {
    fn expire_after_create(
        &self,
        _key: &Key,
        known: &Arc<Known>,
        _now: StdInstant,
    ) -> Option<Duration> {
        Some(known.keep_for)
    }

    fn expire_after_update(
        &self,
        _key: &Key,
        known: &Arc<Known>,
        _now: StdInstant,
        _left: Option<Duration>,
    ) -> Option<Duration> {
        Some(known.keep_for)
    }
}
