//! Key sets that signatures name (`jku`), fetched from the addresses the operator allows.

use std::time::Duration;

use agent_cards::{Card, TrustedKeys, Verification, verify};
use bytes::{Bytes, BytesMut};
use futures_util::future::join_all;
use gateway_core::{agent::AgentSpec, ports::FetchedCard};
use http::StatusCode;
use moka::future::Cache;
use reqwest::Client;
use tokio::time::timeout;
use url::Url;

use super::aside::aside;
use crate::{
    failure::Failure,
    guard::{self, Clients},
    read::{self, ReadError},
};

/// How long a key set is used. A new key is known after this time.
const KEPT: Duration = Duration::from_secs(300);
/// The largest key set, in bytes.
const LARGEST: usize = 64 * 1024;
/// The most key sets that are kept; the operator lists them.
const MOST: u64 = 100;
/// The most key sets that are asked for one card; it can name none but those that the operator lists.
const MOST_PER_CARD: usize = 16;

/// What came from an address: a key set, or why there is none.
type Fetched = Result<Bytes, String>;

/// A key set that a signature names and that could not be had.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MissingKeys {
    /// Its address.
    pub jku: Url,
    /// Why there is none.
    pub problem: String,
}

/// How long a fetch may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// To open a connection.
    pub(super) connect: Duration,
    /// From the beginning to the end.
    pub(super) whole: Duration,
}

/// Fetches key sets and keeps them for a while.
#[derive(Clone)]
pub(super) struct KeySets {
    clients: Clients,
    kept: Cache<Url, Fetched>,
}

impl KeySets {
    pub(super) fn new(clients: Clients) -> Self {
        let kept = Cache::builder()
            .max_capacity(MOST)
            .time_to_live(KEPT)
            .build();
        Self { clients, kept }
    }

    /// Verifies a card anew with the key sets that its signatures name, where those that are known are not enough.
    pub(super) async fn complete(&self, agent: &AgentSpec, fetched: &mut FetchedCard) {
        let patience = Patience {
            connect: agent.limits.connect,
            whole: agent.card.timeout,
        };
        let (card, first) = (&fetched.card, fetched.verification.clone());
        let keys = &agent.card.trust.keys;
        let (verification, missing) = self.completed(card, first, keys, patience).await;
        fetched.verification = verification;
        let said =
            |missing: &MissingKeys| format!("{}: {}", guard::shown(&missing.jku), missing.problem);
        fetched.missing_keys = missing.iter().map(said).collect();
    }

    /// Returns the verification as it is with the key sets that the first one lacks, and those that cannot be had.
    pub(super) async fn completed(
        &self,
        card: &Card,
        first: Verification,
        keys: &TrustedKeys,
        patience: Patience,
    ) -> (Verification, Vec<MissingKeys>) {
        let named = first.missing_key_sets().iter();
        let named: Vec<Url> = named.filter_map(|jku| jku.parse().ok()).collect();
        if named.is_empty() {
            return (first, Vec::new());
        }
        let fetching = named.into_iter().take(MOST_PER_CARD).map(async |jku| {
            let set = self.get(&jku, patience).await;
            (jku, set)
        });
        let sets = join_all(fetching).await;
        let (card, mut keys) = (card.clone(), keys.clone());
        let verifying = aside(move || {
            let missing = sets.into_iter().filter_map(|(jku, set)| {
                let added = set.and_then(|set| {
                    let added = keys.add_from_jku(&jku, &set);
                    added.map_err(|error| error.to_string())
                });
                added.err().map(|problem| MissingKeys { jku, problem })
            });
            let missing = missing.collect();
            (verify(&card, &keys), missing)
        });
        verifying.await.unwrap_or((first, Vec::new()))
    }

    async fn get(&self, jku: &Url, patience: Patience) -> Fetched {
        let fetching = async {
            let client = self.clients.client(patience.connect);
            let client =
                client.map_err(|_| "the gateway cannot set up TLS on this system".to_owned())?;
            timeout(patience.whole, fetch(&client, jku))
                .await
                .unwrap_or_else(|_| Err("no answer in time".to_owned()))
        };
        let found = self.kept.get_with(jku.clone(), fetching).await;
        if found.is_err() {
            // The next fetch of the card asks again.
            self.kept.invalidate(jku).await;
        }
        found
    }
}

async fn fetch(client: &Client, jku: &Url) -> Fetched {
    guard::check(jku).map_err(|refused| Failure::from(refused).words().to_owned())?;
    let failed = |error: &reqwest::Error| Failure::of(error).words().to_owned();
    let mut response = client
        .get(jku.clone())
        .send()
        .await
        .map_err(|error| failed(&error))?;
    if response.status() != StatusCode::OK {
        return Err(format!("status {}", response.status().as_u16()));
    }
    let body = read::capped(&mut response, BytesMut::new(), LARGEST).await;
    body.map_err(|error| match error {
        ReadError::TooLarge => format!("more than {LARGEST} bytes"),
        ReadError::Failed(error) => failed(&error),
    })
}
