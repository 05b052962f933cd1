//! One request for a card at one place.

use std::error::Error as _;

use agent_cards::Card;
use bytes::BytesMut;
use gateway_core::agent::AgentSpec;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::{Client, Response};
use url::Url;

use super::outcome::Outcome;
use crate::{
    agents::add_credential,
    failure::Failure,
    guard,
    read::{self, ReadError},
};

const A2A_VERSION: HeaderName = HeaderName::from_static("a2a-version");
const MAX_REDIRECTS: usize = 3;

/// What a place gave.
#[derive(Debug)]
pub(super) enum Found {
    /// A card, with the headers it came with.
    Card(Card, HeaderMap),
    /// The news that the kept card still holds, with headers that renew it.
    Unchanged(HeaderMap),
}

/// Asks one place for the card; `conditions` make the request conditional.
pub(super) async fn visit(
    client: &Client,
    agent: &AgentSpec,
    place: &Url,
    conditions: Option<HeaderMap>,
) -> Result<Found, Outcome> {
    let is_conditional = conditions
        .as_ref()
        .is_some_and(|headers| !headers.is_empty());
    let mut headers = conditions.unwrap_or_default();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(A2A_VERSION, HeaderValue::from_static("1.0"));
    if place.origin() == agent.url.origin() {
        add_credential(&mut headers, &agent.auth).map_err(Outcome::Credential)?;
    }
    let mut response = get(client, place, &headers).await?;
    match response.status() {
        StatusCode::OK => {
            let body = read::capped(&mut response, BytesMut::new(), agent.card.max_bytes).await;
            let body = body.map_err(|error| unreadable(error, agent, place))?;
            let card = Card::parse(&body).map_err(Outcome::NotACard)?;
            Ok(Found::Card(card, response.headers().clone()))
        }
        StatusCode::NOT_MODIFIED if is_conditional => {
            Ok(Found::Unchanged(response.headers().clone()))
        }
        status => Err(Outcome::Status(status.as_u16())),
    }
}

/// Gets a place, following redirects within its origin.
async fn get(client: &Client, place: &Url, headers: &HeaderMap) -> Result<Response, Outcome> {
    let mut url = place.clone();
    for _ in 0..=MAX_REDIRECTS {
        guard::check(&url).map_err(|refused| Outcome::Failed(refused.into()))?;
        let sent = client
            .get(url.clone())
            .headers(headers.clone())
            .send()
            .await;
        let response = sent.map_err(|error| failed(&url, &error))?;
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(response);
        }
        url = redirect_target(&url, &response)?;
    }
    Err(Outcome::TooManyRedirects)
}

fn redirect_target(from: &Url, response: &Response) -> Result<Url, Outcome> {
    let location = response
        .headers()
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let target = location.and_then(|location| from.join(location).ok());
    let target = target.ok_or(Outcome::RedirectNowhere)?;
    if target.origin() != from.origin() {
        return Err(Outcome::RedirectElsewhere);
    }
    Ok(target)
}

fn failed(url: &Url, error: &reqwest::Error) -> Outcome {
    let failure = Failure::of(error);
    tracing::debug!(url = %guard::shown(url), source = ?error.source(), ?failure, "request for a card failed");
    Outcome::Failed(failure)
}

fn unreadable(error: ReadError, agent: &AgentSpec, place: &Url) -> Outcome {
    match error {
        ReadError::TooLarge => Outcome::TooLarge(agent.card.max_bytes),
        ReadError::Failed(error) => failed(place, &error),
    }
}
