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

/// Returns the card with every choice of its signatures.
fn some_of_the_signatures(signed: &Card) -> impl Iterator<Item = Card> {
    let signatures = signed.value()["signatures"].as_array().cloned();
    let signatures = signatures.expect("a signed card has signatures");
    (1..1_u32 << signatures.len()).map(move |choice| {
        let mut value = signed.value().clone();
        let chosen = signatures.iter().enumerate();
        value["signatures"] = chosen
            .filter(|(index, _)| choice & (1 << index) != 0)
            .map(|(_, signature)| signature.clone())
            .collect();
        Card::parse(value.to_string().as_bytes()).expect("the card is readable")
    })
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
            // What verifies is what some of the signatures cover of the card that was signed.
            prop_assert!(
                some_of_the_signatures(&signed).any(|card| verify(&card, &keys)
                    .covered()
                    .is_some_and(|vouched| vouched.value() == covered.value())),
                "{}",
                covered.value()
            );
        }
    }
}
