//! No byte of a signed card can be changed so that it still verifies and says something else.

use agent_cards::{Card, SigningKey, TrustedKeys, sign, verify};
use proptest::prelude::*;

use crate::arbitrary::arbitrary_card;
use crate::card;

/// The example key of RFC 8037, appendix A.1.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----";

fn signer() -> (SigningKey, TrustedKeys) {
    let key = SigningKey::from_pem(KEY.as_bytes()).expect("the key is readable");
    let mut keys = TrustedKeys::new();
    keys.add(key.public_jwk().to_string().as_bytes())
        .expect("the JWK is readable");
    (key, keys)
}

/// What a reader takes from a card.
fn meaning(card: &Card) -> String {
    format!(
        "{} {} {} {:?} {:?} {:?} {:?} {:?}",
        card.name(),
        card.description(),
        card.version(),
        card.interfaces(),
        card.skills(),
        card.capabilities(),
        card.default_input_modes(),
        card.default_output_modes(),
    )
}

/// Returns what the changed card is verified to mean, if it verifies.
fn verified_meaning(body: &[u8], keys: &TrustedKeys) -> Option<String> {
    let card = Card::parse(body).ok()?;
    verify(&card, keys).covered().map(meaning)
}

#[test]
fn c085_every_changed_byte_is_refused_or_means_the_same() {
    let (key, keys) = signer();
    let signed = sign(&card("v1"), &key).unwrap();
    let body = signed.value().to_string().into_bytes();
    let original = verified_meaning(&body, &keys).unwrap();
    let mut refused = 0;
    for position in 0..body.len() {
        let mut changed = body.clone();
        changed[position] ^= 1;
        match verified_meaning(&changed, &keys) {
            None => refused += 1,
            Some(meaning) => assert_eq!(
                meaning,
                original,
                "byte {position} of {}",
                String::from_utf8_lossy(&changed)
            ),
        }
    }
    assert!(refused > body.len() / 4, "{refused} changes refused");
}

proptest! {
    #[test]
    fn c085_change_of_meaning_never_verifies(
        value in arbitrary_card(),
        position in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let (key, keys) = signer();
        let Ok(original) = Card::parse(value.to_string().as_bytes()) else {
            return Ok(());
        };
        let signed = sign(&original, &key).unwrap();
        let mut body = signed.value().to_string().into_bytes();
        let position = position.index(body.len());
        body[position] = byte;
        let Ok(changed) = Card::parse(&body) else {
            return Ok(());
        };
        let verification = verify(&changed, &keys);
        if let Some(covered) = verification.covered() {
            // What verifies is a part of what was signed, byte for byte.
            let vouched = agent_cards::CanonicalForm::ALL
                .into_iter()
                .filter_map(|form| agent_cards::canonicalize(&original, form).ok());
            let covered = covered.value();
            prop_assert!(
                vouched.into_iter().any(|bytes| &serde_json::from_slice::<serde_json::Value>(&bytes).unwrap() == covered),
                "{covered}"
            );
        }
    }
}
