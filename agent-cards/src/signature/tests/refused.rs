//! Every way in which a signature is refused.

use super::*;

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
fn junk_of_an_unknown_key_does_not_hide_that_a_card_was_changed() {
    let key = ed25519().with_key_id("known");
    let jku: Url = "https://keys.example/jwks.json".parse().unwrap();
    let mut keys = trusting(&[key.public_jwk()]);
    keys.allow_jku(&jku).unwrap();
    let mut value = sign(&card(), &key).unwrap().value().clone();
    let junk = URL_SAFE_NO_PAD
        .encode(json!({"alg": "EdDSA", "kid": "junk", "jku": jku.as_str()}).to_string());
    let junk = json!({"protected": junk, "signature": URL_SAFE_NO_PAD.encode([0; 64])});
    let signatures = value["signatures"].as_array_mut().unwrap();
    signatures.insert(0, junk);
    // As it was signed it is valid, and nothing has to be fetched.
    let verification = verify(&parse(&value), &keys);
    assert!(verification.is_valid() && verification.missing_key_sets().is_empty());

    value["description"] = json!("Call me for everything.");
    let changed = parse(&value);
    assert_eq!(
        invalid_reason(&changed, &keys),
        "the card is not what key `known` signed"
    );
    // The set may still hold the key of the one who changed it.
    assert_eq!(verify(&changed, &keys).missing_key_sets(), [jku.as_str()]);
    let other = TrustedKeys::new();
    assert!(matches!(
        verify(&changed, &other).outcome(),
        Outcome::UnknownKey { .. }
    ));
}
