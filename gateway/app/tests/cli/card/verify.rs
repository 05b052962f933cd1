//! `card verify`: files of the SDKs, and key sets that are fetched.

use std::fs;

use serde_json::json;

use super::{Folder, card, card_json, known, sound};
use crate::{server::Server, stderr, stdout};

#[test]
fn c085_cards_of_the_official_sdks_verify_and_forged_ones_do_not() {
    let keys = known("signed/jwks.json");
    let folder = Folder::new();
    for name in [
        "python-1.x-es256",
        "javascript-1.x-eddsa",
        "python-0.3-ps256",
    ] {
        let path = known(&format!("signed/{name}.json"));
        let (code, printed) = card_json(&["verify", &path, "--keys", &keys]);
        assert_eq!((code, &printed["outcome"]), (0, &json!("valid")), "{name}");
        assert_eq!(printed["signatures"][0]["state"]["state"], "valid");
        assert_eq!(printed["form"], printed["signatures"][0]["state"]["form"]);

        let forged = fs::read_to_string(&path).unwrap().replace("Fees", "Fines");
        let forged = folder.write("forged.json", &forged);
        let (code, printed) = card_json(&["verify", &forged, "--keys", &keys]);
        assert_eq!(
            (code, &printed["outcome"]),
            (1, &json!("invalid")),
            "{name}"
        );
        assert_eq!(
            printed["reason"],
            printed["signatures"][0]["state"]["reason"]
        );
    }
}

#[test]
fn what_no_signature_covers_is_listed() {
    let path = known("signed/python-1.x-es256.json");
    let output = card(&["verify", &path, "--keys", &known("signed/jwks.json")]);
    assert_eq!(output.status.code(), Some(0));
    let shown = stdout(&output);
    assert!(
        shown.contains("in the form without-empty, not all of it"),
        "{shown}"
    );
    assert!(
        shown.contains("open     /securityRequirements is not covered"),
        "{shown}"
    );
}

#[test]
fn unsigned_and_unknown_are_told_from_invalid() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let keys = known("signed/jwks.json");
    let (code, printed) = card_json(&["verify", &path, "--keys", &keys]);
    assert_eq!((code, &printed["outcome"]), (1, &json!("unsigned")));
    let (code, printed) = card_json(&["verify", &known("cards/v1.json"), "--keys", &keys]);
    assert_eq!((code, &printed["outcome"]), (1, &json!("unknown-key")));
    assert_eq!(printed["kids"], json!(["a"]));
}

#[test]
fn c087_a_key_set_is_fetched_only_from_where_it_is_allowed() {
    let folder = Folder::new();
    let (key, keys) = (folder.key("key.pem"), folder.path("keys.json"));
    let plain = folder.write("card.json", &sound().to_string());
    let set = keys.clone();
    let server = Server::start(move |path| match path {
        "/keys.json" => (200, fs::read_to_string(&set).unwrap()),
        _ => (404, String::new()),
    });
    let sign = |jku: &str| {
        let arguments = [
            "sign",
            &plain,
            "--key",
            &key,
            "--jku",
            jku,
            "--public-keys",
            &keys,
        ];
        folder.write("signed.json", &stdout(&card(&arguments)))
    };
    let jku = format!("{}/keys.json", server.url);
    let signed = sign(&jku);

    let other = format!("{}/other.json", server.url);
    let (code, printed) = card_json(&["verify", &signed, "--allow-jku", &other]);
    assert_eq!((code, &printed["outcome"]), (1, &json!("unknown-key")));
    assert_eq!(server.heads().len(), 0);

    let output = card(&["verify", &signed, "--allow-jku", &jku]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{} {}",
        stdout(&output),
        stderr(&output)
    );
    let check = card(&["check", &signed, "--require-signature", "--allow-jku", &jku]);
    assert_eq!(check.status.code(), Some(0), "{}", stdout(&check));

    let lost = sign(&other);
    let (code, printed) = card_json(&["verify", &lost, "--allow-jku", &other]);
    assert_eq!((code, &printed["outcome"]), (1, &json!("unknown-key")));
    assert_eq!(
        printed["missing_key_sets"],
        json!([{"jku": other, "problem": "status 404"}])
    );
}

#[test]
fn a_served_card_is_verified_with_a_key_set_and_without_the_agents_credential() {
    let folder = Folder::new();
    let (key, keys) = (folder.key("key.pem"), folder.path("keys.json"));
    let plain = folder.write("card.json", &sound().to_string());
    let set = keys.clone();
    let key_server = Server::start(move |_| (200, fs::read_to_string(&set).unwrap()));
    let jku = format!("{}/", key_server.url);
    let signed = card(&[
        "sign",
        &plain,
        "--key",
        &key,
        "--jku",
        &jku,
        "--public-keys",
        &keys,
    ]);
    let agent = Server::with("/.well-known/agent-card.json", stdout(&signed));

    let output = card(&[
        "verify",
        &agent.url,
        "--allow-jku",
        &jku,
        "--bearer",
        "s3cret",
    ]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{} {}",
        stdout(&output),
        stderr(&output)
    );
    assert!(agent.heads()[0].contains("s3cret"));
    let heads = key_server.heads();
    assert!(
        heads.len() == 1 && !heads[0].contains("s3cret"),
        "{heads:?}"
    );
}

#[test]
fn keys_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let text = folder.write("keys.json", "no keys");
    for keys in [text, folder.path("none.json")] {
        let output = card(&["verify", &path, "--keys", &keys]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(&keys), "{}", stderr(&output));
    }
}

#[test]
fn programs_are_told_which_keys_cannot_be_read() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let keys = folder.write("keys.json", "no keys");
    let (code, printed) = card_json(&["verify", &path, "--keys", &keys]);
    assert_eq!(code, 1);
    assert!(
        printed["problem"].as_str().unwrap().contains(&keys),
        "{printed}"
    );
}
