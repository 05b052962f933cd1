//! Served cards: the federated one, one for each agent, and the list of them, with the gateway's addresses.

mod ai_catalog;
mod contents;
mod extended;
mod interfaces;
mod rendered;

use agent_cards::publish::ServedShape;
use axum::{
    Extension,
    extract::{OriginalUri, Path, State as Shared},
    http::{HeaderMap, HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse as _, Response},
};
use gateway_core::{AgentId, Catalog};
use serde_json::{Value, json};

use crate::{State, base::PublicBase, negotiate};
use contents::Offer;
pub(crate) use extended::Extended;
#[cfg(test)]
pub(crate) use extended::tests::cards as extended_cards;
pub(crate) use rendered::ServedCards;
use rendered::{Document, Key};

/// Serves the federated card.
pub(crate) async fn federated(
    Shared(state): Shared<State>,
    Extension(base): Extension<PublicBase>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let catalog = state.gateway.registry.catalog();
    let shape = ServedShape::for_version(negotiate::card_version(&uri, &headers).as_deref());
    let key = Key {
        document: Document::Federated(shape),
        version: catalog.digest().to_owned(),
        base,
    };
    serve(&state, &headers, key, |offer| {
        contents::federated(&catalog, offer)
    })
}

/// Serves the card of one agent.
pub(crate) async fn of_agent(
    Shared(state): Shared<State>,
    Path(agent): Path<String>,
    Extension(base): Extension<PublicBase>,
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
    let shape = ServedShape::for_version(negotiate::card_version(&uri, &headers).as_deref());
    let key = Key {
        document: Document::OfAgent(agent.spec.id.clone(), shape),
        version: accepted.card.fingerprint().to_owned(),
        base,
    };
    serve(&state, &headers, key, |offer| {
        contents::of_agent(&agent.spec.id, &accepted.card, offer)
    })
}

/// Serves the list of all agents' cards.
pub(crate) async fn ai_catalog(
    Shared(state): Shared<State>,
    Extension(base): Extension<PublicBase>,
    headers: HeaderMap,
) -> Response {
    let catalog: &Catalog = &state.gateway.registry.catalog();
    let key = Key {
        document: Document::AiCatalog,
        version: catalog.digest().to_owned(),
        base,
    };
    serve(&state, &headers, key, |offer| {
        ai_catalog::list(catalog, offer.base)
    })
}

fn serve(
    state: &State,
    headers: &HeaderMap,
    key: Key,
    render: impl FnOnce(Offer<'_>) -> Value,
) -> Response {
    let base = key.base.clone();
    let shape = key.document.shape();
    let rendered = state.cards.get(key, || {
        let offer = Offer {
            base: base.as_str(),
            shape,
            relays_push: state.gateway.push.is_available(),
        };
        render(offer).to_string()
    });
    rendered.respond(&state.settings, headers)
}

fn problem(status: StatusCode, text: &str) -> Response {
    (
        status,
        axum::Json(json!({ "error": { "code": status.as_u16(), "message": text } })),
    )
        .into_response()
}
