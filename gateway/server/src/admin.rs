//! The admin listener: what the gateway knows, for operators and their tools.

mod agents;
mod browsers;
mod decisions;
mod explain;
mod problem;
mod signals;

use axum::{
    Router,
    extract::State as Shared,
    http::header::CONTENT_TYPE,
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use tower_http::catch_panic::CatchPanicLayer;

use crate::{State, health};

/// Builds the router of the admin listener.
pub fn router(state: State) -> Router {
    Router::new()
        .route("/v1/agents", get(agents::list))
        .route("/v1/agents/{agent}", get(agents::show))
        .route("/v1/agents/{agent}/refresh", post(agents::refresh))
        .route("/v1/agents/{agent}/accept-card", post(agents::accept_card))
        .route("/v1/decisions", get(decisions::list))
        .route("/v1/decisions/{id}", get(decisions::show))
        .route(
            "/v1/decisions/{id}/explanation",
            get(decisions::explanation),
        )
        .route("/v1/decisions/{id}/feedback", post(decisions::feedback))
        .route("/v1/signals", get(signals::list))
        .route("/v1/signals/{agent}", delete(signals::forget_agent))
        .route("/v1/signals/{agent}/{skill}", delete(signals::forget_skill))
        .route("/v1/route:explain", post(explain::explain))
        .route("/metrics", get(metrics))
        .merge(health::routes())
        .fallback(problem::no_such_path)
        .layer(from_fn_with_state(state.clone(), browsers::refuse))
        .layer(CatchPanicLayer::new())
        .with_state(state)
}

async fn metrics(Shared(state): Shared<State>) -> Response {
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, content_type)], state.metrics.render(&state)).into_response()
}
