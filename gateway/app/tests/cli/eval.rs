//! `eval`: the gate over labelled messages.

use std::fs;

use serde_json::Value;

use super::{run, stderr, stdout};

const CONFIG: &str = "examples/eval/a2a-gateway.yaml";
const CARDS: &str = "examples/eval/cards";

fn eval(cases: &str, more: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.yaml");
    fs::write(&file, cases).unwrap();
    let file = file.to_str().unwrap();
    let arguments = [
        "eval", "--config", CONFIG, "--cards", CARDS, "--cases", file,
    ];
    run(&[&arguments, more].concat())
}

#[test]
fn the_example_passes() {
    let output = run(&[
        "eval",
        "--config",
        CONFIG,
        "--cards",
        CARDS,
        "--cases",
        "examples/eval/cases.yaml",
    ]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    assert_eq!(
        stdout(&output),
        "8 of 8 cases as expected (100.0 %), 0 sent where forbidden\n"
    );
}

const MIXED: &str = "
- { name: right, text: When is the library open?, expect: { agent: library } }
- { name: also right, text: find books, expect: { agents: [library, payments] } }
- name: all wrong
  text: How do I appeal the grade of an exam?
  expect: { agent: payments, skill: quote_fees, rule: guests, max_cost: -1, why: { library: nonsense } }
";

#[test]
fn what_went_wrong_is_said_with_the_reasons() {
    let output = eval(MIXED, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let shown = stdout(&output);
    for part in [
        "FAILED   all wrong: expected `payments`, got `regulations`",
        "expected the skill `quote_fees`, got `explain_article`",
        "expected the rule `guests`, got `none`",
        "expected a cost up to -1, got 0",
        "nothing says `nonsense` about `library`",
        "regulations chosen, score ",
        "payments discarded",
        "below_min_fit",
        "2 of 3 cases as expected (66.7 %), 0 sent where forbidden",
    ] {
        assert!(shown.contains(part), "`{part}` is missing in {shown}");
    }
    assert!(!shown.contains("right:"), "{shown}");
}

#[test]
fn a_part_may_be_wrong_but_nothing_forbidden() {
    assert_eq!(
        eval(MIXED, &["--min-accuracy", "0.66"]).status.code(),
        Some(0)
    );
    assert_eq!(
        eval(MIXED, &["--min-accuracy", "0.67"]).status.code(),
        Some(1)
    );
    let forbidden = "- { name: no, text: find books, expect: { agent: library, not: [library] } }";
    let output = eval(forbidden, &["--min-accuracy", "0", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["total"], &report["forbidden"]),
        (&1.into(), &1.into())
    );
    assert_eq!(report["cases"][0]["agent"], "library");
}

#[test]
fn mistakes_in_cases_are_no_results() {
    for (cases, told) in [
        ("[]", "has no cases"),
        ("- {}", "cases.yaml:1:3"),
        (
            "- { name: a, expect: { none: true } }",
            "needs `text` or `message`",
        ),
        ("- { name: a, text: x, expect: {} }", "expects nothing"),
        (
            "- { name: a, text: x, expect: { agent: librry } }",
            "names the agent `librry`",
        ),
        (
            "- { name: a, text: x, expect: { rule: nonsense } }",
            "names the rule `nonsense`",
        ),
        (
            "- { name: a, text: x, expect: { agent: library, none: true } }",
            "more than once",
        ),
        ("- { name: a, txt: x, expect: { none: true } }", "txt"),
        (
            "- { name: a, text: x, client: \"7\", expect: { none: true } }",
            "no supported A2A version",
        ),
        (
            "- { name: a, text: x, profile: y, expect: { none: true } }",
            "no routing profile `y`",
        ),
    ] {
        let output = eval(cases, &[]);
        assert_eq!(output.status.code(), Some(1), "{cases}");
        assert!(
            stderr(&output).contains(told),
            "{cases}: {}",
            stderr(&output)
        );
        assert!(stdout(&output).is_empty(), "{cases}");
    }
}

#[test]
fn a_card_that_is_missing_in_the_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "eval",
        "--config",
        CONFIG,
        "--cases",
        "examples/eval/cases.yaml",
        "--cards",
    ];
    let output = run(&[&arguments[..], &[folder.path().to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("no card of agent `payments`"),
        "{}",
        stderr(&output)
    );
}
