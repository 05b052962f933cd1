//! The public listener: cards, the three bindings, callbacks, health.

use axum::{
    Router,
    http::StatusCode,
    middleware::from_fn_with_state,
    routing::{any, get, post},
};
use tower_http::catch_panic::CatchPanicLayer;

use crate::{State, base, cards, grpc, health, push, rest, rpc};

/// Builds the router of the public listener. Every path works with and without a trailing slash.
pub fn router(state: State) -> Router {
    Router::new()
        .route("/.well-known/agent-card.json", get(cards::federated))
        .route("/.well-known/agent.json", get(cards::federated))
        .route("/.well-known/ai-catalog.json", get(cards::ai_catalog))
        .route("/.well-known/jwks.json", get(cards::key_set))
        .route("/a2a/.well-known/agent-card.json", get(cards::federated))
        .route("/a2a/.well-known/agent.json", get(cards::federated))
        .route("/a2a", post(rpc::federated).get(cards::federated))
        .route("/a2a/", post(rpc::federated).get(cards::federated))
        .route(
            "/agents/{agent}/.well-known/agent-card.json",
            get(cards::of_agent),
        )
        .route(
            "/agents/{agent}/.well-known/agent.json",
            get(cards::of_agent),
        )
        .route(
            "/agents/{agent}/.well-known/original-agent-card.json",
            get(cards::original),
        )
        .route("/agents/{agent}", post(rpc::pinned).get(cards::of_agent))
        .route("/agents/{agent}/", post(rpc::pinned).get(cards::of_agent))
        .route("/a2a/{*operation}", any(rest::federated))
        .route("/agents/{agent}/{*operation}", any(rest::pinned))
        .route("/push/{token}", post(push::receive))
        .merge(grpc::routes())
        .merge(health::routes())
        .fallback(nothing_here)
        .layer(from_fn_with_state(state.clone(), base::note))
        .layer(CatchPanicLayer::new())
        .with_state(state)
}

async fn nothing_here() -> (StatusCode, &'static str) {
    let text = "nothing is served here; the card is at /.well-known/agent-card.json, A2A at /a2a\n";
    (StatusCode::NOT_FOUND, text)
}
