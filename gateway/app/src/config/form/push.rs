//! The `push` section.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::values::{Count, HttpUrl, Period, WebhookTarget};

/// How push notifications are relayed from agents to the webhooks of clients.
///
/// Agents get a callback of the gateway's own and never see a webhook or its secrets. A webhook is kept until its
/// client deletes it, or until a day after its task has ended. Its token and credentials are stored, because
/// deliveries carry them, and are never shown again.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`push`")]
pub(in crate::config) struct PushForm {
    /// The address that agents send notifications to, with the path prefix of a proxy in front if there is one.
    /// Default: `public_url`, else the address of `listen`. Without any that agents could use, as when listening on
    /// all addresses, push notifications are off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) callback_url: Option<HttpUrl>,
    /// Where webhooks may be besides https addresses of the public Internet: a host allows http and private addresses
    /// for that host, `host:port` only there, and a network in CIDR notation its addresses. Link-local addresses are
    /// never called.
    pub(in crate::config) allow: Vec<WebhookTarget>,
    /// How long one delivery may take.
    pub(in crate::config) timeout: Period,
    /// After how many failures a notification is given up. The first pause is a second, each next one twice as long,
    /// up to an hour.
    pub(in crate::config) max_attempts: Count,
    /// The age at which a notification is given up, however few the attempts were.
    pub(in crate::config) max_age: Period,
}

impl Default for PushForm {
    fn default() -> Self {
        Self {
            callback_url: None,
            allow: Vec::new(),
            timeout: Period(Duration::from_secs(15)),
            max_attempts: Count(12),
            max_age: Period(Duration::from_secs(24 * 60 * 60)),
        }
    }
}
