//! Served cards: the federated one, one for each agent, and the list of them, with the gateway's addresses.

mod ai_catalog;
mod contents;
mod extended;
mod interfaces;
mod keys;
mod rendered;

use std::sync::Arc;

use agent_cards::publish::ServedShape;
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
use contents::Offer;
pub(crate) use extended::Extended;
#[cfg(test)]
pub(crate) use extended::tests::cards as extended_cards;
pub(crate) use keys::key_set;
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
    let (agent, accepted) = match accepted(&state, &agent) {
        Ok(found) => found,
        Err(refused) => return *refused,
    };
    if agent.spec.card.serve == ServeCard::Verbatim {
        return verbatim(&state, &headers, (&agent, &accepted), base);
    }
    let shape = ServedShape::for_version(negotiate::card_version(&uri, &headers).as_deref());
    let key = Key {
        document: Document::OfAgent(agent.spec.id.clone(), shape),
        version: accepted.received.fingerprint().to_owned(),
        base,
    };
    serve(&state, &headers, key, |offer| {
        contents::of_agent(&agent.spec, &accepted, offer)
    })
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
        Ok((agent, accepted)) => verbatim(&state, &headers, (&agent, &accepted), base),
        Err(refused) => *refused,
    }
}

fn verbatim(
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
    let bytes = || Bytes::copy_from_slice(accepted.received.raw());
    let rendered = state.cards.get(key, bytes);
    rendered.respond(&state.settings, headers)
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
    let document = key.document.clone();
    let rendered = state.cards.get(key, || {
        let offer = Offer {
            base: base.as_str(),
            shape: document.shape(),
            relays_push: state.gateway.push.is_available(),
        };
        let rendered = render(offer);
        let signed = match document {
            Document::Federated(_) | Document::OfAgent(..) => {
                keys::signed(state, base.as_str(), rendered)
            }
            Document::Original(_) | Document::AiCatalog => rendered,
        };
        Bytes::from(signed.to_string())
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
