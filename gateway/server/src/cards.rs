//! Served cards: the federated one and one for each agent, with the gateway's addresses.

use std::{sync::Arc, time::Duration};

use agent_cards::{
    Card, Extension, InterfaceBinding, ProtocolVersion,
    publish::{self, Federation, Offer, Publish, PublishedInterface, ServedShape, SkillLimits},
};
use axum::{
    extract::{OriginalUri, Path, State as Shared},
    http::{
        HeaderMap, HeaderValue, StatusCode, Uri,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER, VARY},
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use gateway_core::{
    AgentId, Catalog,
    catalog::{AcceptedCard, CatalogAgent},
    digest,
    route::ROUTING_EXTENSION,
};
use gateway_protocol::Version;
use moka::sync::Cache;
use serde_json::{Value, json};

use crate::{State, base::public_base, negotiate};

/// How long clients may keep a served card.
const MAX_AGE: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// Rendered cards kept at the same time.
const CAPACITY: u64 = 4096;
/// A rendered card nobody asks for is dropped after this time.
const IDLE: Duration = Duration::from_secs(600);

/// Rendered cards, by everything they depend on.
#[derive(Debug, Clone)]
pub(crate) struct ServedCards(Cache<Key, Arc<Rendered>>);

impl Default for ServedCards {
    fn default() -> Self {
        Self(
            Cache::builder()
                .max_capacity(CAPACITY)
                .time_to_idle(IDLE)
                .build(),
        )
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    catalog: String,
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
    serve(
        &state,
        (&uri, &headers),
        catalog.version(),
        None,
        |base, shape| federated_card(&catalog, base, shape),
    )
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
        |base, shape| agent_card(&agent, &accepted, base, shape),
    )
}

fn serve(
    state: &State,
    request: (&Uri, &HeaderMap),
    version: &str,
    agent: Option<AgentId>,
    render: impl FnOnce(&str, ServedShape) -> Value,
) -> Response {
    let (uri, headers) = request;
    let shape = ServedShape::for_version(negotiate::card_version(uri, headers).as_deref());
    let base = public_base(state.settings.public_url.as_ref(), uri, headers);
    let key = Key {
        catalog: version.to_owned(),
        agent,
        v1_shape: shape == ServedShape::V1,
        base,
    };
    let rendered = state.cards.0.get(&key).unwrap_or_else(|| {
        let body = Bytes::from(render(&key.base, shape).to_string());
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

fn agent_card(
    agent: &CatalogAgent,
    accepted: &AcceptedCard,
    base: &str,
    shape: ServedShape,
) -> Value {
    let url = format!("{base}/agents/{}", agent.spec.id);
    let options = Publish {
        interfaces: interfaces(&url, &accepted.versions()),
        streaming: accepted.card.capabilities().streaming,
        ..offer(shape)
    };
    publish::agent(&accepted.card, &options)
}

fn federated_card(catalog: &Catalog, base: &str, shape: ServedShape) -> Value {
    let cards: Vec<(&AgentId, &AcceptedCard)> = catalog
        .agents()
        .iter()
        .filter_map(|agent| Some((&agent.spec.id, agent.status.accepted.as_deref()?)))
        .collect();
    let mut versions: Vec<_> = cards
        .iter()
        .flat_map(|(_, accepted)| accepted.versions())
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let options = Publish {
        interfaces: interfaces(&format!("{base}/a2a"), &versions),
        streaming: cards
            .iter()
            .any(|(_, accepted)| accepted.card.capabilities().streaming),
        extensions: vec![Extension {
            uri: ROUTING_EXTENSION.to_owned(),
            description: Some(
                "hints in metadata about which agent or skill a message is for".to_owned(),
            ),
            required: false,
        }],
        ..offer(shape)
    };
    let offers = cards
        .iter()
        .flat_map(|(id, accepted)| offers(id, &accepted.card));
    publish::federated(&federation(cards.len()), offers, &options).card
}

fn offers<'a>(agent: &'a AgentId, card: &'a Card) -> impl Iterator<Item = Offer<'a>> {
    card.skills().iter().map(move |skill| Offer {
        agent: agent.as_str(),
        card,
        skill,
    })
}

fn federation(agents: usize) -> Federation {
    Federation {
        name: "A2A federation gateway".to_owned(),
        description: format!(
            "Routes each message to the best of {agents} agents and keeps the task with it."
        ),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        provider: None,
        documentation_url: None,
        limits: SkillLimits::default(),
    }
}

/// What holds for every served card: no webhooks and no extended card yet.
fn offer(shape: ServedShape) -> Publish {
    Publish {
        interfaces: Vec::new(),
        shape,
        streaming: false,
        push_notifications: false,
        extended_card: false,
        extensions: Vec::new(),
    }
}

/// Lists one address for each version, newest first.
fn interfaces(url: &str, versions: &[Version]) -> Vec<PublishedInterface> {
    let interface = |version: &Version| PublishedInterface {
        url: url.to_owned(),
        binding: InterfaceBinding::JsonRpc,
        version: match version {
            Version::V03 => ProtocolVersion::V0_3,
            Version::V1 => ProtocolVersion::V1_0,
        },
    };
    versions.iter().rev().map(interface).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
