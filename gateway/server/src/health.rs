//! Liveness and readiness.

use axum::{
    Json, Router,
    extract::State as Shared,
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::get,
};
use gateway_core::{AgentState, Catalog};
use serde_json::{Value, json};

use crate::State;

pub(crate) fn routes() -> Router<State> {
    Router::new()
        .route("/livez", get(async || "ok\n"))
        .route("/readyz", get(ready))
}

/// Ready once every agent's card has been looked for. An agent that is down does not make the gateway unready:
/// the others still work.
async fn ready(Shared(state): Shared<State>) -> Response {
    let catalog = state.gateway.registry.catalog();
    let count = |wanted: AgentState| {
        catalog
            .agents()
            .iter()
            .filter(|agent| agent.status.state == wanted)
            .count()
    };
    let pending = count(AgentState::Pending);
    let closing = state.gateway.work.is_closed();
    let status = if pending == 0 && !closing {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = json!({
        "ready": status == StatusCode::OK,
        "closing": closing,
        "agents": {
            "pending": pending,
            "ready": count(AgentState::Ready),
            "stale": count(AgentState::Stale),
            "unavailable": count(AgentState::Unavailable),
            "quarantined": count(AgentState::Quarantined),
        },
        "fit": fit(&state, &catalog),
    });
    (status, Json(body)).into_response()
}

/// Says by what agents are compared. Words alone are enough to be ready, whatever engine is configured.
fn fit(state: &State, catalog: &Catalog) -> Value {
    let engine = &state.gateway.fit;
    let mut fit = json!({ "engine": engine.name() });
    if let Some(model) = engine.model() {
        fit["model"] = json!(model);
        fit["cards_encoded"] = json!(catalog.meanings().known());
    }
    if let Some(problem) = engine.problem() {
        fit["problem"] = json!(problem);
    }
    fit
}
