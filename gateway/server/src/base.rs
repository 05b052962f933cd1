//! The address that clients see, found once for each request and never edited out of an agent's card.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State as Shared},
    http::{HeaderMap, HeaderName, Uri, header::HOST, uri::Authority},
    middleware::Next,
    response::Response,
};
use ipnet::IpNet;
use url::Url;

use crate::{Settings, State};

const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const PORT: HeaderName = HeaderName::from_static("x-forwarded-port");
const PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");

/// Headers that the address may depend on when proxies are trusted, for `Vary`.
pub(crate) const FORWARDING: &str =
    "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix";

/// Who is at the other end of the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The address under which a client reached the gateway, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PublicBase(Arc<str>);

impl PublicBase {
    /// Returns the configured address; else what a trusted proxy in front says; else `http` and the authority that
    /// the request itself names.
    fn of(settings: &Settings, uri: &Uri, headers: &HeaderMap, peer: Option<Peer>) -> Self {
        if let Some(url) = &settings.public_url {
            return Self(url.as_str().trim_end_matches('/').into());
        }
        let own = uri.authority().cloned().or_else(|| named(headers, &HOST));
        let forwarded = peer
            .filter(|peer| is_trusted(&settings.trusted_proxies, peer.0))
            .and_then(|_| forwarded(headers, own.clone()));
        let base = forwarded.or_else(|| {
            let base = format!("http://{}", own?);
            Url::parse(&base).is_ok().then_some(base)
        });
        Self(base.as_deref().unwrap_or("http://localhost").into())
    }

    /// Returns the address as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Notes the public address in a request.
pub(crate) async fn note(
    Shared(state): Shared<State>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get().copied();
    let base = PublicBase::of(&state.settings, request.uri(), request.headers(), peer);
    request.extensions_mut().insert(base);
    next.run(request).await
}

fn is_trusted(proxies: &[IpNet], peer: IpAddr) -> bool {
    let peer = peer.to_canonical();
    proxies.iter().any(|network| network.contains(&peer))
}

/// Reads what the proxy says of the address it was reached at. `None` if it makes no address.
///
/// `Forwarded` (RFC 7239) is not read: most proxies set the older headers only and let a client's own `Forwarded` pass.
fn forwarded(headers: &HeaderMap, own: Option<Authority>) -> Option<String> {
    let scheme = match last(headers, &PROTO) {
        Some(proto) if proto.eq_ignore_ascii_case("https") => "https",
        _ => "http",
    };
    let authority = named(headers, &FORWARDED_HOST).or(own)?;
    let mut url = Url::parse(&format!("{scheme}://{authority}")).ok()?;
    if authority.port().is_none() {
        let port = last(headers, &PORT).and_then(|port| port.parse().ok());
        url.set_port(port).ok()?;
    }
    if let Some(prefix) = last(headers, &PREFIX).filter(|prefix| prefix.starts_with('/')) {
        // A path that begins with two slashes, of either kind, is read as a host by whoever resolves it alone.
        url.set_path(prefix.trim_start_matches(['/', '\\']));
        let path = url.path().trim_start_matches('/').to_owned();
        url.set_path(&path);
    }
    Some(url.as_str().trim_end_matches('/').to_owned())
}

/// Returns the last entry of a list, which the proxy itself wrote: those before it may come from anywhere.
fn last<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let line = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    let entry = line.rsplit(',').next()?.trim();
    Some(entry).filter(|entry| !entry.is_empty())
}

fn named(headers: &HeaderMap, name: &HeaderName) -> Option<Authority> {
    let authority: Authority = last(headers, name)?.parse().ok()?;
    Some(authority).filter(|authority| !authority.as_str().contains('@'))
}

#[cfg(test)]
impl From<String> for PublicBase {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

#[cfg(test)]
mod tests;
