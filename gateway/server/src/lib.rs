#![doc = include_str!("../README.md")]

mod admin;
mod base;
mod body;
mod cards;
mod edge;
mod events;
mod grpc;
mod handle;
mod headers;
mod health;
mod metrics;
mod negotiate;
mod public;
mod push;
mod rest;
mod rpc;
mod serve;
mod status;
mod target;
#[cfg(test)]
mod testing;
mod unread;

pub use admin::router as admin_router;
pub use metrics::Metrics;
pub use public::router as public_router;
pub use serve::serve;

use std::{sync::Arc, time::Duration};

use agent_cards::SigningKey;
use gateway_core::Gateway;
use ipnet::IpNet;
use url::Url;

/// What both listeners work with.
#[derive(Debug, Clone)]
pub struct State {
    /// The gateway.
    pub gateway: Arc<Gateway>,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// Settings of the listeners.
    pub settings: Arc<Settings>,
    cards: cards::ServedCards,
}

/// Settings of the listeners.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address clients see; without it, what each request says.
    pub public_url: Option<Url>,
    /// The networks of proxies whose `X-Forwarded-…` headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Largest request body, in bytes.
    pub max_body: usize,
    /// Longest time that a request body may take to arrive.
    pub body_time: Duration,
    /// Pause after which a silent stream gets a comment.
    pub keep_alive: Duration,
    /// Longest time that a client may leave an event of its stream unread.
    pub unread: Duration,
    /// The key that served cards are signed with.
    pub card_key: Option<Arc<SigningKey>>,
    /// Whether the admin listener is reached from this machine only.
    pub admin_is_local: bool,
    /// Whether a request that names no `A2A-Version` is one of 0.3, as A2A §3.6.2 says, whatever else it looks like.
    pub strict_versions: bool,
}

impl State {
    /// Puts together what the listeners work with.
    #[must_use]
    pub fn new(gateway: Arc<Gateway>, metrics: Arc<Metrics>, settings: Settings) -> Self {
        Self {
            gateway,
            metrics,
            settings: Arc::new(settings),
            cards: cards::ServedCards::default(),
        }
    }
}
