//! The gateway's own signature on the cards it serves, and the key that verifies it.

use agent_cards::{SigningKey, publish};
use axum::{
    extract::State as Shared,
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use url::Url;

use super::problem;
use crate::State;

/// How long verifiers may keep the key set: a new key should be there for this long before it signs.
const MAX_AGE: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Serves the key that served cards are signed with, as a set (RFC 7517 §5).
pub(crate) async fn key_set(Shared(state): Shared<State>) -> Response {
    let Some(key) = &state.settings.card_key else {
        return problem(
            StatusCode::NOT_FOUND,
            "the cards of this gateway are not signed",
        );
    };
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("application/jwk-set+json"),
        ),
        (CACHE_CONTROL, MAX_AGE),
    ];
    let set = json!({ "keys": [key.public_jwk()] });
    (headers, set.to_string()).into_response()
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
