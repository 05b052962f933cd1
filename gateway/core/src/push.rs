//! Push notifications, terminated here: agents notify the gateway, and the gateway notifies the clients.
//!
//! A client's webhook and its secrets never reach an agent. The agent gets a callback of the gateway's own, whose
//! address nobody can guess; what it sends there is kept in an outbox and delivered, in order, with the client's
//! credentials, in the client's version and with the ids that the client knows.

mod address;
mod backoff;
mod callback;
mod deliver;
mod payload;
mod ranges;
mod receive;
mod webhook;

use std::{sync::Arc, time::Duration};

use tokio::sync::Notify;
use url::Url;

pub use address::{AllowList, Allowed, NotAnEntry, RefusedTarget};
pub(crate) use callback::Callback;
pub use receive::{PushCredentials, PushRefused};
pub(crate) use webhook::{Names, member};

use crate::ports::{PushStore, WebhookClient};

/// How the relay works.
#[derive(Debug, Clone)]
pub struct PushSettings {
    /// The address that agents reach the gateway at; without it nothing can be relayed.
    pub callback_base: Option<Url>,
    /// Where webhooks may be although it is private or without TLS.
    pub allow: AllowList,
    /// How long one delivery may take.
    pub timeout: Duration,
    /// After how many failures a notification is given up.
    pub max_attempts: u32,
    /// The age at which a notification is given up.
    pub max_age: Duration,
}

/// The relay of push notifications.
#[derive(Debug)]
pub struct PushRelay {
    pub(crate) store: Arc<dyn PushStore>,
    pub(crate) client: Arc<dyn WebhookClient>,
    pub(crate) settings: PushSettings,
    /// Tells the worker that there may be something to deliver.
    pub(crate) wake: Notify,
}

impl PushRelay {
    /// Puts the relay together. Nothing is delivered before [`crate::Gateway::deliver_pushes`] runs.
    #[must_use]
    pub fn new(
        settings: PushSettings,
        store: Arc<dyn PushStore>,
        client: Arc<dyn WebhookClient>,
    ) -> Self {
        Self {
            store,
            client,
            settings,
            wake: Notify::new(),
        }
    }

    /// Tells whether the gateway can relay at all, which it cannot without an address for agents.
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.settings.callback_base.is_some()
    }
}
