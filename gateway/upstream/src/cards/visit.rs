//! One request for a card at one place.

use std::{
    error::Error as _,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use agent_cards::Card;
use bytes::BytesMut;
use gateway_core::agent::{AgentAuth, AgentSpec};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Client, Response};
use url::Url;

use super::{aside::aside, outcome::Outcome};
use crate::{
    agents::{add_credential, retry_after},
    failure::Failure,
    guard::{self, RefusedAddress},
    read::{self, ReadError},
};

const A2A_VERSION: HeaderName = HeaderName::from_static("a2a-version");
const MAX_REDIRECTS: usize = 3;
/// How much of an answer is read to find out what is wrong.
const MAX_REFUSAL: usize = 4096;
/// What nginx, Go and Apache say to plain HTTP on their TLS ports.
const WANTS_TLS: [&str; 3] = [
    "request was sent to https port",
    "http request to an https server",
    "speaking plain http to an ssl-enabled",
];

/// What a place gave.
#[derive(Debug)]
pub(super) enum Found {
    /// A card, with the headers it came with.
    Card(Card, HeaderMap),
    /// The news that the kept card still holds, with headers that renew it.
    Unchanged(HeaderMap),
}

/// Asks one place for the card; `conditions` make the request conditional. `begun` is set once an answer begins.
pub(super) async fn visit(
    client: &Client,
    agent: &AgentSpec,
    place: &Url,
    conditions: Option<HeaderMap>,
    begun: &AtomicBool,
) -> Result<Found, Outcome> {
    let is_conditional = conditions
        .as_ref()
        .is_some_and(|headers| !headers.is_empty());
    let mut headers = conditions.unwrap_or_default();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(A2A_VERSION, HeaderValue::from_static("1.0"));
    add_credential(&mut headers, credential(agent, place)).map_err(Outcome::Credential)?;
    let mut response = get(client, place, &headers).await?;
    begun.store(true, Ordering::Relaxed);
    match response.status() {
        StatusCode::OK => {
            if let Some(encoding) = unread_encoding(response.headers()) {
                return Err(Outcome::Encoded(encoding));
            }
            let body = read::capped(&mut response, BytesMut::new(), agent.card.max_bytes).await;
            let body = body.map_err(|error| unreadable(error, agent, place))?;
            let headers = response.headers().clone();
            let card = aside(move || Card::parse(&body)).await?;
            Ok(Found::Card(card.map_err(Outcome::NotACard)?, headers))
        }
        StatusCode::NOT_MODIFIED if is_conditional => {
            Ok(Found::Unchanged(response.headers().clone()))
        }
        StatusCode::BAD_REQUEST if expects_tls(&mut response, place).await => {
            Err(Outcome::ExpectsTls)
        }
        status => Err(refusal(status.as_u16(), response.headers())),
    }
}

/// Returns how a body is still encoded: what was asked for, gzip, has been taken off by now with the header that names it.
fn unread_encoding(headers: &HeaderMap) -> Option<String> {
    const LONGEST: usize = 40;
    let named = headers.get(header::CONTENT_ENCODING)?;
    let named = String::from_utf8_lossy(named.as_bytes());
    let named = named.trim();
    let is_plain = named.is_empty() || named.eq_ignore_ascii_case("identity");
    let letters = named.chars().take(LONGEST).flat_map(char::escape_debug);
    (!is_plain).then(|| letters.collect())
}

/// The credential for the card goes wherever the operator says the card is, the agent's own to the agent only.
fn credential<'a>(agent: &'a AgentSpec, place: &Url) -> &'a AgentAuth {
    match &agent.card.auth {
        AgentAuth::None if place.origin() == agent.url.origin() => &agent.auth,
        card => card,
    }
}

fn refusal(status: u16, headers: &HeaderMap) -> Outcome {
    match retry_after(headers) {
        Some(seconds) if matches!(status, 429 | 503) => {
            Outcome::AsksForPause(status, Duration::from_secs(seconds))
        }
        _ => Outcome::Status(status),
    }
}

/// Tells whether a server says in its answer to plain HTTP that it wants https, as many do.
async fn expects_tls(response: &mut Response, place: &Url) -> bool {
    if place.scheme() != "http" {
        return false;
    }
    let body = read::capped(response, BytesMut::new(), MAX_REFUSAL).await;
    let text = String::from_utf8_lossy(&body.unwrap_or_default()).to_ascii_lowercase();
    WANTS_TLS.iter().any(|words| text.contains(words))
}

/// Gets a place, following redirects within its origin.
async fn get(client: &Client, place: &Url, headers: &HeaderMap) -> Result<Response, Outcome> {
    let mut url = place.clone();
    let mut seen = Vec::new();
    while seen.len() <= MAX_REDIRECTS {
        guard::check(&url).map_err(|refused| Outcome::Failed(refused.into()))?;
        let sent = client
            .get(url.clone())
            .headers(headers.clone())
            .send()
            .await;
        let response = match sent {
            Ok(response) => response,
            Err(error) => return Err(unanswered(client, &url, &error).await),
        };
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(response);
        }
        let target = redirect_target(&url, &response)?;
        seen.push(url);
        if seen.contains(&target) {
            return Err(Outcome::RedirectLoop);
        }
        url = target;
    }
    Err(Outcome::TooManyRedirects)
}

fn redirect_target(from: &Url, response: &Response) -> Result<Url, Outcome> {
    let location = response
        .headers()
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let target = location.and_then(|location| from.join(location).ok());
    let mut target = target.ok_or(Outcome::RedirectNowhere)?;
    if guard::check(&target) == Err(RefusedAddress::LinkLocal) {
        return Err(Outcome::RedirectLinkLocal);
    }
    if target.origin() != from.origin() {
        return Err(Outcome::RedirectElsewhere);
    }
    // Both only fail for addresses that cannot have user info, which then have none to keep.
    let _ = target.set_username(from.username());
    let _ = target.set_password(from.password());
    Ok(target)
}

/// Tells a port that expects TLS, which plain HTTP gets no or garbled words from, from one that is broken.
async fn unanswered(client: &Client, url: &Url, error: &reqwest::Error) -> Outcome {
    let outcome = failed(url, error);
    let garbled = matches!(
        outcome,
        Outcome::Failed(Failure::NotHttp | Failure::Incomplete)
    );
    if garbled && url.scheme() == "http" && speaks_tls(client, url).await {
        return Outcome::ExpectsTls;
    }
    outcome
}

/// Begins a TLS connection to the port of an address. Nothing of the address but host and port is sent.
async fn speaks_tls(client: &Client, url: &Url) -> bool {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return false;
    };
    match client.head(format!("https://{host}:{port}/")).send().await {
        Ok(_) => true,
        Err(error) => matches!(Failure::of(&error), Failure::Tls(cause) if cause.is_from_tls()),
    }
}

fn failed(url: &Url, error: &reqwest::Error) -> Outcome {
    let failure = Failure::of(error);
    tracing::debug!(url = %guard::shown(url), source = ?error.source(), ?failure, "request for a card failed");
    Outcome::Failed(failure)
}

fn unreadable(error: ReadError, agent: &AgentSpec, place: &Url) -> Outcome {
    match error {
        ReadError::TooLarge => Outcome::TooLarge(agent.card.max_bytes),
        ReadError::Failed(error) => match failed(place, &error) {
            Outcome::Failed(Failure::Incomplete) => Outcome::CutOff,
            outcome => outcome,
        },
    }
}
