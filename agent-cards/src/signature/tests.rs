//! Signing and verifying: every algorithm, and what a signature covers.

mod crowded;
mod keys;
mod refused;

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use url::Url;

use super::*;
use crate::{CanonicalForm, Card};

/// The example key of RFC 8037, appendix A.1.
const ED25519: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----";

fn pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
}

fn ecdsa(algorithm: &'static EcdsaSigningAlgorithm) -> SigningKey {
    let pair = EcdsaKeyPair::generate(algorithm).unwrap();
    SigningKey::from_pem(pem(pair.to_pkcs8v1().unwrap().as_ref()).as_bytes()).unwrap()
}

fn rsa() -> SigningKey {
    let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
    SigningKey::from_pem(pem(pair.as_der().unwrap().as_ref()).as_bytes()).unwrap()
}

fn ed25519() -> SigningKey {
    SigningKey::from_pem(ED25519.as_bytes()).unwrap()
}

fn jwks(keys: &[Value]) -> Vec<u8> {
    json!({ "keys": keys }).to_string().into_bytes()
}

fn trusting(keys: &[Value]) -> TrustedKeys {
    let mut trusted = TrustedKeys::new();
    trusted.add(&jwks(keys)).unwrap();
    trusted
}

fn card() -> Card {
    parse(&json!({
        "name": "Clock", "description": "Tells the time.", "version": "1",
        "supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": true}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "now", "name": "Now", "description": "d", "tags": ["time"]}],
    }))
}

fn parse(value: &Value) -> Card {
    Card::parse(value.to_string().as_bytes()).unwrap()
}

/// Returns the card with one signature under any header, signed as the specification says.
fn signed_with(key: &SigningKey, header: &Value) -> Card {
    let card = card();
    let protected = URL_SAFE_NO_PAD.encode(header.to_string());
    let payload = crate::canonicalize(&card, CanonicalForm::Specification).unwrap();
    let signature = key
        .sign(sign::signing_input(&protected, &URL_SAFE_NO_PAD.encode(payload)).as_bytes())
        .unwrap();
    with_signatures(
        &card,
        json!([{"protected": protected, "signature": signature}]),
    )
}

fn with_signatures(card: &Card, signatures: Value) -> Card {
    let mut value = card.value().clone();
    value["signatures"] = signatures;
    parse(&value)
}

fn invalid_reason(card: &Card, keys: &TrustedKeys) -> String {
    match verify(card, keys).outcome() {
        Outcome::Invalid { reason } => reason.clone(),
        other => panic!("{other:?} is not the outcome expected"),
    }
}

#[test]
fn every_algorithm_signs_and_verifies() {
    let rsa = rsa();
    let keys = [
        ("ES256", ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING)),
        ("ES384", ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING)),
        ("EdDSA", ed25519()),
        ("RS256", rsa.clone()),
        (
            "RS384",
            rsa.clone()
                .with_algorithm(SignatureAlgorithm::Rs384)
                .unwrap(),
        ),
        (
            "RS512",
            rsa.clone()
                .with_algorithm(SignatureAlgorithm::Rs512)
                .unwrap(),
        ),
        (
            "PS256",
            rsa.clone()
                .with_algorithm(SignatureAlgorithm::Ps256)
                .unwrap(),
        ),
        (
            "PS384",
            rsa.clone()
                .with_algorithm(SignatureAlgorithm::Ps384)
                .unwrap(),
        ),
        (
            "PS512",
            rsa.with_algorithm(SignatureAlgorithm::Ps512).unwrap(),
        ),
    ];
    for (name, key) in keys {
        let signed = sign(&card(), &key).unwrap();
        let verification = verify(&signed, &trusting(&[key.public_jwk()]));
        let expected = Outcome::Valid {
            key: key.key_id().to_owned(),
            form: CanonicalForm::Specification,
            algorithm: key.algorithm(),
            uncovered: Vec::new(),
        };
        assert_eq!(verification.outcome(), &expected, "{name}");
        assert_eq!(key.algorithm().as_str(), name);
        assert_eq!(verification.covered().unwrap().name(), "Clock");
        assert_eq!(verification.signatures().len(), 1);
    }
}

#[test]
fn one_valid_signature_of_several_is_enough_and_all_are_reported() {
    let (old, new) = (ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING), ed25519());
    let signed = sign(&sign(&card(), &old).unwrap(), &new).unwrap();
    for key in [&old, &new] {
        let verification = verify(&signed, &trusting(&[key.public_jwk()]));
        assert!(verification.is_valid());
        let valid = verification
            .signatures()
            .iter()
            .filter(|report| matches!(report.state, SignatureState::Valid { .. }));
        assert_eq!(valid.count(), 1);
        assert_eq!(verification.signatures()[1].pointer, "/signatures/1");
    }
    let verification = verify(&signed, &trusting(&[old.public_jwk(), new.public_jwk()]));
    assert!(
        verification
            .signatures()
            .iter()
            .all(|report| matches!(report.state, SignatureState::Valid { .. }))
    );
}

