//! Cards against what the operator demands of them.

use agent_cards::{Card, Change, SigningKey, TrustedKeys, sign, verify};
use serde_json::{Value, json};
use std::sync::Arc;

use super::*;
use crate::{
    agent::ServeCard,
    testing::{card, fetched, spec},
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn standard(spec: &AgentSpec) -> Standard<'_> {
    Standard {
        spec,
        last: None,
        pinned: &Pinned::Nothing,
        approved: None,
    }
}

fn plain() -> Card {
    card("a", "about", &json!({}))
}

fn other_skill() -> Card {
    let skills =
        json!({ "skills": [{ "id": "other", "name": "o", "description": "o", "tags": [] }] });
    card("a", "about", &skills)
}

#[track_caller]
fn accepted(judgement: Judgement) -> (AcceptedCard, Departure) {
    match judgement {
        Judgement::Accept(card, departure) => (*card, departure),
        other => panic!("not accepted: {other:?}"),
    }
}

#[track_caller]
fn refused(judgement: Judgement) -> String {
    match judgement {
        Judgement::Refuse(problem) => problem,
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
fn held(judgement: Judgement) -> HeldCard {
    match judgement {
        Judgement::Hold(held) => held,
        other => panic!("not held: {other:?}"),
    }
}

#[test]
fn a_card_that_cannot_be_called_replaces_none_that_can() {
    let spec = spec("a");
    let pigeon = json!({ "supportedInterfaces": [
        { "url": "http://x.test/", "protocolBinding": "urn:pigeon", "protocolVersion": "1.0" }
    ]});
    let (callable, uncallable) = (fetched(plain()), fetched(card("a", "about", &pigeon)));
    let (first, _) = accepted(standard(&spec).judge(&callable, NOW));
    let after = |last| Standard {
        last: Some(last),
        ..standard(&spec)
    };
    refused(after(&first).judge(&uncallable, NOW));

    let (alone, _) = accepted(standard(&spec).judge(&uncallable, NOW));
    let (again, _) = accepted(after(&alone).judge(&uncallable, NOW));
    assert!(again.endpoints.is_empty() && !again.findings.is_empty());
    accepted(after(&alone).judge(&callable, NOW));
}

#[test]
fn a_confirmed_card_is_as_new() {
    let (spec, later) = (spec("a"), Timestamp::from_second(99).unwrap());
    let mut fetched = fetched(plain());
    let (first, _) = accepted(standard(&spec).judge(&fetched, NOW));
    fetched.fresh_for *= 2;
    let standard = Standard {
        last: Some(&first),
        ..standard(&spec)
    };
    let (again, _) = accepted(standard.judge(&fetched, later));
    assert_eq!(
        (again.confirmed_at, again.fresh_for),
        (later, first.fresh_for * 2)
    );
    assert_eq!(again.endpoints, first.endpoints);
}

#[test]
fn drift_is_told_ignored_or_held_as_configured() {
    let (old, new) = (Pinned::Card(plain()), fetched(other_skill()));
    let old_fingerprint = plain().fingerprint().to_owned();
    let judged = |on_drift, approved| {
        let mut spec = spec("a");
        spec.card.trust.on_drift = on_drift;
        Standard {
            pinned: &old,
            approved,
            ..standard(&spec)
        }
        .judge(&new, NOW)
    };
    let (_, ignored) = accepted(judged(OnDrift::Ignore, None));
    assert!(ignored.is_none());
    let (_, told) = accepted(judged(OnDrift::Warn, None));
    assert!(
        told.changes.len() == 2 && told.changes.iter().all(Change::is_drift),
        "{told:?}"
    );
    let waiting = held(judged(OnDrift::Quarantine, None));
    assert_eq!(waiting.departure.changes, told.changes);
    held(judged(OnDrift::Quarantine, Some(&old_fingerprint)));
    accepted(judged(OnDrift::Quarantine, Some(new.card.fingerprint())));
}

#[test]
fn an_accepted_card_that_cannot_be_read_is_not_the_same_as_none() {
    let (lost, new) = (Pinned::Unreadable("it is cut off".into()), fetched(plain()));
    let judged = |on_drift, approved| {
        let mut spec = spec("a");
        spec.card.trust.on_drift = on_drift;
        Standard {
            pinned: &lost,
            approved,
            ..standard(&spec)
        }
        .judge(&new, NOW)
    };
    let (_, ignored) = accepted(judged(OnDrift::Ignore, None));
    assert!(ignored.is_none());
    let (_, told) = accepted(judged(OnDrift::Warn, None));
    let waiting = held(judged(OnDrift::Quarantine, None)).departure;
    for unknown in [told.unknown, waiting.unknown] {
        assert!(unknown.unwrap().contains("it is cut off"));
    }
    held(judged(OnDrift::Quarantine, Some("sha256:00")));
    let approved = Some(new.card.fingerprint());
    accepted(judged(OnDrift::Quarantine, approved));
}

#[test]
fn a_signature_that_no_longer_holds_is_drift() {
    let (key, keys) = key();
    let mut spec = spec("a");
    spec.card.trust.on_drift = OnDrift::Quarantine;
    spec.card.trust.keys = Arc::new(keys.clone());
    let signed = sign(&plain(), &key).unwrap();
    let mut tampered = signed.value().clone();
    tampered["version"] = json!("2");
    let tampered = Card::parse(tampered.to_string().as_bytes()).unwrap();
    let pinned = Pinned::Card(signed.clone());
    let standard = Standard {
        pinned: &pinned,
        ..standard(&spec)
    };
    accepted(standard.judge(&verified(signed, &keys), NOW));
    let waiting = held(standard.judge(&verified(tampered, &keys), NOW));
    assert_eq!(
        waiting.departure.changes[0].message,
        "the signature no longer holds"
    );
}

#[test]
fn an_unknown_key_says_where_it_was_looked_for() {
    let (key, _) = key();
    let jku: url::Url = "https://keys.test/set.json".parse().unwrap();
    let card = sign(&plain(), &key.with_jku(jku.clone())).unwrap();
    let mut spec = spec("a");
    spec.card.trust.require_signature = true;
    let mut read = TrustedKeys::new();
    read.allow_jku(&jku).unwrap();
    let others = TrustedKeys::new();
    for (keys, expected) in [
        (
            &read,
            "does not have (https://keys.test/set.json), which was read",
        ),
        (&others, "not allowed (https://keys.test/set.json)"),
    ] {
        let fetched = verified(card.clone(), keys);
        let problem = refused(standard(&spec).judge(&fetched, NOW));
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn a_demanded_signature_covers_all_that_callers_are_shown() {
    let (key, keys) = key();
    let mut spec = spec("a");
    spec.card.trust.require_signature = true;
    let mut value = sign(&plain(), &key).unwrap().value().clone();
    value["url"] = json!("http://evil.test/rpc");
    let card = Card::parse(value.to_string().as_bytes()).unwrap();
    let fetched = verified(card, &keys);
    for (serve, is_refused) in [
        (ServeCard::Rewritten, false),
        (ServeCard::WithOriginal, true),
        (ServeCard::Verbatim, true),
    ] {
        spec.card.serve = serve;
        let judged = standard(&spec).judge(&fetched, NOW);
        assert_eq!(
            matches!(judged, Judgement::Refuse(_)),
            is_refused,
            "{serve:?}"
        );
    }
}

#[test]
fn wording_is_no_drift() {
    let mut spec = spec("a");
    spec.card.trust.on_drift = OnDrift::Quarantine;
    let (old, new) = (
        Pinned::Card(plain()),
        fetched(card("a", "about", &json!({ "version": "2" }))),
    );
    let standard = Standard {
        pinned: &old,
        ..standard(&spec)
    };
    accepted(standard.judge(&new, NOW));
}

/// A key and the set that trusts it.
fn key() -> (SigningKey, TrustedKeys) {
    let pair = rcgen::KeyPair::generate().unwrap();
    let key = SigningKey::from_pem(pair.serialize_pem().as_bytes()).unwrap();
    let mut trusted = TrustedKeys::new();
    let set = json!({ "keys": [key.public_jwk()] }).to_string();
    trusted.add(set.as_bytes()).unwrap();
    (key, trusted)
}

fn verified(card: Card, keys: &TrustedKeys) -> FetchedCard {
    FetchedCard {
        verification: verify(&card, keys),
        ..fetched(card)
    }
}

#[test]
fn c085_a_demanded_signature_must_hold_and_each_lack_has_its_own_words() {
    let (key, keys) = key();
    let mut spec = spec("a");
    spec.card.trust.require_signature = true;
    spec.card.trust.keys = Arc::new(keys.clone());
    let judged = |card: Card, keys: &TrustedKeys| standard(&spec).judge(&verified(card, keys), NOW);

    let good = sign(&plain(), &key).unwrap();
    accepted(judged(good.clone(), &keys));
    let mut tampered: Value = good.value().clone();
    tampered["skills"][0]["description"] = json!("anything");
    let tampered = Card::parse(tampered.to_string().as_bytes()).unwrap();
    let problems = [
        refused(judged(plain(), &keys)),
        refused(judged(tampered, &keys)),
        refused(judged(good, &TrustedKeys::new())),
    ];
    for (problem, words) in problems
        .iter()
        .zip(["no signature", "does not hold", "not known"])
    {
        assert!(problem.contains(words), "{problem}");
    }
}

#[test]
fn c085_what_a_demanded_signature_leaves_open_is_not_used() {
    let (key, keys) = key();
    let mut spec = spec("a");
    spec.card.trust.require_signature = true;
    let mut value = sign(&plain(), &key).unwrap().value().clone();
    value["url"] = json!("http://evil.test/rpc");
    let card = Card::parse(value.to_string().as_bytes()).unwrap();
    let fetched = verified(card, &keys);
    let (strict, _) = accepted(standard(&spec).judge(&fetched, NOW));
    assert!(
        strict
            .endpoints
            .iter()
            .all(|end| !end.declared.contains("evil"))
    );
    assert_ne!(strict.card.fingerprint(), strict.received.fingerprint());
}

#[test]
fn cards_must_keep_to_an_expected_origin() {
    let mut spec = spec("a");
    spec.card.trust.origin = Some("http://x.test".parse().unwrap());
    accepted(standard(&spec).judge(&fetched(plain()), NOW));
    spec.card.trust.origin = Some("https://x.test".parse().unwrap());
    let problem = refused(standard(&spec).judge(&fetched(plain()), NOW));
    assert!(problem.contains("`http://x.test/rpc`"), "{problem}");
}
