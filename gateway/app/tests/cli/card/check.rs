//! `card check`: what it finds, and its exit codes.

use std::fs;

use serde_json::{Value, json};

use super::{Folder, card, card_json, card_with_input, known, legacy, sound, with};
use crate::{root, server::Server, stderr, stdout};

/// Returns `severity pointer` of each finding about the only card.
fn found(printed: &Value) -> Vec<String> {
    let findings = printed["cards"][0]["findings"].as_array().unwrap();
    let shown = findings.iter().map(|finding| {
        let (severity, pointer) = (&finding["severity"], &finding["pointer"]);
        assert!(!finding["message"].as_str().unwrap().is_empty());
        format!(
            "{} {}",
            severity.as_str().unwrap(),
            pointer.as_str().unwrap()
        )
    });
    shown.collect()
}

#[test]
fn c129_each_kind_of_broken_card_is_an_error_at_its_member() {
    let interface = json!({"url": "https://clock.example/a2a", "protocolBinding": "JSONRPC"});
    let skill = &sound()["skills"][0];
    let cases: [(Value, &[&str], &str); 8] = [
        (json!({}), &[], ""),
        (
            legacy(&json!({"url": "https://clock.example/.well-known/agent-card.json"})),
            &[],
            "/url",
        ),
        (
            legacy(&json!({})),
            &["--for-version", "1.0"],
            "/supportedInterfaces",
        ),
        (sound(), &["--for-version", "0.3"], "/url"),
        (
            with(&json!({"supportedInterfaces": [interface]})),
            &[],
            "/supportedInterfaces/0/protocolVersion",
        ),
        (
            with(&json!({"capabilities": {"streaming": "yes"}})),
            &[],
            "/capabilities/streaming",
        ),
        (
            with(&json!({"skills": [skill, skill]})),
            &[],
            "/skills/1/id",
        ),
        (sound(), &["--require-signature"], "/signatures"),
    ];
    let folder = Folder::new();
    for (body, options, pointer) in cases {
        let path = folder.write("card.json", &body.to_string());
        let (code, printed) = card_json(&[&["check", &path], options].concat());
        assert_eq!(code, 1, "{printed:#}");
        assert_eq!(found(&printed), [format!("error {pointer}")], "{printed:#}");
        assert_eq!(printed["ok"], false);
        assert_eq!(printed["cards"][0]["errors"], 1);
        let text = stdout(&card(&[&["check", &path], options].concat()));
        assert!(text.contains(&format!("error    {pointer}")), "{text}");
    }
}

#[test]
fn c129_a_card_of_0_3_in_the_form_of_1_0_is_none_for_clients_of_0_3() {
    let folder = Folder::new();
    let interface = json!({"url": "https://clock.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"});
    let body = with(&json!({"supportedInterfaces": [interface]}));
    let path = folder.write("card.json", &body.to_string());
    let (code, printed) = card_json(&["check", &path, "--for-version", "0.3"]);
    assert_eq!(code, 1);
    assert!(
        found(&printed).contains(&"error /url".to_owned()),
        "{printed:#}"
    );
    let (code, printed) = card_json(&["check", &path]);
    assert_eq!(
        (code, found(&printed)),
        (0, vec!["warning /url".to_owned()])
    );
}

#[test]
fn c129_warnings_alone_fail_only_when_asked_to() {
    let folder = Folder::new();
    let doubtful = with(&json!({"defaultInputModes": ["text"]}));
    let path = folder.write("card.json", &doubtful.to_string());
    let output = card(&["check", &path]);
    assert_eq!(output.status.code(), Some(0));
    let shown = stdout(&output);
    assert!(
        shown.contains("card.json: Clock · 1 warning\nwarning  /defaultInputModes/0 `text` is not a media type (write `text/plain`)"),
        "{shown}"
    );
    assert_eq!(card(&["check", &path, "--strict"]).status.code(), Some(1));
    let clean = folder.write("clean.json", &sound().to_string());
    let output = card(&["check", &clean, "--strict"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("nothing wrong"));
}

#[test]
fn c129_every_public_card_gets_findings_that_say_where_and_how_bad() {
    let folder = root().join("agent-cards/tests/cards/public");
    let mut paths: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(".json"))
        .collect();
    paths.sort();
    let arguments: Vec<&str> = ["check"]
        .into_iter()
        .chain(paths.iter().map(String::as_str))
        .collect();
    let (code, printed) = card_json(&arguments);
    let cards = printed["cards"].as_array().unwrap();
    assert_eq!(cards.len(), paths.len());
    let any = |severity: &str| cards.iter().any(|one| one[severity] != 0);
    assert!(any("warnings"));
    assert_eq!(code, i32::from(any("errors")));
    assert_eq!(card_json(&[&arguments[..], &["--strict"]].concat()).0, 1);
    for one in cards {
        let findings = one["findings"].as_array().unwrap();
        let of = |severity: &str| {
            findings
                .iter()
                .filter(|finding| finding["severity"] == severity)
                .count()
        };
        assert_eq!(
            json!([of("error"), of("warning")]),
            json!([one["errors"], one["warnings"]])
        );
        assert_eq!(of("error") + of("warning"), findings.len());
    }
}