#[test]
fn card_with_empty_members_is_signed_for_each_kind_of_reader() {
    let key = ed25519();
    let mut value = card().value().clone();
    value["skills"] = json!([]);
    value["securityRequirements"] = json!([{"schemes": {"o": {"list": []}}}]);
    value["url"] = json!("https://a.example");
    let signed = sign(&parse(&value), &key).unwrap();
    let verification = verify(&signed, &trusting(&[key.public_jwk()]));
    let forms: Vec<_> = verification
        .signatures()
        .iter()
        .map(|report| match &report.state {
            SignatureState::Valid {
                form, uncovered, ..
            } => (*form, uncovered.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    let open = |pointers: &[&str]| {
        pointers
            .iter()
            .map(|pointer| (*pointer).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        forms,
        [
            (CanonicalForm::Specification, open(&["/url"])),
            (
                CanonicalForm::WithoutEmpty,
                open(&["/securityRequirements", "/url"])
            ),
            (
                CanonicalForm::LegacyWithoutEmpty,
                open(&["/supportedInterfaces", "/securityRequirements"])
            ),
        ]
    );
    let Outcome::Valid {
        form, uncovered, ..
    } = verification.outcome()
    else {
        panic!()
    };
    assert_eq!(*form, CanonicalForm::Specification);
    assert!(uncovered.is_empty(), "{uncovered:?}");
}

#[test]
fn what_a_card_covers_is_what_its_valid_signatures_cover_together() {
    let key = ed25519();
    let mut value = card().value().clone();
    value["url"] = json!("https://a.example/0.3");
    value["protocolVersion"] = json!("0.3.0");
    value["skills"][0]["inputModes"] = json!([]);
    value["skills"][0]["security"] = json!([{"o": ["read"]}]);
    value["skills"][0]["securityRequirements"] = json!([{"schemes": {"o": {"list": ["read"]}}}]);
    value["x-note"] = json!("unsigned");
    let signed = sign(&parse(&value), &key).unwrap();
    let trusted = trusting(&[key.public_jwk()]);
    let verified = |card: &Card| {
        let verification = verify(card, &trusted);
        let Outcome::Valid { uncovered, .. } = verification.outcome() else {
            panic!("{verification:?}")
        };
        (uncovered.clone(), verification.covered().unwrap().clone())
    };

    let (open, covered) = verified(&signed);
    assert_eq!(open, ["/x-note"]);
    assert_eq!(covered.interfaces(), signed.interfaces());
    for name in ["security", "securityRequirements", "id"] {
        assert_eq!(
            covered.value()["skills"][0][name],
            value["skills"][0][name],
            "{name}"
        );
    }
    assert_eq!(covered.value().get("x-note"), None);

    // The signature over the members of 0.3 is not valid any more, and adds nothing.
    let mut moved = signed.value().clone();
    moved["url"] = json!("https://attacker.example");
    moved["skills"][0]["security"] = json!([]);
    let (open, covered) = verified(&parse(&moved));
    assert_eq!(open, ["/url", "/x-note"]);
    assert_eq!(covered.interfaces().len(), 1);
    assert!(!covered.value().to_string().contains("attacker"));
    assert_eq!(covered.value()["skills"][0].get("security"), None);
}

#[test]
fn c085_address_added_beside_a_signed_card_is_not_part_of_what_was_signed() {
    let key = ed25519();
    let mut value = sign(&card(), &key).unwrap().value().clone();
    value["url"] = json!("https://attacker.example");
    value["x-note"] = json!("trust me");
    let hybrid = parse(&value);
    let verification = verify(&hybrid, &trusting(&[key.public_jwk()]));
    let Outcome::Valid { uncovered, .. } = verification.outcome() else {
        panic!()
    };
    assert_eq!(uncovered, &["/url", "/x-note"]);
    assert_eq!(hybrid.interfaces().len(), 2);
    let covered = verification.covered().unwrap();
    assert_eq!(covered.interfaces().len(), 1);
    assert!(!covered.value().to_string().contains("attacker"));
}

#[test]
fn card_of_0_3_is_signed_and_verified_in_its_own_form() {
    let key = ed25519();
    let legacy = parse(&json!({
        "name": "Clock", "description": "d", "version": "1", "url": "https://a.example", "protocolVersion": "0.3.0",
        "preferredTransport": "JSONRPC", "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"], "skills": [{"id": "now", "name": "Now", "description": "d", "tags": ["t"]}],
    }));
    let signed = sign(&legacy, &key).unwrap();
    let verification = verify(&signed, &trusting(&[key.public_jwk()]));
    let Outcome::Valid {
        form, uncovered, ..
    } = verification.outcome()
    else {
        panic!("{verification:?}")
    };
    assert_eq!(
        (*form, uncovered.len()),
        (CanonicalForm::LegacyWithoutEmpty, 0)
    );
    let mut value = signed.value().clone();
    value["url"] = json!("https://b.example");
    assert!(!verify(&parse(&value), &trusting(&[key.public_jwk()])).is_valid());
}
