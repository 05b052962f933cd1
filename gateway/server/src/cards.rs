//! Served cards: the federated one, one for each agent, and the list of them, with the gateway's addresses.

mod ai_catalog;
mod aside;
mod contents;
mod extended;
mod interfaces;
mod keys;
mod listing;
mod rendered;

use std::sync::Arc;

use agent_cards::{Card, ProtocolVersion, Shape, publish::ServedShape};
use axum::{
    Extension,
    extract::{OriginalUri, Path, State as Shared},
    http::{HeaderMap, HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use gateway_core::{
    AgentId, AgentState, Catalog, ServeCard,
    catalog::{AcceptedCard, CatalogAgent},
};
use serde_json::{Value, json};

use crate::{State, base::PublicBase, negotiate};
use aside::aside;
use contents::Offer;
pub(crate) use extended::Extended;
#[cfg(test)]
pub(crate) use extended::tests::cards as extended_cards;
pub(crate) use keys::key_set;
pub(crate) use listing::Listing;
pub(crate) use rendered::ServedCards;
use rendered::{Document, Key, Rendered};

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
    let last = Arc::clone(&state.cards.listing);
    serve(&state, &headers, key, move |offer| {
        let federated = contents::federated(&catalog, offer);
        last.note(catalog.digest(), Listing::of(&federated));
        federated.card
    })
    .await
}

/// Returns what the federated card of a catalog lists; `None` if it could not be written.
pub(crate) async fn listing(state: &State, catalog: &Arc<Catalog>) -> Option<Listing> {
    let last = Arc::clone(&state.cards.listing);
    if let Some(known) = last.of(catalog.digest()) {
        return Some(known);
    }
    let catalog = Arc::clone(catalog);
    aside(move || {
        // Which skills have a place depends on nothing that a reader says.
        let offer = Offer {
            base: "",
            shape: ServedShape::V1,
            relays_push: false,
        };
        let listing = Listing::of(&contents::federated(&catalog, offer));
        last.note(catalog.digest(), listing);
        listing
    })
    .await
}

/// Serves the card of one agent.
pub(crate) async fn of_agent(
    Shared(state): Shared<State>,
    Path(agent): Path<String>,
    Extension(base): Extension<PublicBase>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let (agent, accepted) = match accepted(&state, &agent) {
        Ok(found) => found,
        Err(refused) => return *refused,
    };
    let version = negotiate::card_version(&uri, &headers);
    if agent.spec.card.serve == ServeCard::Verbatim
        && is_readable(&accepted.received, version.as_deref())
    {
        return verbatim(&state, &headers, (&agent, &accepted), base).await;
    }
    let shape = ServedShape::for_version(version.as_deref());
    let key = Key {
        document: Document::OfAgent(agent.spec.id.clone(), shape),
        version: accepted.received.fingerprint().to_owned(),
        base,
    };
    serve(&state, &headers, key, move |offer| {
        contents::of_agent(&agent.spec, &accepted, offer)
    })
    .await
}

/// Serves the card of one agent as the agent wrote it, where the operator shows it.
pub(crate) async fn original(
    Shared(state): Shared<State>,
    Path(agent): Path<String>,
    Extension(base): Extension<PublicBase>,
    headers: HeaderMap,
) -> Response {
    match accepted(&state, &agent) {
        Ok((agent, _)) if agent.spec.card.serve == ServeCard::Rewritten => problem(
            StatusCode::NOT_FOUND,
            "the card of this agent is served with the gateway's addresses only",
        ),
        Ok((agent, accepted)) => verbatim(&state, &headers, (&agent, &accepted), base).await,
        Err(refused) => *refused,
    }
}

/// Tells whether a card is in the form of the version that its reader names. One that names none gets the card as it is.
fn is_readable(card: &Card, version: Option<&str>) -> bool {
    match (
        card.shape(),
        version.and_then(|version| version.parse::<ProtocolVersion>().ok()),
    ) {
        (Shape::V1, Some(version)) => !version.is_legacy(),
        (Shape::V03, Some(version)) => version.is_legacy(),
        (Shape::Hybrid, _) | (_, None) => true,
    }
}

async fn verbatim(
    state: &State,
    headers: &HeaderMap,
    (agent, accepted): (&CatalogAgent, &AcceptedCard),
    base: PublicBase,
) -> Response {
    let key = Key {
        document: Document::Original(agent.spec.id.clone()),
        version: accepted.received.fingerprint().to_owned(),
        base,
    };
    let received = accepted.received.clone();
    let bytes = move || Bytes::copy_from_slice(received.raw());
    respond(state, headers, state.cards.get(key, bytes).await)
}

/// Finds an agent and the card it is used with.
fn accepted(
    state: &State,
    agent: &str,
) -> Result<(Arc<CatalogAgent>, Arc<AcceptedCard>), Box<Response>> {
    let catalog = state.gateway.registry.catalog();
    let agent = AgentId::parse(agent)
        .ok()
        .and_then(|id| catalog.agent(&id).cloned())
        .ok_or_else(|| {
            Box::new(problem(
                StatusCode::NOT_FOUND,
                "there is no such agent here",
            ))
        })?;
    if let Some(accepted) = agent.status.accepted.clone() {
        return Ok((agent, accepted));
    }
    let text = match (agent.status.state, agent.status.problem.as_deref()) {
        (AgentState::Quarantined, _) => "the card of this agent has not been accepted yet",
        (_, Some(problem)) => problem,
        (_, None) => "the card has not been fetched yet",
    };
    let mut response = problem(StatusCode::SERVICE_UNAVAILABLE, text);
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    Err(Box::new(response))
}

/// Serves the list of all agents' cards.
pub(crate) async fn ai_catalog(
    Shared(state): Shared<State>,
    Extension(base): Extension<PublicBase>,
    headers: HeaderMap,
) -> Response {
    let catalog: Arc<Catalog> = state.gateway.registry.catalog();
    let key = Key {
        document: Document::AiCatalog,
        version: catalog.digest().to_owned(),
        base,
    };
    serve(&state, &headers, key, move |offer| {
        ai_catalog::list(&catalog, offer.base)
    })
    .await
}

async fn serve(
    state: &State,
    headers: &HeaderMap,
    key: Key,
    render: impl FnOnce(Offer<'_>) -> Value + Send + 'static,
) -> Response {
    let (base, document, about) = (key.base.clone(), key.document.clone(), state.clone());
    let written = move || {
        let offer = Offer {
            base: base.as_str(),
            shape: document.shape(),
            relays_push: about.gateway.push.is_available(),
        };
        let rendered = render(offer);
        let signed = match document {
            Document::Federated(_) | Document::OfAgent(..) => {
                keys::signed(&about, base.as_str(), rendered)
            }
            Document::Original(_) | Document::AiCatalog | Document::KeySet => rendered,
        };
        Bytes::from(signed.to_string())
    };
    respond(state, headers, state.cards.get(key, written).await)
}

fn respond(state: &State, headers: &HeaderMap, rendered: Option<Arc<Rendered>>) -> Response {
    match rendered {
        Some(rendered) => rendered.respond(&state.settings, headers),
        None => problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the card could not be written",
        ),
    }
}

fn problem(status: StatusCode, text: &str) -> Response {
    (
        status,
        axum::Json(json!({ "error": { "code": status.as_u16(), "message": text } })),
    )
        .into_response()
}
