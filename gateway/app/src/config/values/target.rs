//! Where webhooks may be.

use std::net::IpAddr;

use gateway_core::push::Allowed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A host, a host and port, or a network in CIDR notation.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["hooks.example.internal", "127.0.0.1:9000", "10.20.0.0/16"]))]
pub(in crate::config) struct WebhookTarget(
    #[schemars(with = "String")] pub(in crate::config) Allowed,
);

impl TryFrom<String> for WebhookTarget {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let target: Allowed = text.parse().map_err(
            |_| "not a host or network\nwrite for example `hooks.example.internal`, `127.0.0.1:9000` or `10.20.0.0/16`",
        )?;
        if is_link_local(&target) {
            return Err("link-local addresses are never called\nuse another address");
        }
        Ok(Self(target))
    }
}

impl From<WebhookTarget> for String {
    fn from(WebhookTarget(target): WebhookTarget) -> Self {
        target.to_string()
    }
}

fn is_link_local(target: &Allowed) -> bool {
    let address = match target {
        Allowed::Host { host, .. } => host.trim_matches(['[', ']']).parse().ok(),
        Allowed::Network { address, .. } => Some(*address),
    };
    address.is_some_and(|address: IpAddr| match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    })
}
