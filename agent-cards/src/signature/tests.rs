//! Signing and verifying: every algorithm, every way to refuse.

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
        .sign(sign::signing_input(&protected, &payload).as_bytes())
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
fn key_goes_by_its_thumbprint_unless_it_is_named() {
    // RFC 8037, appendix A.3.
    let key = ed25519();
    assert_eq!(key.key_id(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    let named = key
        .with_key_id("2026")
        .with_jku("https://a.example/jwks.json".parse().unwrap());
    assert_eq!(
        named.public_jwk(),
        json!({"use": "sig", "alg": "EdDSA", "kid": "2026", "kty": "OKP", "crv": "Ed25519",
               "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
    );
    assert_eq!(
        named.protected_header(),
        json!({"alg": "EdDSA", "kid": "2026", "typ": "JOSE", "jku": "https://a.example/jwks.json"})
    );
    assert!(!format!("{named:?}").contains("nWGx"));
}

#[test]
fn text_that_is_no_private_key_is_refused() {
    for text in [
        "",
        "secret",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    ] {
        let error = SigningKey::from_pem(text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("expected an unencrypted PKCS #8 key in PEM"),
            "{error}"
        );
    }
    let error = ed25519()
        .with_algorithm(SignatureAlgorithm::Es256)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the key cannot sign with ES256, its own algorithm is EdDSA"
    );
}

#[test]
fn unsigned_card_is_told_from_a_badly_signed_one() {
    let keys = trusting(&[ed25519().public_jwk()]);
    assert_eq!(verify(&card(), &keys).outcome(), &Outcome::Unsigned);
    let empty = with_signatures(&card(), json!([]));
    assert_eq!(verify(&empty, &keys).outcome(), &Outcome::Unsigned);
    let other = with_signatures(&card(), json!("x"));
    assert_eq!(
        invalid_reason(&other, &keys),
        "`/signatures` is a string, expected a list"
    );
}

#[test]
fn c085_changed_card_is_refused() {
    let key = ed25519();
    let mut value = sign(&card(), &key).unwrap().value().clone();
    value["supportedInterfaces"][0]["url"] = json!("https://b.example");
    let verification = verify(&parse(&value), &trusting(&[key.public_jwk()]));
    assert!(verification.covered().is_none());
    assert_eq!(
        invalid_reason(&parse(&value), &trusting(&[key.public_jwk()])),
        "the card is not what key `kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k` signed"
    );
}

#[test]
fn headers_that_must_not_be_trusted_are_refused() {
    let key = ed25519().with_key_id("k");
    let keys = trusting(&[key.public_jwk()]);
    let cases = [
        (
            json!({"alg": "EdDSA", "kid": "k", "crit": ["b64"], "b64": false}),
            "has `crit`",
        ),
        (
            json!({"alg": "none", "kid": "k"}),
            "algorithm `none` is not accepted",
        ),
        (
            json!({"alg": "HS256", "kid": "k"}),
            "algorithm `HS256` is not accepted",
        ),
        (json!({"alg": 1, "kid": "k"}), "names no algorithm"),
        (json!({"alg": "EdDSA"}), "names no key"),
        (json!({"alg": "EdDSA", "kid": ""}), "names no key"),
        (
            json!({"alg": "ES256", "kid": "k"}),
            "the signature uses ES256, the key is for EdDSA",
        ),
        (json!(["alg"]), "is a list, expected an object"),
    ];
    for (header, expected) in cases {
        let reason = invalid_reason(&signed_with(&key, &header), &keys);
        assert!(reason.contains(expected), "{header}: {reason}");
    }
    // The same without what is wrong verifies: the cases fail for their own reason.
    assert!(
        verify(
            &signed_with(&key, &json!({"alg": "EdDSA", "kid": "k"})),
            &keys
        )
        .is_valid()
    );
}

#[test]
fn malformed_signatures_are_refused_with_what_is_wrong() {
    let keys = trusting(&[ed25519().with_key_id("k").public_jwk()]);
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"EdDSA","kid":"k"}"#);
    let cases = [
        (json!(1), "the signature is a number, expected an object"),
        (json!({"signature": "AA"}), "`protected` is missing"),
        (
            json!({"protected": header, "signature": null}),
            "`signature` is missing",
        ),
        (
            json!({"protected": header, "signature": ""}),
            "`signature` is empty",
        ),
        (
            json!({"protected": header, "signature": ["AA"]}),
            "`signature` is a list, expected a string",
        ),
        (
            json!({"protected": "e30=", "signature": "AA"}),
            "`protected` is not base64url",
        ),
        (
            json!({"protected": header, "signature": "a+/b"}),
            "`signature` is not base64url",
        ),
        (
            json!({"protected": "AAAA", "signature": "AA"}),
            "the protected header is not JSON",
        ),
        (
            json!({"protected": "A".repeat(20_000), "signature": "AA"}),
            "has 20000 bytes, 16384 are read",
        ),
        (
            json!({"protected": header, "signature": "AA"}),
            "the card is not what key `k` signed",
        ),
    ];
    for (signature, expected) in cases {
        let reason = invalid_reason(&with_signatures(&card(), json!([signature])), &keys);
        assert!(reason.contains(expected), "{signature}: {reason}");
    }
}

#[test]
fn keys_that_may_not_verify_are_refused_with_the_reason() {
    let key = ed25519().with_key_id("k");
    let signed = signed_with(&key, &json!({"alg": "EdDSA", "kid": "k"}));
    let changed = |name: &str, value: Value| {
        let mut jwk = key.public_jwk();
        jwk[name] = value;
        invalid_reason(&signed, &trusting(&[jwk]))
    };
    assert!(changed("use", json!("enc")).contains("not for signatures"));
    assert!(changed("key_ops", json!(["sign"])).contains("not for verifying"));
    assert!(changed("alg", json!("ES256")).contains("of another kind"));
    assert!(changed("alg", json!("HS256")).contains("not accepted"));
    assert!(changed("d", json!("AAAA")).contains("private half"));
    assert!(changed("crv", json!("Ed448")).contains("not supported"));
    let secret = json!({"kty": "oct", "k": "AAAA", "kid": "k"});
    assert!(invalid_reason(&signed, &trusting(&[secret])).contains("shared secret"));
    let small = json!({"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "k", "alg": "RS256"});
    assert!(invalid_reason(&signed, &trusting(&[small])).contains("less than 2048 bits"));
    let ambiguous = json!({"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "k"});
    assert!(invalid_reason(&signed, &trusting(&[ambiguous])).contains("add `alg`"));
}

#[test]
fn key_without_algorithm_is_used_as_its_curve_says() {
    let key = ed25519();
    let signed = sign(&card(), &key).unwrap();
    let mut jwk = key.public_jwk();
    let members = jwk.as_object_mut().unwrap();
    for name in ["alg", "use", "kid"] {
        members.shift_remove(name);
    }
    // Without `kid` it goes by its thumbprint; a JWK alone is a set of one.
    let mut keys = TrustedKeys::new();
    keys.add(jwk.to_string().as_bytes()).unwrap();
    assert_eq!(keys.key_ids().collect::<Vec<_>>(), [key.key_id()]);
    assert!(verify(&signed, &keys).is_valid());
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
fn signatures_beyond_the_limit_are_not_tried() {
    let key = ed25519();
    let good = sign(&card(), &key).unwrap().value()["signatures"][0].clone();
    let mut signatures = vec![json!({}); 16];
    signatures.push(good);
    let crowded = with_signatures(&card(), json!(signatures));
    let verification = verify(&crowded, &trusting(&[key.public_jwk()]));
    assert!(!verification.is_valid());
    assert_eq!(verification.signatures().len(), 17);
}

#[test]
fn keys_are_asked_for_only_where_the_key_set_is_allowed() {
    let jku: Url = "https://keys.example/jwks.json".parse().unwrap();
    let key = ed25519().with_key_id("k").with_jku(jku.clone());
    let signed = sign(&card(), &key).unwrap();
    let unknown = |jkus: &[&str]| Outcome::UnknownKey {
        kids: vec!["k".to_owned()],
        jkus: jkus.iter().map(|jku| (*jku).to_owned()).collect(),
    };
    let mut keys = TrustedKeys::new();
    let verification = verify(&signed, &keys);
    assert_eq!(verification.outcome(), &unknown(&[]));
    assert_eq!(
        verification.signatures()[0].state,
        SignatureState::UnknownKey {
            reason:
                "key `k` is not known, nor is its key set `https://keys.example/jwks.json` allowed"
                    .to_owned()
        }
    );
    let set = jwks(&[key.public_jwk()]);
    let refused = keys.add_from_jku(&jku, &set).unwrap_err();
    assert_eq!(refused, KeyError::NotAllowed(jku.to_string()));
    keys.allow_jku(&jku).unwrap();
    assert_eq!(verify(&signed, &keys).outcome(), &unknown(&[jku.as_str()]));
    keys.add_from_jku(&jku, &set).unwrap();
    assert!(verify(&signed, &keys).is_valid());
    // The keys of that set are good for signatures that name it only.
    let silent = sign(&card(), &ed25519().with_key_id("k")).unwrap();
    assert_eq!(verify(&silent, &keys).outcome(), &unknown(&[]));
    // A newer set replaces the keys: this one was revoked.
    keys.add_from_jku(&jku, &jwks(&[])).unwrap();
    assert_eq!(verify(&signed, &keys).outcome(), &unknown(&[jku.as_str()]));
}

#[test]
fn key_sets_are_fetched_over_https_or_from_this_machine() {
    let mut keys = TrustedKeys::new();
    let allow = |keys: &mut TrustedKeys, url: &str| keys.allow_jku(&url.parse().unwrap());
    assert!(allow(&mut keys, "http://keys.example/").is_err());
    assert!(keys.is_empty());
    assert!(allow(&mut keys, "http://127.0.0.1:9000/jwks").is_ok());
}

#[test]
fn text_that_is_no_key_set_is_refused() {
    for text in ["", "[]", "{}", r#"{"keys": {}}"#] {
        let error = TrustedKeys::new()
            .add(text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("(RFC 7517)"), "{error}");
    }
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
    let Outcome::Valid { form, .. } = verification.outcome() else {
        panic!()
    };
    assert_eq!(*form, CanonicalForm::Specification);
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
