//! Which crate may use which: the layers of the workspace, checked against what cargo knows of it.

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;

/// What each crate may depend on within the workspace, directly. The crates beside each other never meet.
const ALLOWED: [(&str, &[&str]); 8] = [
    ("agent-cards", &[]),
    ("gateway-protocol", &["agent-cards"]),
    ("gateway-core", &["agent-cards", "gateway-protocol"]),
    (
        "gateway-store",
        &["agent-cards", "gateway-protocol", "gateway-core"],
    ),
    (
        "gateway-upstream",
        &["agent-cards", "gateway-protocol", "gateway-core"],
    ),
    (
        "gateway-server",
        &["agent-cards", "gateway-protocol", "gateway-core"],
    ),
    (
        "gateway",
        &[
            "agent-cards",
            "gateway-protocol",
            "gateway-core",
            "gateway-store",
            "gateway-upstream",
            "gateway-server",
            "university",
        ],
    ),
    ("university", &[]),
];

/// What only tests and measures, and may use anything.
const OUTSIDE: [&str; 2] = ["tests", "load"];

fn members() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(metadata["packages"].take()).unwrap()
}

#[test]
fn crates_use_only_the_layers_below_them() {
    let allowed: BTreeMap<_, _> = ALLOWED.into_iter().collect();
    let members = members();
    let names: Vec<_> = members
        .iter()
        .map(|member| member["name"].as_str().unwrap())
        .collect();
    for member in &members {
        let name = member["name"].as_str().unwrap();
        if OUTSIDE.contains(&name) {
            continue;
        }
        let Some(below) = allowed.get(name) else {
            panic!("`{name}` is a new crate: say here which layers it may use");
        };
        for dependency in member["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            let within = names.contains(&used);
            assert!(
                !within || below.contains(&used),
                "`{name}` must not use `{used}`"
            );
        }
    }
    assert!(names.len() > ALLOWED.len(), "cargo knows only {names:?}");
}

#[test]
fn nothing_depends_on_what_only_tests_and_measures() {
    for member in members() {
        for dependency in member["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            assert!(
                !OUTSIDE.contains(&used),
                "`{}` uses `{used}`",
                member["name"]
            );
        }
    }
}
