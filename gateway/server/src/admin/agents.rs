//! `/v1/agents`: each agent, its card and what was measured.

use std::error::Error as _;

use axum::{
    Json,
    extract::{Path, State as Shared, rejection::JsonRejection},
    http::StatusCode,
};
use gateway_core::{
    AgentId, NotAccepted,
    catalog::{CatalogAgent, HeldCard},
    stats::Mode,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::problem::Problem;
use crate::{State, cards};

pub(crate) async fn list(Shared(state): Shared<State>) -> Json<Value> {
    let catalog = state.gateway.registry.catalog();
    let agents: Vec<_> = catalog
        .agents()
        .iter()
        .map(|agent| describe(agent))
        .collect();
    let listing = cards::listing(&state, &catalog).await;
    Json(json!({ "catalog": catalog.version(), "federated_card": listing, "agents": agents }))
}

pub(crate) async fn show(
    Shared(state): Shared<State>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let catalog = state.gateway.registry.catalog();
    let agent = AgentId::parse(&id)
        .ok()
        .and_then(|id| catalog.agent(&id))
        .ok_or_else(|| unknown(&id))?;
    let mut description = describe(agent);
    if let Some(accepted) = &agent.status.accepted {
        description["card"]["raw"] = accepted.received.value().clone();
    }
    Ok(Json(description))
}

pub(crate) async fn refresh(
    Shared(state): Shared<State>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let asked = AgentId::parse(&id).is_ok_and(|id| state.gateway.registry.refresh(&id));
    if asked {
        Ok(StatusCode::ACCEPTED)
    } else {
        Err(unknown(&id))
    }
}

/// Which card is accepted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acceptance {
    /// The fingerprint of the card that was looked at.
    fingerprint: String,
}

/// Accepts the card that waits: it is used, and remembered across restarts, by the time of the answer.
pub(crate) async fn accept_card(
    Shared(state): Shared<State>,
    Path(id): Path<String>,
    acceptance: Result<Json<Acceptance>, JsonRejection>,
) -> Result<Json<Value>, Problem> {
    let Json(Acceptance { fingerprint }) = acceptance?;
    let registry = &state.gateway.registry;
    let agent = AgentId::parse(&id)
        .ok()
        .filter(|id| registry.catalog().agent(id).is_some())
        .ok_or_else(|| unknown(&id))?;
    match registry.accept(&agent, &fingerprint).await {
        Ok(()) => {
            tracing::info!(agent.id = %id, "the operator accepted the card `{fingerprint}` of agent `{id}`");
            Ok(Json(json!({ "agent": id, "accepted": fingerprint })))
        }
        Err(NotAccepted::NotWaiting) => Err(Problem::conflict(format!(
            "no card `{fingerprint}` of agent `{id}` waits to be accepted; `agents {id}` shows what does"
        ))),
        Err(NotAccepted::Unusable(problem)) => Err(Problem::conflict(format!(
            "the card of agent `{id}` cannot be used: {problem}"
        ))),
        Err(error @ NotAccepted::NotKept(_)) => {
            let cause = error.source().map(ToString::to_string).unwrap_or_default();
            tracing::error!(agent.id = %id, error = %cause, "the card of agent `{id}` was not accepted, as it could not be remembered");
            Err(Problem::internal(format!(
                "{error}; look in the gateway's log and try again"
            )))
        }
        Err(error) => Err(Problem::internal(error.to_string())),
    }
}

fn unknown(id: &str) -> Problem {
    Problem::not_found(format!("there is no agent `{id}`; `agents` lists all"))
}

fn describe(agent: &CatalogAgent) -> Value {
    let status = &agent.status;
    let milliseconds = |mode| agent.stats.latency(mode).map(|time| time.as_millis());
    json!({
        "id": agent.spec.id,
        "url": without_credentials(&agent.spec.url),
        "state": status.state,
        "problem": status.problem,
        "checked_at": status.checked_at,
        "next_fetch_at": status.next_fetch_at,
        "tried": status.tried,
        "card": card(agent),
        "drift": status.drift,
        "held": status.held.as_deref().map(held),
        "on_drift": agent.spec.card.trust.on_drift,
        "effect": agent.spec.effect,
        "in_flight": agent.stats.in_flight(),
        "max_in_flight": agent.spec.limits.max_in_flight,
        "answer_ratio": agent.stats.answer_ratio(Instant::now()),
        "answers": agent.stats.successes(),
        "latency_ms": { "unary": milliseconds(Mode::Unary), "first_event": milliseconds(Mode::Stream) },
    })
}

fn held(held: &HeldCard) -> Value {
    let mut description = json!({
        "fingerprint": held.card.fingerprint(),
        "since": held.since,
        "changes": held.departure.changes,
    });
    if let Some(unknown) = &held.departure.unknown {
        description["unknown"] = json!(unknown);
    }
    description
}

fn card(agent: &CatalogAgent) -> Value {
    let Some(accepted) = &agent.status.accepted else {
        return Value::Null;
    };
    let age = jiff::Timestamp::now()
        .duration_since(accepted.confirmed_at)
        .as_secs();
    let endpoints: Vec<_> = accepted
        .endpoints
        .iter()
        .map(|endpoint| {
            json!({ "version": endpoint.version, "url": endpoint.url.as_str(), "declared": endpoint.declared })
        })
        .collect();
    json!({
        "name": accepted.card.name(),
        "version": accepted.card.version(),
        "fingerprint": accepted.received.fingerprint(),
        "signature": accepted.verification.outcome(),
        "signatures": accepted.verification.signatures(),
        "location": without_credentials(&accepted.location),
        "confirmed_at": accepted.confirmed_at,
        "from_before_start": accepted.is_from_before,
        "age_seconds": age,
        "fresh_for_seconds": accepted.fresh_for.as_secs(),
        "usable_until": accepted.usable_until(),
        "skills": accepted.card.skills().len(),
        "streaming": accepted.card.capabilities().streaming,
        "endpoints": endpoints,
        "findings": accepted.findings,
        "withheld": accepted.withheld,
    })
}

/// Addresses may hold credentials as user info or in the query; neither is shown.
fn without_credentials(url: &url::Url) -> String {
    let mut url = url.clone();
    let hidden = url.query().is_some();
    // Both only fail for addresses that cannot have user info, which then hold none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(hidden.then_some("…"));
    url.to_string()
}
