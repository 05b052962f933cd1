//! `card fetch`: places, credentials, and what is said when there is no card.

use std::{collections::HashSet, fs};

use super::{Folder, card, card_json, sound};
use crate::{server::Server, stderr, stdout};

const CURRENT: &str = "/.well-known/agent-card.json";
const LEGACY: &str = "/.well-known/agent.json";

#[test]
fn c001_the_card_is_found_at_any_usual_place_and_printed_as_received() {
    let body = format!("  {}\r\n", sound());
    let server = Server::with(LEGACY, body.clone());
    let output = card(&["fetch", &server.url]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), body);
    let url = &server.url;
    assert_eq!(
        stderr(&output),
        format!("tried    {url}{CURRENT} · 404\ntried    {url}{LEGACY} · 200, card accepted\n")
    );

    let folder = Folder::new();
    let path = folder.path("card.json");
    let output = card(&["fetch", url, "--output", &path]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "")
    );
    assert_eq!(fs::read_to_string(path).unwrap(), body);
}

#[test]
fn fetched_cards_are_told_to_programs_with_their_places() {
    let server = Server::with(LEGACY, sound().to_string());
    let (code, printed) = card_json(&["fetch", &server.url]);
    assert_eq!(code, 0);
    assert_eq!(printed["location"], format!("{}{LEGACY}", server.url));
    assert_eq!(printed["tried"].as_array().unwrap().len(), 2);
    assert_eq!(printed["card"], sound());
    assert!(
        printed["fingerprint"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
}

#[test]
fn an_exact_address_is_the_only_place() {
    let server = Server::with("/cards?id=7", sound().to_string());
    let url = format!("{}/cards?id=7", server.url);
    assert_eq!(card(&["fetch", &url]).status.code(), Some(1));
    let output = card(&["fetch", &url, "--exact"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("id=7"));
}

#[test]
fn credentials_reach_the_agent_and_no_output() {
    let server = Server::with(CURRENT, sound().to_string());
    for (option, value, header) in [
        ("--bearer", "s3cret", "authorization: bearer s3cret"),
        ("--header", "X-Api-Key: s3cret", "x-api-key: s3cret"),
    ] {
        let output = card(&["fetch", &server.url, option, value]);
        assert_eq!(output.status.code(), Some(0));
        assert!(!format!("{output:?}").contains("s3cret"));
        let head = server.heads().last().unwrap().to_ascii_lowercase();
        assert!(head.contains(header), "{head}");
    }
}

#[test]
fn c125_causes_and_next_steps_are_told_apart() {
    let answering =
        |status: u16, body: &'static str| Server::start(move |_| (status, body.to_owned())).url;
    let closed = "http://127.0.0.1:1".to_owned();
    let urls = [
        closed,
        answering(410, ""),
        answering(404, ""),
        answering(405, ""),
        answering(401, ""),
        answering(403, ""),
        answering(500, ""),
        answering(200, "<html>Sign in</html>"),
        answering(200, "{}"),
        answering(200, r#"{"name":"a","skills":"#),
        answering(302, ""),
    ];
    let (mut causes, mut steps) = (HashSet::new(), HashSet::new());
    for url in &urls {
        let output = card(&["fetch", url]);
        let shown = stderr(&output);
        assert_eq!(
            (output.status.code(), stdout(&output).as_str()),
            (Some(1), ""),
            "{shown}"
        );
        assert!(
            shown.starts_with(&format!("tried    {url}{CURRENT} · ")),
            "{shown}"
        );
        let error = shown
            .lines()
            .last()
            .unwrap()
            .strip_prefix("error: ")
            .unwrap();
        let (cause, step) = error.rsplit_once("; ").unwrap();
        causes.insert(cause.replace(url, ""));
        steps.insert(step.to_owned());
        assert!(
            !step.contains("`url`") && !step.contains("card.url"),
            "{step}"
        );
    }
    assert_eq!(causes.len(), urls.len(), "{causes:#?}");
    // What is no card, and what is no JSON although it begins like it, are both to be corrected.
    assert_eq!(steps.len(), urls.len() - 1, "{steps:#?}");
}

#[test]
fn c083_link_local_addresses_are_never_asked() {
    for url in [
        "http://169.254.169.254/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fe80::1]/",
    ] {
        let output = card(&["fetch", url]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("link-local or serves metadata"));
    }
}
