//! Guarded HTTP clients: the one place where the gateway builds any, so that no request leaves without
//! the address rules and connection settings below.

mod address;
mod resolver;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Certificate, Client, ClientBuilder, redirect, retry};

pub use self::address::{RefusedAddress, check, shown};
pub(crate) use self::resolver::{Lookup, system};

use self::resolver::GuardedResolver;

const USER_AGENT: &str = concat!("a2a-gateway/", env!("CARGO_PKG_VERSION"));

/// Idle connections are closed before common servers do it: uvicorn and Node.js hang up after 5 s, and a
/// request written at that moment would be lost without a way to know whether it arrived.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// The HTTP clients of the gateway, one per connect timeout and kind of connection, built when first needed. Clones share them.
///
/// They verify TLS, use no proxy, keep no cookies, follow no redirect, send nothing twice and connect to no
/// link-local address.
#[derive(Clone)]
pub struct Clients(Arc<Shared>);

struct Shared {
    lookup: Lookup,
    roots: Option<Vec<Certificate>>,
    built: Mutex<HashMap<(Duration, Speech), Client>>,
}

/// How a connection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Speech {
    /// HTTP/1.1, or HTTP/2 where TLS settles on it.
    Negotiated,
    /// HTTP/2, with and without TLS.
    Http2,
}

impl Clients {
    /// Creates clients that trust the system's certificate authorities and its resolver.
    #[must_use]
    pub fn new() -> Self {
        Self::with(system(), None)
    }

    /// Creates clients with other name look-ups, and other certificate authorities if given.
    pub(crate) fn with(lookup: Lookup, roots: Option<Vec<Certificate>>) -> Self {
        Self(Arc::new(Shared {
            lookup,
            roots,
            built: Mutex::default(),
        }))
    }

    /// Returns the client that gives up connecting after `connect`, name look-up and TLS included.
    ///
    /// # Errors
    /// [`ClientError`] when TLS cannot be set up on this machine.
    pub fn client(&self, connect: Duration) -> Result<Client, ClientError> {
        self.speaking(Speech::Negotiated, connect)
    }

    /// Returns a client like [`Clients::client`] that speaks nothing but HTTP/2, as gRPC demands.
    pub(crate) fn http2(&self, connect: Duration) -> Result<Client, ClientError> {
        self.speaking(Speech::Http2, connect)
    }

    fn speaking(&self, speech: Speech, connect: Duration) -> Result<Client, ClientError> {
        let mut built = self.0.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = built.get(&(connect, speech)) {
            return Ok(client.clone());
        }
        let client = self.build(speech, connect)?;
        built.insert((connect, speech), client.clone());
        Ok(client)
    }

    fn build(&self, speech: Speech, connect: Duration) -> Result<Client, ClientError> {
        let settings = || match speech {
            Speech::Negotiated => self.settings(connect),
            Speech::Http2 => self.settings(connect).http2_prior_knowledge(),
        };
        if let Some(roots) = &self.0.roots {
            return Ok(settings().tls_certs_only(roots.clone()).build()?);
        }
        settings().build().or_else(|error| {
            // A small container image has no certificate authorities, yet may have agents on plain HTTP.
            tracing::warn!(%error, "no usable certificate authorities on this system: agents with https addresses will fail");
            Ok(settings().tls_certs_only([]).build()?)
        })
    }

    fn settings(&self, connect: Duration) -> ClientBuilder {
        Client::builder()
            .user_agent(USER_AGENT)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .gzip(true)
            .tcp_nodelay(true)
            .connect_timeout(connect)
            .pool_idle_timeout(POOL_IDLE)
            .dns_resolver(GuardedResolver(self.0.lookup.clone()))
    }
}

impl Default for Clients {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Clients").finish_non_exhaustive()
    }
}

/// Reports that TLS cannot be set up on this machine.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client of the gateway cannot be set up")]
pub struct ClientError(#[from] reqwest::Error);
