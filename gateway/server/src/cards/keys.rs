//! The gateway's own signature on the cards it serves, and the key that verifies it.

use agent_cards::{SigningKey, publish};
use axum::{
    extract::State as Shared,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use bytes::Bytes;
use serde_json::{Value, json};
use url::Url;

use super::{
    problem,
    rendered::{Document, Rendered},
};
use crate::State;

/// The media type of a key set (RFC 7517 §8.5).
pub(super) const MEDIA_TYPE: &str = "application/jwk-set+json";

/// Serves the key that served cards are signed with, as a set (RFC 7517 §5).
pub(crate) async fn key_set(Shared(state): Shared<State>, headers: HeaderMap) -> Response {
    let Some(key) = &state.settings.card_key else {
        return problem(
            StatusCode::NOT_FOUND,
            "the cards of this gateway are not signed",
        );
    };
    let set = json!({ "keys": [key.public_jwk()] });
    let rendered = Rendered::new(&Document::KeySet, Bytes::from(set.to_string()));
    rendered.respond(&state.settings, &headers)
}

/// Signs a card if there is a key for it. One that cannot be signed is served without: a reader who needs the
/// signature sees that it is missing.
pub(super) fn signed(state: &State, base: &str, card: Value) -> Value {
    let Some(key) = &state.settings.card_key else {
        return card;
    };
    let mut key = SigningKey::clone(key);
    if let Ok(jku) = Url::parse(&format!("{base}/.well-known/jwks.json")) {
        key = key.with_jku(jku);
    }
    publish::signed(&card, &key).unwrap_or_else(|error| {
        tracing::error!(error = %error, "a card is served without the gateway's signature");
        card
    })
}
