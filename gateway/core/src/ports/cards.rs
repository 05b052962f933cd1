//! Where cards come from.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use url::Url;

use crate::agent::AgentSpec;

/// Where cards come from.
#[async_trait]
pub trait CardSource: Send + Sync + fmt::Debug {
    /// Fetches the card of an agent: from its cache while fresh, by revalidation or anew otherwise.
    /// `force` skips the freshness check.
    async fn fetch(&self, agent: &AgentSpec, force: bool) -> CardFetch;

    /// Verifies a card that was kept from before anew, with the key sets that its signatures name, as far as they can be had
    /// and the keys at hand are not enough.
    async fn verify(&self, agent: &AgentSpec, kept: &mut FetchedCard);
}

/// The result of fetching a card, with every place that was tried.
#[derive(Debug, Clone)]
pub struct CardFetch {
    /// The card, or why there is none: a short text that names the next step.
    pub result: Result<FetchedCard, String>,
    /// Each place tried, in order, with what happened there.
    pub tried: Vec<CardTry>,
    /// How long the agent wants to be left alone, where it says so (`Retry-After` of 429 and 503).
    pub retry_after: Option<Duration>,
}

/// A card that arrived.
#[derive(Debug, Clone)]
pub struct FetchedCard {
    /// The card.
    pub card: agent_cards::Card,
    /// What its signatures say.
    pub verification: agent_cards::Verification,
    /// The key sets that its signatures name and that could not be had, with the reason.
    pub missing_keys: Vec<String>,
    /// Where it was found.
    pub location: Url,
    /// How long it is fresh, from now.
    pub fresh_for: Duration,
    /// How long after that the agent lets it be used while it is asked for again (RFC 5861 §3).
    pub stale_while_revalidate: Duration,
    /// How long after that the agent lets it be used while it cannot be asked (RFC 5861 §4); without a word of
    /// the agent the operator's limit holds alone.
    pub stale_if_error: Option<Duration>,
}

/// One place where a card was looked for.
#[derive(Debug, Clone, serde::Serialize)]
pub struct CardTry {
    /// The place, without credentials.
    pub url: String,
    /// What happened, such as `200, card accepted`, `404`, `connection refused`.
    pub outcome: String,
}
