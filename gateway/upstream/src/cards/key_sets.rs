//! Key sets that signatures name (`jku`), fetched from the addresses the operator allows.

use std::time::Duration;

use agent_cards::{Outcome, TrustedKeys, verify};
use bytes::{Bytes, BytesMut};
use gateway_core::{agent::AgentSpec, ports::FetchedCard};
use http::StatusCode;
use moka::future::Cache;
use reqwest::Client;
use tokio::time::timeout;
use url::Url;

use crate::{
    failure::Failure,
    guard::{self, Clients},
    read::{self, ReadError},
};

/// How long a key set is used, and one that could not be fetched is left alone. A new key is known after this time.
const KEPT: Duration = Duration::from_secs(300);
/// The largest key set, in bytes.
const LARGEST: usize = 64 * 1024;
/// The most key sets that are kept; the operator lists them.
const MOST: u64 = 100;
/// The most key sets that are asked for one card.
const MOST_PER_CARD: usize = 4;

/// What came from an address: a key set, or why there is none.
type Fetched = Result<Bytes, String>;

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
        let Outcome::UnknownKey { jkus, .. } = fetched.verification.outcome() else {
            return;
        };
        let named: Vec<Url> = jkus.iter().filter_map(|jku| jku.parse().ok()).collect();
        if named.is_empty() {
            return;
        }
        let mut keys = TrustedKeys::clone(&agent.card.trust.keys);
        for jku in named.iter().take(MOST_PER_CARD) {
            let added = self.get(agent, jku).await.and_then(|set| {
                keys.add_from_jku(jku, &set)
                    .map_err(|error| error.to_string())
            });
            if let Err(problem) = added {
                let id = &agent.id;
                tracing::warn!(agent.id = %id, "the keys that the card of agent `{id}` is signed with cannot be had from {jku}: {problem}");
            }
        }
        fetched.verification = verify(&fetched.card, &keys);
    }

    async fn get(&self, agent: &AgentSpec, jku: &Url) -> Fetched {
        let fetching = async {
            let client = self.clients.client(agent.limits.connect);
            let client =
                client.map_err(|_| "the gateway cannot set up TLS on this system".to_owned())?;
            timeout(agent.card.timeout, fetch(&client, jku))
                .await
                .unwrap_or_else(|_| Err("no answer in time".to_owned()))
        };
        self.kept.get_with(jku.clone(), fetching).await
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
