//! Which crate may use which: the layers of the workspace, checked against what cargo knows of it. And that the list of
//! case numbers in the tests' README is that of the tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use serde_json::Value;

/// What each crate may depend on within the workspace, directly. The crates beside each other never meet.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("agent-cards", &[]),
    ("gateway-protocol", &["agent-cards"]),
    ("gateway-proto", &[]),
    ("gateway-embedding", &[]),
    ("gateway-core", &["agent-cards", "gateway-protocol"]),
    (
        "gateway-store",
        &["agent-cards", "gateway-protocol", "gateway-core"],
    ),
    (
        "gateway-evaluation",
        &["agent-cards", "gateway-protocol", "gateway-core"],
    ),
    (
        "gateway-upstream",
        &[
            "agent-cards",
            "gateway-protocol",
            "gateway-proto",
            "gateway-core",
        ],
    ),
    (
        "gateway-server",
        &[
            "agent-cards",
            "gateway-protocol",
            "gateway-proto",
            "gateway-core",
        ],
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
            "gateway-embedding",
            "gateway-evaluation",
            "university",
        ],
    ),
    ("university", &[]),
];

/// What only tests and measures, and may use anything, each other too.
const OUTSIDE: [&str; 5] = ["tests", "fuzz", "load", "routing", "simulation"];

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
        if OUTSIDE.contains(&member["name"].as_str().unwrap()) {
            continue;
        }
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

#[test]
fn the_readme_explains_every_case_number_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut used = BTreeSet::new();
    for folder in ["agent-cards", "examples", "gateway", "tests"] {
        collect_cases(&root.join(folder), &mut used);
    }
    assert!(used.len() > 40, "{used:?}");
    let readme = fs::read_to_string(root.join("tests/README.md")).unwrap();
    let explained: BTreeSet<String> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once('`'))
        .map(|(number, _)| number)
        .filter(is_case)
        .map(str::to_owned)
        .collect();
    assert_eq!(used, explained);
}

/// Collects the numbers in names of test functions: `c036_…`, `c015_c071_…`.
fn collect_cases(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_cases(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let names = text.split("fn ").skip(1);
            let words = names.flat_map(|name| name.split(['(', '<']).next());
            for part in words.flat_map(|name| name.split('_').take_while(is_case)) {
                into.insert(part.to_owned());
            }
        }
    }
}

fn is_case(part: &&str) -> bool {
    let digits = part.strip_prefix('c').unwrap_or_default();
    digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
}
