//! `card`, on files and on servers.

mod check;
mod diff;
mod fetch;
mod show;
mod sign;
mod verify;

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

use super::{root, run};

/// Runs `card` with arguments.
fn card(arguments: &[&str]) -> Output {
    run(&[&["card"], arguments].concat())
}

/// Runs `card` with text on standard input.
fn card_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_a2a-gateway"))
        .arg("card")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Runs `card … --json` and returns the exit code and what was printed.
fn card_json(arguments: &[&str]) -> (i32, Value) {
    let output = card(&[arguments, &["--json"]].concat());
    let printed = serde_json::from_slice(&output.stdout);
    let printed = printed.unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (output.status.code().unwrap(), printed)
}

/// A folder of files for one test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Returns the path of a file, which may not exist yet.
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a new private key.
    fn key(&self, name: &str) -> String {
        let key = rcgen::KeyPair::generate().unwrap();
        self.write(name, &key.serialize_pem())
    }
}

/// Returns the path of a card that the tests of `agent-cards` use.
fn known(name: &str) -> String {
    let path: PathBuf = root().join("agent-cards/tests").join(name);
    path.to_str().unwrap().to_owned()
}

/// Returns a card of 1.0 that is in order.
fn sound() -> Value {
    json!({
        "name": "Clock", "description": "Tells the time.", "version": "1.0.0",
        "supportedInterfaces": [
            {"url": "https://clock.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        ],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "now", "name": "Now", "description": "The time now.", "tags": ["time"]}],
    })
}

/// Returns the sound card with members replaced.
fn with(changes: &Value) -> Value {
    let mut card = sound();
    for (name, value) in changes.as_object().unwrap() {
        card[name] = value.clone();
    }
    card
}

/// Returns a sound card of 0.3.
fn legacy(changes: &Value) -> Value {
    let mut card = with(changes);
    card.as_object_mut().unwrap().remove("supportedInterfaces");
    card["protocolVersion"] = json!("0.3.0");
    if card.get("url").is_none() {
        card["url"] = json!("https://clock.example/a2a");
    }
    card
}
