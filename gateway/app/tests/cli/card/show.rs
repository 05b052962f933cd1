//! `card show`: the summary, and the card in other forms.

use serde_json::{Value, json};

use super::{Folder, card, card_json, known, legacy, sound, with};
use crate::{server::Server, stderr, stdout};

#[test]
fn the_summary_says_what_a_caller_needs() {
    let output = card(&["show", &known("cards/v1.json")]);
    assert_eq!(output.status.code(), Some(0));
    let shown = stdout(&output);
    for line in [
        "name     Payments 1.0.0",
        "form     A2A 1.0",
        "speaks   A2A 1.0 over JSONRPC at https://pay.example.edu/a2a/rpc, tenant campus",
        "offers   streaming",
        "security key (API key in header x-api-key)",
        "skill    receipt · Issue a receipt · text/plain, application/json → application/pdf",
        "signed   by key a; not verified here, see `card verify`",
        "found    nothing wrong",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    assert!(
        shown
            .lines()
            .last()
            .unwrap()
            .starts_with("card     sha256:a8fbad3c"),
        "{shown}"
    );
}

#[test]
fn the_summary_for_programs_has_the_same() {
    let (code, printed) = card_json(&["show", &known("cards/v03.json")]);
    assert_eq!(code, 0);
    assert_eq!(printed["form"], "0.3");
    assert_eq!(
        printed["interfaces"][1],
        json!({"url": "https://becas.example.edu/rest", "binding": "HTTP+JSON", "version": "0.3", "tenant": null})
    );
    assert_eq!(printed["capabilities"]["push_notifications"], true);
    assert_eq!(
        printed["security"]["requirements"],
        json!([{"campus": ["becas.read"]}])
    );
    assert_eq!(
        printed["skills"][1]["output_modes"],
        json!(["text/plain", "text/html"])
    );
    assert_eq!(printed["signatures"], json!([]));
    assert_eq!(
        json!([printed["errors"], printed["warnings"]]),
        json!([0, 0])
    );
}

#[test]
fn a_card_with_very_many_skills_is_cut_for_people_only() {
    let skills: Vec<Value> = (0..60)
        .map(|number| json!({"id": format!("s{number}"), "name": "S", "description": "d", "tags": []}))
        .collect();
    let folder = Folder::new();
    let path = folder.write("card.json", &with(&json!({"skills": skills})).to_string());
    let shown = stdout(&card(&["show", &path]));
    assert!(
        shown.contains("skill    s49 ") && !shown.contains("skill    s50 "),
        "{shown}"
    );
    assert!(shown.contains("and 10 more"), "{shown}");
    assert_eq!(
        card_json(&["show", &path]).1["skills"]
            .as_array()
            .unwrap()
            .len(),
        60
    );
}

#[test]
fn a_card_is_written_in_each_form_and_losses_are_told() {
    let folder = Folder::new();
    let history = json!({"streaming": true, "stateTransitionHistory": true});
    let path = folder.write(
        "card.json",
        &legacy(&json!({"capabilities": history})).to_string(),
    );
    let output = card(&["show", &path, "--as", "1.0"]);
    assert_eq!(output.status.code(), Some(0));
    let written: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(written["supportedInterfaces"][0]["protocolVersion"], "0.3");
    assert_eq!(written.get("url"), None);
    assert_eq!(
        stderr(&output),
        "lost     `stateTransitionHistory` has no place in 1.0 (/capabilities/stateTransitionHistory)\n"
    );

    let (code, printed) = card_json(&["show", &path, "--as", "1.0"]);
    assert_eq!(code, 0);
    assert_eq!(printed["card"], written);
    assert_eq!(
        printed["losses"][0]["pointer"],
        "/capabilities/stateTransitionHistory"
    );

    let output = card(&["show", &path, "--as", "hybrid"]);
    let written: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(written["url"].is_string() && written["supportedInterfaces"].is_array());
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_form_that_nobody_could_call_is_refused() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let output = card(&["show", &path, "--as", "0.3"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(1), "")
    );
    assert!(
        stderr(&output).contains("no interface of 0.3"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_agent_is_shown_with_the_place_of_its_card() {
    let server = Server::with("/t/1/.well-known/agent-card.json", sound().to_string());
    let output = card(&["show", &format!("{}/t/1", server.url)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let place = format!("{}/t/1/.well-known/agent-card.json", server.url);
    assert!(
        stdout(&output).ends_with(&format!(" · {place}\n")),
        "{}",
        stdout(&output)
    );
}

#[test]
fn programs_are_told_why_a_card_cannot_be_written_for_a_version() {
    let folder = Folder::new();
    let path = folder.write("card.json", &sound().to_string());
    let (code, printed) = card_json(&["show", &path, "--as", "0.3"]);
    assert_eq!(code, 1);
    let problem = printed["problem"].as_str().unwrap();
    assert!(problem.contains("no interface of 0.3"), "{problem}");
}
