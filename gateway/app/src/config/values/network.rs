//! Networks of proxies.

use std::net::IpAddr;

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An IP address, or a network in CIDR notation.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["10.0.0.0/8", "127.0.0.1", "fd00::/8"]))]
pub(in crate::config) struct ProxyNetwork(#[schemars(with = "String")] pub(in crate::config) IpNet);

impl TryFrom<String> for ProxyNetwork {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let address = text.parse::<IpAddr>().map(IpNet::from);
        address
            .or_else(|_| text.parse())
            .map(Self)
            .map_err(|_| "not an address or network\nwrite for example `10.0.0.0/8` or `127.0.0.1`")
    }
}

impl From<ProxyNetwork> for String {
    fn from(ProxyNetwork(network): ProxyNetwork) -> Self {
        network.to_string()
    }
}