#[test]
fn c129_a_fetched_card_is_compared_with_the_address_it_came_from() {
    let server = Server::with("/.well-known/agent-card.json", sound().to_string());
    let (code, printed) = card_json(&["check", &server.url]);
    assert_eq!(code, 0, "{printed:#}");
    assert_eq!(found(&printed), ["warning /supportedInterfaces/0/url"]);
    let location = format!("{}/.well-known/agent-card.json", server.url);
    assert_eq!(printed["cards"][0]["location"], location);
}

#[test]
fn one_card_that_cannot_be_read_does_not_hide_the_others() {
    let folder = Folder::new();
    let good = folder.write("good.json", &sound().to_string());
    let html = folder.write("page.json", "<html>Sign in</html>");
    let output = card(&[
        "check",
        "no/such/card.json",
        &html,
        "http://127.0.0.1:1",
        &good,
    ]);
    assert_eq!(output.status.code(), Some(1));
    let shown = stdout(&output);
    for expected in [
        "no/such/card.json: 1 error\nerror    cannot be read: No such file",
        "page.json: 1 error\nerror    the body is HTML, not JSON",
        "http://127.0.0.1:1/: 1 error\nerror    nothing listens at its address",
        "tried    http://127.0.0.1:1/.well-known/agent-card.json · nothing listens",
        "good.json: Clock · nothing wrong",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let output = card_with_input(&["check", "-"], &sound().to_string());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = card_with_input(&["check", "-", "-"], &sound().to_string());
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("it was read already"));
}

#[test]
fn signatures_are_judged_by_the_keys_given() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let (key, keys) = (folder.key("key.pem"), folder.path("keys.json"));
    let signed = folder.path("signed.json");
    let output = card(&[
        "sign",
        &path,
        "--key",
        &key,
        "--public-keys",
        &keys,
        "--output",
        &signed,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let demanded =
        |card: &str, keys: &str| card_json(&["check", card, "--require-signature", "--keys", keys]);
    assert_eq!(demanded(&signed, &keys).0, 0);

    let strangers = known("signed/jwks.json");
    let (code, printed) = demanded(&signed, &strangers);
    assert_eq!(
        (code, found(&printed)),
        (1, vec!["error /signatures".to_owned()])
    );
    let (code, printed) = card_json(&["check", &signed, "--keys", &strangers]);
    assert_eq!(
        (code, found(&printed)),
        (0, vec!["warning /signatures".to_owned()])
    );
    assert_eq!(card_json(&["check", &path, "--keys", &strangers]).0, 0);

    let forged = fs::read_to_string(&signed)
        .unwrap()
        .replace("clock.example", "evil.example");
    let forged = folder.write("forged.json", &forged);
    for options in [
        &["--keys", &keys][..],
        &["--keys", &keys, "--require-signature"],
    ] {
        let (code, printed) = card_json(&[&["check", &forged], options].concat());
        assert_eq!(
            (code, found(&printed)),
            (1, vec!["error /signatures".to_owned()])
        );
    }
    let mut added: Value = serde_json::from_str(&fs::read_to_string(&signed).unwrap()).unwrap();
    added["url"] = json!("https://evil.example/");
    let added = folder.write("added.json", &added.to_string());
    let (_, printed) = demanded(&added, &keys);
    assert!(
        found(&printed).contains(&"warning /url".to_owned()),
        "{printed:#}"
    );
}

#[test]
fn texts_of_a_card_neither_steer_the_terminal_nor_forge_lines() {
    let folder = Folder::new();
    let name = "A\u{1b}[2J\nerror    /forged\u{202e}\u{85}";
    let skill = json!({"id": "x\u{1b}\n", "name": name, "description": name, "tags": [name]});
    let hostile =
        with(&json!({"name": name, "skills": [skill, skill], "x\u{1b}\n": 1, "version": 1}));
    let path = folder.write("card.json", &hostile.to_string());
    for command in ["check", "show"] {
        let output = card(&[command, &path]);
        let shown = stdout(&output);
        let steers = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!shown.contains(steers), "{shown:?}");
        assert!(!shown.contains("\nerror    /forged"), "{shown}");
        let (_, printed) = card_json(&[command, &path]);
        let spelled = if command == "check" {
            &printed["cards"][0]["name"]
        } else {
            &printed["name"]
        };
        assert_eq!(spelled, name);
    }
}

#[test]
fn a_huge_file_is_refused_with_the_limit() {
    let folder = Folder::new();
    let path = folder.write("card.json", &" ".repeat(1024 * 1024 + 1));
    let output = card(&["check", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("over the limit of 1048576 bytes"));
    let server = Server::start(|_| (200, " ".repeat(1024 * 1024 + 1)));
    let output = card(&["check", &server.url]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("over the limit of 1048576 bytes"));
}

#[test]
fn wrong_usage_is_told_from_a_bad_card() {
    for arguments in [
        &["check"][..],
        &["check", "ftp://agent.example"],
        &["check", "http://"],
        &["check", "x.json", "--for-version", "latest"],
        &["check", "x.json", "--bearer", "a", "--header", "b: c"],
        &["check", "x.json", "--header", "no colon"],
        &["check", "x.json", "--header", "Host: agent.example"],
        &["fetch", "x.json"],
        &["sign", "https://agent.example", "--key", "k.pem"],
        &["verify", "x.json"],
        &[
            "verify",
            "x.json",
            "--allow-jku",
            "http://keys.example/keys.json",
        ],
        &["show", "x.json", "--as", "2.0"],
        &["diff", "x.json"],
    ] {
        let output = card(arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?} {}",
            stderr(&output)
        );
    }
}
