//! Where webhooks may be.
//!
//! A client names the address, so the gateway would knock at any door of its own network for it. Only https
//! addresses of the public Internet are called, unless the operator allows more by name.

use std::{fmt, net::IpAddr, str::FromStr};

use url::{Host, Url};

use super::ranges::is_public;

/// Longest address of a webhook, in bytes.
const MAX_LENGTH: usize = 2048;
/// Names that lead to this machine or network by convention.
const INNER_SUFFIXES: [&str; 5] = ["localhost", "local", "internal", "home.arpa", "onion"];

/// What the operator allows although it is private or without TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList(Vec<Allowed>);

/// One entry of the list: a host, a host and port, or a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// A host name or address, with a port or with any.
    Host {
        /// The host, as a URL spells it.
        host: String,
        /// The port; absent for any.
        port: Option<u16>,
    },
    /// A network in CIDR notation.
    Network {
        /// Its first address.
        address: IpAddr,
        /// How many leading bits count.
        prefix: u8,
    },
}

/// Reports a text that is no entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a host, a host and port, or a network")]
pub struct NotAnEntry;

/// Reports an address that no webhook may have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedTarget {
    /// It is no URL.
    #[error("is no URL")]
    NotAUrl,
    /// It is longer than any webhook needs.
    #[error("is longer than {MAX_LENGTH} bytes")]
    TooLong,
    /// It has another scheme.
    #[error("must start with https://")]
    Scheme,
    /// It has a user or password.
    #[error("must not contain a user or password, use `authentication`")]
    UserInfo,
    /// It is plain http, which the operator did not allow for this host.
    #[error("must start with https://, plain http is not allowed for this host")]
    Plain,
    /// It is not on the public Internet.
    #[error(
        "leads to an address that is not on the public Internet, which is not allowed for webhooks"
    )]
    Private,
}

impl AllowList {
    /// Makes a list.
    #[must_use]
    pub fn new(entries: Vec<Allowed>) -> Self {
        Self(entries)
    }

    /// Reads the address of a webhook and decides whether it may be called, as far as the text says: what a
    /// name resolves to is a matter of [`Self::permits`].
    ///
    /// # Errors
    /// [`RefusedTarget`] says which rule forbids it.
    pub fn read(&self, text: &str) -> Result<Url, RefusedTarget> {
        // The parser drops line breaks and tabs, so that what is checked would not be what was written.
        if text.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(RefusedTarget::NotAUrl);
        }
        let url = Url::parse(text).map_err(|_| RefusedTarget::NotAUrl)?;
        self.check(&url)?;
        Ok(url)
    }

    /// Decides the same for an address that was read before.
    ///
    /// # Errors
    /// [`RefusedTarget`] says which rule forbids it.
    pub fn check(&self, url: &Url) -> Result<(), RefusedTarget> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(RefusedTarget::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RefusedTarget::UserInfo);
        }
        if url.as_str().len() > MAX_LENGTH {
            return Err(RefusedTarget::TooLong);
        }
        if self.names(url) {
            return Ok(());
        }
        match literal(url) {
            Some(address) if !is_public(address) => return Err(RefusedTarget::Private),
            None if is_inner_name(url.host_str().unwrap_or_default()) => {
                return Err(RefusedTarget::Private);
            }
            _ => {}
        }
        if url.scheme() == "http" {
            return Err(RefusedTarget::Plain);
        }
        Ok(())
    }

    /// Decides whether a webhook may be at an address that its name resolves to.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.iter().any(|entry| entry.contains(address))
    }

    /// Tells whether an entry stands for a webhook as it is written, whatever its name resolves to.
    #[must_use]
    pub fn names(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default();
        self.0.iter().any(|entry| match entry {
            Allowed::Host {
                host: allowed,
                port: only,
            } => allowed == host && only.is_none_or(|only| Some(only) == port),
            Allowed::Network { .. } => literal(url).is_some_and(|address| entry.contains(address)),
        })
    }
}

impl Allowed {
    fn contains(&self, address: IpAddr) -> bool {
        let Self::Network {
            address: first,
            prefix,
        } = self
        else {
            return false;
        };
        match (first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => same_start(
                first.to_bits().into(),
                address.to_bits().into(),
                128 - 32 + prefix,
            ),
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                same_start(first.to_bits(), address.to_bits(), *prefix)
            }
            _ => false,
        }
    }
}

/// Tells whether the first `count` of 128 bits are the same.
fn same_start(one: u128, other: u128, count: u8) -> bool {
    (one ^ other).leading_zeros() >= u32::from(count)
}

impl FromStr for Allowed {
    type Err = NotAnEntry;

    fn from_str(text: &str) -> Result<Self, NotAnEntry> {
        if let Some((address, prefix)) = text.split_once('/') {
            let address: IpAddr = address.parse().map_err(|_| NotAnEntry)?;
            let prefix = prefix.parse().map_err(|_| NotAnEntry)?;
            let bits = if address.is_ipv4() { 32 } else { 128 };
            return if prefix <= bits {
                Ok(Self::Network { address, prefix })
            } else {
                Err(NotAnEntry)
            };
        }
        let bare_v6 = text.parse().is_ok_and(|address: IpAddr| address.is_ipv6());
        let authority = if bare_v6 {
            format!("[{text}]")
        } else {
            text.to_owned()
        };
        let url = Url::parse(&format!("http://{authority}/")).map_err(|_| NotAnEntry)?;
        let port = authority
            .rsplit_once(':')
            .and_then(|(_, port)| port.parse().ok());
        let plain = url.username().is_empty() && url.password().is_none() && url.path() == "/";
        match url.host_str() {
            Some(host) if plain && !text.contains(['/', '?', '#', '@', ' ']) => Ok(Self::Host {
                host: host.to_owned(),
                port,
            }),
            _ => Err(NotAnEntry),
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host { host, port: None } => formatter.write_str(host),
            Self::Host {
                host,
                port: Some(port),
            } => write!(formatter, "{host}:{port}"),
            Self::Network { address, prefix } => write!(formatter, "{address}/{prefix}"),
        }
    }
}

fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// Tells whether a name has no place in the public name system: a single word, or below a reserved top.
fn is_inner_name(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    let below = |suffix: &&str| {
        name.strip_suffix(*suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || INNER_SUFFIXES.iter().any(below)
}

#[cfg(test)]
mod tests;
