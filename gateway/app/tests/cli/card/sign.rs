//! `card sign`: what it writes, and which keys it takes.

use std::fs;

use serde_json::Value;

use super::{Folder, card, card_json, card_with_input, sound};
use crate::{stderr, stdout};

#[test]
fn c085_a_card_that_was_signed_here_verifies_here() {
    let folder = Folder::new();
    let (key, keys) = (folder.key("key.pem"), folder.path("keys.json"));
    let input = sound().to_string();
    let output = card_with_input(
        &[
            "sign",
            "-",
            "--key",
            &key,
            "--key-id",
            "2026",
            "--public-keys",
            &keys,
        ],
        &input,
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let signed = stdout(&output);
    let mut value: Value = serde_json::from_str(&signed).unwrap();
    assert!(
        value
            .as_object_mut()
            .unwrap()
            .remove("signatures")
            .is_some()
    );
    assert_eq!(value, sound());
    let output = card_with_input(&["verify", "-", "--keys", &keys], &signed);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("signed by key 2026 (ES256)"),
        "{}",
        stdout(&output)
    );
    assert!(!fs::read_to_string(keys).unwrap().contains("\"d\""));
}

#[test]
fn programs_get_the_public_key_with_the_card() {
    let folder = Folder::new();
    let (key, path) = (
        folder.key("key.pem"),
        folder.write("card.json", &sound().to_string()),
    );
    let (code, printed) = card_json(&["sign", &path, "--key", &key]);
    assert_eq!((code, &printed["algorithm"]), (0, &Value::from("ES256")));
    assert_eq!(printed["public_keys"]["keys"][0]["kid"], printed["key"]);
    assert!(printed["card"]["signatures"].is_array());
}

#[test]
fn signing_in_place_keeps_the_signatures_there_are() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let mut keys = Vec::new();
    for name in ["first", "second"] {
        let (key, set) = (folder.key("key.pem"), folder.path(name));
        let output = card(&[
            "sign",
            &path,
            "--key",
            &key,
            "--output",
            &path,
            "--public-keys",
            &set,
        ]);
        assert_eq!(
            (output.status.code(), stdout(&output).as_str()),
            (Some(0), "")
        );
        keys.push(set);
    }
    for set in keys {
        assert_eq!(
            card(&["verify", &path, "--keys", &set]).status.code(),
            Some(0)
        );
    }
}

#[test]
fn a_key_that_cannot_sign_is_named_with_what_would() {
    let folder = Folder::new();
    let card_file = folder.write("card.json", &sound().to_string());
    let certificate = folder.write(
        "cert.pem",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    );
    for (key, expected) in [
        (certificate, "expected an unencrypted PKCS #8 key in PEM"),
        (folder.path("none.pem"), "cannot be read"),
    ] {
        let output = card(&["sign", &card_file, "--key", &key]);
        assert_eq!(
            (output.status.code(), stdout(&output).as_str()),
            (Some(1), "")
        );
        let shown = stderr(&output);
        assert!(shown.contains(&key) && shown.contains(expected), "{shown}");
    }
}

#[test]
fn no_file_that_is_needed_is_overwritten() {
    let folder = Folder::new();
    let (key, path) = (
        folder.key("key.pem"),
        folder.write("card.json", &sound().to_string()),
    );
    let (same_key, new) = (folder.path("./key.pem"), folder.path("new.json"));
    let before = fs::read_to_string(&key).unwrap();
    for options in [
        ["--output", &key].as_slice(),
        &["--public-keys", &same_key],
        &["--public-keys", &path],
        &[
            "--public-keys",
            &new,
            "--output",
            &folder.path("./new.json"),
        ],
    ] {
        let output = card(&[&["sign", &path, "--key", &key], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let shown = stderr(&output);
        assert!(
            shown.contains(&format!("{} is the file of ", options[0])),
            "{shown}"
        );
    }
    assert_eq!(fs::read_to_string(&key).unwrap(), before);
    assert_eq!(fs::read_to_string(&path).unwrap(), sound().to_string());
    assert!(!fs::exists(&new).unwrap());
}

#[test]
fn names_that_no_verifier_takes_are_refused() {
    let folder = Folder::new();
    let (key, path) = (
        folder.key("key.pem"),
        folder.write("card.json", &sound().to_string()),
    );
    for (options, expected) in [
        (["--key-id", ""], "a value is required"),
        (["--jku", "http://keys.example/"], "give an https address"),
    ] {
        let output = card(&[&["sign", &path, "--key", &key], options.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let shown = stderr(&output);
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn signatures_of_other_keys_are_kept_and_counted() {
    let folder = Folder::new();
    let (first, second) = (folder.key("first.pem"), folder.key("second.pem"));
    let path = folder.write("card.json", &sound().to_string());
    let sign = |key: &str| {
        let output = card(&["sign", &path, "--key", key, "--output", &path]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    let signatures = || {
        let card: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        card["signatures"].as_array().unwrap().len()
    };
    assert_eq!(sign(&first), "");
    let own = signatures();
    assert_eq!(sign(&first), "");
    assert_eq!(signatures(), own);
    let shown = sign(&second);
    let expected = format!("kept {own} signature");
    assert!(
        shown.starts_with(&expected) && shown.contains("unchecked"),
        "{shown}"
    );
    let (_, printed) = card_json(&["sign", &path, "--key", &second]);
    assert_eq!(printed["kept_signatures"], own);
    assert_eq!(
        printed["card"]["signatures"].as_array().unwrap().len(),
        2 * own
    );
}

#[test]
fn programs_are_told_why_a_card_is_not_signed() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let missing = folder.path("none.pem");
    let (code, printed) = card_json(&["sign", &path, "--key", &missing]);
    assert_eq!(code, 1);
    let problem = printed["problem"].as_str().unwrap();
    assert!(problem.contains(&missing), "{problem}");
}
