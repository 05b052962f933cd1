//! `card diff`: exit codes by what changed.

use serde_json::json;

use super::{Folder, card, card_json, card_with_input, known, legacy, sound, with};
use crate::stdout;

#[test]
fn only_drift_fails_unless_every_change_is_to() {
    let folder = Folder::new();
    let old = folder.write("old.json", &sound().to_string());
    let reworded = with(&json!({"documentationUrl": "https://clock.example/docs"}));
    let reworded = folder.write("reworded.json", &reworded.to_string());
    let moved = json!({"url": "https://evil.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
    let moved = with(
        &json!({"supportedInterfaces": [moved], "documentationUrl": "https://clock.example/docs"}),
    );
    let moved = folder.write("moved.json", &moved.to_string());

    let same = card(&["diff", &old, &old, "--strict"]);
    assert_eq!(
        (same.status.code(), stdout(&same).as_str()),
        (Some(0), "no change\n")
    );

    assert_eq!(card(&["diff", &old, &reworded]).status.code(), Some(0));
    assert_eq!(
        card(&["diff", &old, &reworded, "--strict"]).status.code(),
        Some(1)
    );

    let output = card(&["diff", &old, &moved]);
    assert_eq!(output.status.code(), Some(1));
    let shown = stdout(&output);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("drift  interface-origin "), "{shown}");
    assert!(
        lines.iter().any(|line| line.starts_with("       wording ")),
        "{shown}"
    );
    assert_eq!(*lines.last().unwrap(), "2 changes, 1 of drift");
}

#[test]
fn changes_are_told_to_programs_with_their_members() {
    let folder = Folder::new();
    let old = folder.write("old.json", &sound().to_string());
    let skill = json!({"id": "now", "name": "Now", "description": "Call me.", "tags": ["time"]});
    let new = folder.write("new.json", &with(&json!({"skills": [skill]})).to_string());
    let (code, printed) = card_json(&["diff", &old, &new]);
    assert_eq!((code, &printed["drift"]), (1, &json!(true)));
    assert_eq!(printed["old"]["source"], old);
    assert_ne!(printed["old"]["fingerprint"], printed["new"]["fingerprint"]);
    assert_eq!(
        printed["changes"],
        json!([{
            "kind": "skill", "drift": true, "pointer": "/skills/0/description",
            "before": "The time now.", "after": "Call me.",
            "message": "skill `now`: `description` is `Call me.`, was `The time now.`",
        }])
    );
}

#[test]
fn the_same_agent_in_another_shape_has_not_changed() {
    let folder = Folder::new();
    let old = folder.write("old.json", &legacy(&json!({})).to_string());
    let hybrid = stdout(&card(&["show", &old, "--as", "hybrid"]));
    let output = card_with_input(&["diff", &old, "-", "--strict"], &hybrid);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn a_card_that_cannot_be_read_is_no_verdict() {
    let known = known("cards/v1.json");
    let (code, printed) = card_json(&["diff", &known, "no/such/card.json"]);
    assert_eq!(code, 1);
    assert_eq!(printed["source"], "no/such/card.json");
    assert!(
        printed["problem"]
            .as_str()
            .unwrap()
            .starts_with("cannot be read")
    );
    assert!(printed.get("changes").is_none());
}
