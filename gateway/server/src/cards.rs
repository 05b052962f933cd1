//! Served cards: the federated one and one for each agent, with the gateway's addresses.

mod contents;
mod extended;
mod interfaces;

use std::{sync::Arc, time::Duration};

use agent_cards::publish::ServedShape;
use axum::{
    extract::{OriginalUri, Path, State as Shared},
    http::{
        HeaderMap, HeaderValue, StatusCode, Uri,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER, VARY},
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use gateway_core::{AgentId, digest};
use moka::sync::Cache;
use serde_json::{Value, json};

use crate::{State, base::public_base, negotiate};
use contents::Offer;
pub(crate) use extended::Extended;
#[cfg(test)]
pub(crate) use extended::tests::cards as extended_cards;

/// How long clients may keep a served card.
const MAX_AGE: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// Bytes of rendered cards and their keys kept at the same time. The key holds the host the caller names, so
/// callers can make as many entries as they like; counting entries would not bound the memory.
const CAPACITY: u64 = 64 * 1024 * 1024;
/// A rendered card nobody asks for is dropped after this time.
const IDLE: Duration = Duration::from_secs(600);

/// Rendered cards, by everything they depend on.
#[derive(Debug, Clone)]
pub(crate) struct ServedCards(Cache<Key, Arc<Rendered>>);

impl Default for ServedCards {
    fn default() -> Self {
        Self::holding(CAPACITY)
    }
}

impl ServedCards {
    /// Keeps up to so many bytes.
    fn holding(bytes: u64) -> Self {
        Self(
            Cache::builder()
                .max_capacity(bytes)
                .weigher(weight)
                .time_to_idle(IDLE)
                .build(),
        )
    }
}

fn weight(key: &Key, rendered: &Arc<Rendered>) -> u32 {
    let agent = key.agent.as_ref().map_or(0, |agent| agent.as_str().len());
    let texts = key.version.len() + key.base.len() + agent;
    let bytes = size_of::<Key>() + size_of::<Rendered>() + texts;
    u32::try_from(bytes + rendered.etag.len() + rendered.body.len()).unwrap_or(u32::MAX)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    /// Of the catalog for the federated card, else the fingerprint of the agent's card.
    version: String,
    agent: Option<AgentId>,
    v1_shape: bool,
    base: String,
}

#[derive(Debug)]
struct Rendered {
    body: Bytes,
    etag: String,
}

/// Serves the federated card.
pub(crate) async fn federated(
    Shared(state): Shared<State>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let catalog = state.gateway.registry.catalog();
    serve(&state, (&uri, &headers), catalog.digest(), None, |offer| {
        contents::federated(&catalog, offer)
    })
}

/// Serves the card of one agent.
pub(crate) async fn of_agent(
    Shared(state): Shared<State>,
    Path(agent): Path<String>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let catalog = state.gateway.registry.catalog();
    let found = AgentId::parse(&agent)
        .ok()
        .and_then(|id| catalog.agent(&id).cloned());
    let Some(agent) = found else {
        return problem(StatusCode::NOT_FOUND, "there is no such agent here");
    };
    let Some(accepted) = agent.status.accepted.clone() else {
        let text = agent
            .status
            .problem
            .as_deref()
            .unwrap_or("the card has not been fetched yet");
        let mut response = problem(StatusCode::SERVICE_UNAVAILABLE, text);
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("1"));
        return response;
    };
    let version = accepted.card.fingerprint();
    serve(
        &state,
        (&uri, &headers),
        version,
        Some(agent.spec.id.clone()),
        |offer| contents::of_agent(&agent.spec.id, &accepted.card, offer),
    )
}

fn serve(
    state: &State,
    request: (&Uri, &HeaderMap),
    version: &str,
    agent: Option<AgentId>,
    render: impl FnOnce(Offer<'_>) -> Value,
) -> Response {
    let (uri, headers) = request;
    let shape = ServedShape::for_version(negotiate::card_version(uri, headers).as_deref());
    let base = public_base(state.settings.public_url.as_ref(), uri, headers);
    let key = Key {
        version: version.to_owned(),
        agent,
        v1_shape: shape == ServedShape::V1,
        base,
    };
    let rendered = state.cards.0.get(&key).unwrap_or_else(|| {
        let offer = Offer {
            base: &key.base,
            shape,
            relays_push: state.gateway.push.is_available(),
        };
        let body = Bytes::from(render(offer).to_string());
        let etag = format!(
            "\"{}\"",
            digest::sha256(&body).trim_start_matches("sha256:")
        );
        let rendered = Arc::new(Rendered { body, etag });
        state.cards.0.insert(key, Arc::clone(&rendered));
        rendered
    });
    respond(&rendered, headers)
}

fn respond(rendered: &Rendered, headers: &HeaderMap) -> Response {
    let validators = [
        (
            ETAG,
            HeaderValue::from_str(&rendered.etag).unwrap_or(HeaderValue::from_static("\"\"")),
        ),
        (CACHE_CONTROL, MAX_AGE),
        (VARY, HeaderValue::from_static("A2A-Version, Authorization")),
    ];
    if matches(headers, &rendered.etag) {
        return (StatusCode::NOT_MODIFIED, validators).into_response();
    }
    let content_type = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (validators, content_type, rendered.body.clone()).into_response()
}

/// Compares as for GET: lists, weak tags and `*` count (RFC 9110 §13.1.2).
fn matches(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

fn problem(status: StatusCode, text: &str) -> Response {
    (
        status,
        axum::Json(json!({ "error": { "code": status.as_u16(), "message": text } })),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_callers_make_up_do_not_fill_the_memory() {
        const LIMIT: u64 = 64 * 1024;
        let cards = ServedCards::holding(LIMIT);
        for number in 0..1000 {
            let key = Key {
                version: "sha256:0".to_owned(),
                agent: None,
                v1_shape: true,
                base: format!("http://host-{number}"),
            };
            let rendered = Rendered {
                body: Bytes::from(vec![b' '; 1024]),
                etag: String::new(),
            };
            cards.0.insert(key, Arc::new(rendered));
        }
        cards.0.run_pending_tasks();
        let (kept, bytes) = (cards.0.entry_count(), cards.0.weighted_size());
        assert!((1..=64).contains(&kept) && bytes <= LIMIT, "{kept} {bytes}");
    }

    #[test]
    fn c008_lists_and_weak_tags_match() {
        let sent = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static(value));
            matches(&headers, "\"abc\"")
        };
        for hit in ["\"abc\"", "\"zzz\", W/\"abc\"", "*"] {
            assert!(sent(hit), "{hit}");
        }
        for miss in ["\"zzz\"", "abc", ""] {
            assert!(!sent(miss), "{miss}");
        }
    }
}
