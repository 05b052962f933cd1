//! One good signature in a crowd of others.

use super::*;

/// The good signature of a card, and a key set that trusts its key.
fn good() -> (Value, TrustedKeys) {
    let key = ed25519().with_key_id("known");
    let good = sign(&card(), &key).unwrap().value()["signatures"][0].clone();
    (good, trusting(&[key.public_jwk()]))
}

fn junk(header: &Value) -> Value {
    let protected = URL_SAFE_NO_PAD.encode(header.to_string());
    json!({ "protected": protected, "signature": URL_SAFE_NO_PAD.encode([0; 64]) })
}

fn crowd(junk: &Value, count: usize, good: &Value) -> Card {
    let mut signatures = vec![junk.clone(); count];
    signatures.push(good.clone());
    with_signatures(&card(), json!(signatures))
}

#[test]
fn one_good_signature_is_found_behind_any_number_of_strangers() {
    let (good, keys) = good();
    for stranger in [
        json!({}),
        json!(7),
        junk(&json!({ "alg": "EdDSA", "kid": "stranger" })),
        junk(&json!({ "alg": "HS256", "kid": "known" })),
        junk(&json!({ "alg": "EdDSA", "kid": "k".repeat(5000) })),
    ] {
        let verification = verify(&crowd(&stranger, 2000, &good), &keys);
        assert!(verification.is_valid(), "{stranger}");
        let reported = verification.signatures();
        assert!(reported.len() < 20, "{}", reported.len());
        let pointers: Vec<_> = reported.iter().map(|one| one.pointer.as_str()).collect();
        assert!(pointers.contains(&"/signatures/2000"), "{pointers:?}");
        assert!(pointers.contains(&"/signatures/16"), "the first left out");
    }
}

#[test]
fn a_copied_key_id_hides_no_good_signature_but_costs_a_bounded_amount_of_work() {
    let (good, keys) = good();
    let copied = junk(&json!({ "alg": "EdDSA", "kid": "known" }));
    assert!(verify(&crowd(&copied, 100, &good), &keys).is_valid());

    let verification = verify(&crowd(&copied, 2000, &good), &keys);
    let Outcome::Invalid { reason } = verification.outcome() else {
        panic!("{verification:?}");
    };
    assert_eq!(reason, "the card is not what key `known` signed");
    assert!(verification.signatures().len() < 20);
}

#[test]
fn copies_of_a_good_signature_are_reported_up_to_a_limit() {
    let (good, keys) = good();
    let verification = verify(&crowd(&good, 500, &good), &keys);
    assert!(verification.is_valid());
    assert!(verification.signatures().len() < 20);
}

#[test]
fn the_key_set_of_one_signature_is_asked_for_whatever_stands_before_it() {
    let (_, mut keys) = good();
    let jku: Url = "https://keys.example/jwks.json".parse().unwrap();
    keys.allow_jku(&jku).unwrap();
    let stranger = junk(&json!({ "alg": "EdDSA", "kid": "stranger" }));
    let named = junk(&json!({ "alg": "EdDSA", "kid": "new", "jku": jku.as_str() }));
    let verification = verify(&crowd(&stranger, 100, &named), &keys);
    assert_eq!(verification.missing_key_sets(), [jku.as_str()]);
}

#[test]
fn names_of_keys_are_read_up_to_a_length() {
    let (_, keys) = good();
    for name in ["kid", "jku"] {
        for (length, told) in [
            (1024, "is not known"),
            (1025, "has 1025 bytes, 1024 are read"),
        ] {
            let mut header = json!({ "alg": "EdDSA", "kid": "k", "jku": "https://a" });
            header[name] = json!("k".repeat(length));
            let verification = verify(&with_signatures(&card(), json!([junk(&header)])), &keys);
            let state = format!("{:?}", verification.signatures()[0].state);
            assert!(state.contains(told), "{name} {length}: {state}");
        }
    }
}
