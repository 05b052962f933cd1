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
        ("secret.json", r#"{"kty":"oct","k":"AAAA","kid":"k"}"#.to_owned()),
        (
            "hmac.json",
            r#"{"keys":[{"kty":"oct","k":"AAAA","alg":"HS256","kid":"k\nx"}]}"#.to_owned(),
        ),
        (
            "encryption.json",
            r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","use":"enc","kid":"e"}]}"#.to_owned(),
        ),
        ("none.json", r#"{"keys":[]}"#.to_owned()),
        (
            "curve.json",
            r#"{"keys":[{"kty":"OKP","crv":"X25519","x":"AAAA","kid":"c"}]}"#.to_owned(),
        ),
        ("kind.json", r#"{"keys":[{"kty":"PQC","kid":"q"}]}"#.to_owned()),
        ("private.json", {
            let mut jwk = key.public_jwk();
            jwk["d"] = json!("AAAA");
            jwk.to_string()
        }),
        ("mixed.json", {
            let encryption = json!({ "kty": "EC", "use": "enc", "crv": "P-256", "kid": "e",
                "x": key.public_jwk()["x"], "y": key.public_jwk()["y"] });
            json!({ "keys": [encryption, key.public_jwk()] }).to_string()
        }),
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
        (
            "trust: { jku: [\"https://169.254.169.254/keys\"] }",
            "",
            "never called",
        ),
        (
            "trust: { jku: [\"https://metadata.google.internal/keys\"] }",
            "",
            "never called",
        ),
        ("", "url: \"http://[fe80::1]/card.json\"", "never called"),
        (
            "trust: { keys: [secret.json] }",
            "",
            "`k`: the key is a shared secret",
        ),
        ("trust: { keys: [hmac.json] }", "", "key `k\\nx`"),
        ("", "trusted_keys: [private.json]", "the private half"),
        ("", "trusted_keys: [curve.json]", "key `c`"),
        ("", "trusted_keys: [kind.json]", "key `q`"),
        (
            "",
            "trusted_keys: [encryption.json]",
            "no key that verifies",
        ),
        ("", "trusted_keys: [none.json]", "no key that verifies"),
        (
            "",
            "origin: \"https://a.example:8443/a2a?x=1\"",
            "write `https://a.example:8443`",
        ),
    ] {
        let errors = run(&folder, top, card).unwrap_err().to_string();
        assert!(errors.contains(words), "{top} {card}: {errors}");
    }
}

#[test]
fn keys_for_other_uses_beside_a_good_one_do_no_harm() {
    let (folder, _) = folder();
    let config = run(&folder, "trust: { keys: [mixed.json] }", "").unwrap();
    assert_eq!(config.agents[0].card.trust.keys.key_ids().count(), 1);
}

#[test]
fn c083_an_agent_at_an_address_that_is_never_called_is_refused() {
    let (folder, _) = folder();
    for url in [
        "http://169.254.169.254/",
        "http://[::ffff:169.254.1.1]/",
        "http://100.100.100.200/",
    ] {
        let text = format!("agents: [{{ id: a, url: \"{url}\" }}]\n");
        let errors = parse("test.yaml", folder.path(), &text, &|_| None).unwrap_err();
        assert!(errors.to_string().contains("never called"), "{errors}");
    }
}
