//! Which keys there are, what they are called, and where they may come from.

use aws_lc_rs::signature::ECDSA_P521_SHA512_FIXED_SIGNING;

use super::*;

/// Too small to sign with, and used nowhere.
const RSA_1024: &str = "-----BEGIN PRIVATE KEY-----
MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBANTilrog7nyctZs0
ioMX02PY7dwK4+pbXVf83zUty2BdRZUaMH9rZwFOqgQOVO7bP52Z+ibARfoTp90v
RSri9om4fxSK9cluFH3QoRfEFV9/jZnLbXekVvyv8zYnbeKMtCMmjZW3mnTOxKZT
v25JG0am7Tlw9yGqWJ3Khr4S6wajAgMBAAECgYBShF3+WaN3g9rVBUGnXMXgjwZr
44DCp5V/9JGkcFLD0IOXLuabjUsI86/tEI0VZMC82yFegerd616G2rrJy93ZgQGV
w5UMGwPL77TmhWLcl/z8GlEgH8r92bxZbHY2Cjt2mdZR0SUI05d/4bY7tOncLYkv
fj4qhApMhUKtlPhh8QJBAPYlx07VAR0161yj/xskU5uCKhuI9JdOU8sU0fCDOhSR
0pBzvqWiUwEPlz0v6TMKvUkS8uYOvgCbONwELSc9u4sCQQDdZ/oX6UdK2qcEK3iO
FMBcb3HpQwZaJWT5XUvjo7JudvAKVhEpn24DhKGsjcCIPM5sj+xQYXvL9Hj10HJt
8yRJAkBv67eXMaUDCixNgEgTqE3XzLSmtnw4fCX/liTrTk/PYIq0odxS5d8GAXfM
G4fWbJCqtFH7p0JfdjTBXajGSfyHAkEAxW09Jms+xjG5Mk+tHUzFxucddTnuBR5J
Ls8Rp7hFmJj4LM9YWHwwtnRjUiHIp/NIwqeHuplisZia797i2sYv+QJBAKPjJ7Kh
wMPQwNtZIxwZQweugHVUOsXuCFKIEsfcPQfO9LPBhzROXJF6POCGIG4mOPtDJsD7
vR0/7UmwKaT7dTM=
-----END PRIVATE KEY-----";

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
fn ed25519_key_that_holds_its_public_half_is_read() {
    let random = aws_lc_rs::rand::SystemRandom::new();
    let document = aws_lc_rs::signature::Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let key = SigningKey::from_pem(pem(document.as_ref()).as_bytes()).unwrap();
    let signed = sign(&card(), &key).unwrap();
    assert!(verify(&signed, &trusting(&[key.public_jwk()])).is_valid());
}

#[test]
fn signing_again_replaces_the_signatures_of_the_same_key_and_keeps_others() {
    let (one, other) = (
        ed25519().with_key_id("one"),
        ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING),
    );
    let both = sign(&sign(&card(), &other).unwrap(), &one).unwrap();
    let mut value = both.value().clone();
    value["version"] = json!("2");
    let changed = parse(&value);
    assert_eq!(
        signatures_kept(&changed, &one),
        [value["signatures"][0].clone()]
    );
    let again = sign(&changed, &one).unwrap();
    let verification = verify(&again, &trusting(&[one.public_jwk()]));
    let states: Vec<_> = verification
        .signatures()
        .iter()
        .map(|report| {
            let valid = matches!(report.state, SignatureState::Valid { .. });
            (report.key.as_deref(), valid)
        })
        .collect();
    assert_eq!(states, [(Some(other.key_id()), false), (Some("one"), true)]);
}

#[test]
fn unsuitable_private_keys_are_refused_with_what_is_wrong_and_how_to_get_a_good_one() {
    let p521 = EcdsaKeyPair::generate(&ECDSA_P521_SHA512_FIXED_SIGNING).unwrap();
    let p521 = pem(p521.to_pkcs8v1().unwrap().as_ref());
    let labelled = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    let (make, convert) = ("`openssl genpkey ", "`openssl pkcs8 -topk8 ");
    for (text, problem, help) in [
        (
            RSA_1024.to_owned(),
            "the RSA key does not sign, it needs 2048 bits at least, ",
            make,
        ),
        (
            p521,
            "the elliptic curve is neither P-256 nor P-384, ",
            make,
        ),
        (
            labelled("EC PRIVATE KEY"),
            "the private key is in the form of SEC 1, ",
            convert,
        ),
        (
            labelled("ENCRYPTED PRIVATE KEY"),
            "the private key is encrypted, ",
            convert,
        ),
    ] {
        let error = SigningKey::from_pem(text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(problem) && error.contains(help),
            "{error}"
        );
    }
}
