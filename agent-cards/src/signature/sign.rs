//! Signing a card.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::{SigningKey, header};
use crate::members;
use crate::{CanonicalForm, Card, CardError, NotCanonical, Shape, canonicalize};

/// The error for a card that cannot be signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The card has no canonical form.
    #[error(transparent)]
    NotCanonical(#[from] NotCanonical),
    /// The signed card cannot be read back.
    #[error("the signed card cannot be read")]
    Card(#[from] CardError),
    /// The key does not sign.
    #[error("the key `{key}` does not sign: {problem}")]
    Key {
        /// The key's `kid`.
        key: String,
        /// What its library says.
        problem: String,
    },
}

/// Returns the card with signatures by the key after those of other keys, which are not checked;
/// those that name the same `kid` are replaced.
///
/// Readers disagree about empty members, so each canonical form that readers of the card's shape
/// know gets a signature of its own, unless its bytes are those of a form before it: one
/// signature is enough for most cards of 1.0, a hybrid card gets two or three.
///
/// # Errors
///
/// Fails for cards without canonical form, and for keys that cannot sign.
pub fn sign(card: &Card, key: &SigningKey) -> Result<Card, SignError> {
    let mut payloads: Vec<Vec<u8>> = Vec::new();
    for form in forms(card.shape()) {
        let payload = canonicalize(card, *form)?;
        if !payloads.contains(&payload) {
            payloads.push(payload);
        }
    }
    let mut signatures = signatures_kept(card, key);
    let mut members = card.members().clone();
    members.shift_remove("signatures");
    for payload in payloads {
        signatures.push(signature(&payload, key)?);
    }
    members.insert("signatures".to_owned(), Value::Array(signatures));
    let body = Value::Object(members).to_string();
    Ok(Card::parse(body.as_bytes())?)
}

/// Returns the signatures of a card that [`sign`] keeps: those of other keys. Whether they hold is
/// for [`verify`](super::verify()) to say.
#[must_use]
pub fn signatures_kept(card: &Card, key: &SigningKey) -> Vec<Value> {
    members::list(card.members(), "signatures")
        .iter()
        .filter(|entry| header::key_id(entry).as_deref() != Some(key.key_id()))
        .cloned()
        .collect()
}

/// Returns the forms that verifiers of a card of this shape try: the specification's, and those
/// of the official SDKs.
fn forms(shape: Shape) -> &'static [CanonicalForm] {
    const ALL: &[CanonicalForm] = &[
        CanonicalForm::Specification,
        CanonicalForm::WithoutEmpty,
        CanonicalForm::LegacyWithoutEmpty,
    ];
    match shape {
        Shape::V1 => &ALL[..2],
        Shape::Hybrid => ALL,
        Shape::V03 => &ALL[2..],
    }
}

fn signature(payload: &[u8], key: &SigningKey) -> Result<Value, SignError> {
    let protected = URL_SAFE_NO_PAD.encode(key.protected_header().to_string());
    let input = signing_input(&protected, &URL_SAFE_NO_PAD.encode(payload));
    let signature = key.sign(input.as_bytes()).map_err(|error| SignError::Key {
        key: key.key_id().to_owned(),
        problem: error.to_string(),
    })?;
    Ok(json!({"protected": protected, "signature": signature}))
}

/// Returns what is signed (RFC 7515 §5.1); the payload, in base64url here, is detached from the
/// result.
pub(super) fn signing_input(protected: &str, payload: &str) -> String {
    format!("{protected}.{payload}")
}
