//! Keys that the configuration names.

use std::fs;

use agent_cards::SigningKey;
use gateway_core::OnDrift;
use serde_json::json;

use super::super::{Config, ConfigErrors, parse};

/// A key, and a folder with it and with files that are none.
fn folder() -> (tempfile::TempDir, SigningKey) {
    let folder = tempfile::tempdir().unwrap();
    let pem = rcgen::KeyPair::generate().unwrap().serialize_pem();
    let key = SigningKey::from_pem(pem.as_bytes()).unwrap();
    let set = json!({ "keys": [key.public_jwk()] }).to_string();
    for (name, text) in [
        ("key.pem", pem),
        ("keys.json", set),
        ("torn", "{".to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    (folder, key)
}

fn run(folder: &tempfile::TempDir, top: &str, card: &str) -> Result<Config, ConfigErrors> {
    let text = format!("{top}\nagents: [{{ id: a, url: \"http://a\", card: {{ {card} }} }}]\n");
    parse("test.yaml", folder.path(), &text, &|_| None)
}

#[test]
fn keys_are_read_from_the_folder_of_the_file() {
    let (folder, key) = folder();
    let top = "public_url: https://gw.example\n\
               trust: { keys: [keys.json], jku: [\"https://k.example/keys\"] }\n\
               keys: { card_file: key.pem, card_key_id: ours }";
    let card = "require_signature: true, origin: \"https://a.example\", on_drift: quarantine";
    let config = run(&folder, top, card).unwrap();
    assert_eq!(config.card_key.as_ref().unwrap().key_id(), "ours");
    let trust = &config.agents[0].card.trust;
    assert_eq!(trust.keys.key_ids().collect::<Vec<_>>(), [key.key_id()]);
    assert!(trust.require_signature && trust.on_drift == OnDrift::Quarantine);
    assert_eq!(trust.origin.as_ref().unwrap().host_str(), Some("a.example"));

    let own = run(
        &folder,
        "trust: { jku: [\"https://k.example/keys\"] }",
        "trusted_keys: [keys.json]",
    );
    assert_eq!(own.unwrap().agents[0].card.trust.keys.key_ids().count(), 1);
}

#[test]
fn keys_that_cannot_be_used_are_reported_where_they_are_named() {
    let (folder, _) = folder();
    for (top, card, words) in [
        ("trust: { keys: [gone.json] }", "", "cannot read this file"),
        ("trust: { keys: [torn] }", "", "expected a JWK set"),
        (
            "trust: { jku: [\"http://k.example/keys\"] }",
            "",
            "not fetched over https",
        ),
        ("keys: { card_file: keys.json }", "", "PKCS #8"),
        ("keys: { card_key_id: ours }", "", "no key to name"),
        (
            "keys: { card_file: key.pem }",
            "",
            "whatever address a caller names",
        ),
        ("", "trusted_keys: [torn]", "expected a JWK set"),
        ("", "require_signature: true", "no key to verify it with"),
        ("", "on_drift: panic", "on_drift"),
    ] {
        let errors = run(&folder, top, card).unwrap_err().to_string();
        assert!(errors.contains(words), "{top} {card}: {errors}");
    }
}
