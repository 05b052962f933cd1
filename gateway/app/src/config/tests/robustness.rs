//! Files that nobody would write on purpose.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{EXAMPLE, bad, parse_with};

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}|[-:{}\\[\\]&*!|>'\"%@`#?, \\n\\r\\ta-c$]{0,120}") {
        if let Err(errors) = parse_with(&text, &[("a", "b")]) {
            prop_assert!(errors.count() > 0);
            prop_assert!(!errors.to_string().is_empty());
        }
    }

    #[test]
    fn damaged_examples_never_panic(from in 0..EXAMPLE.len(), length in 0..80_usize, patch in "[-:{}\\[\\]&*'\" \\na-z0-9$]{0,8}") {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        let to = (from + length).min(bytes.len());
        bytes.splice(from..to, patch.bytes());
        let text = String::from_utf8_lossy(&bytes);
        if let Err(errors) = parse_with(&text, &[("BECAS_TOKEN", "t")]) {
            prop_assert!(!errors.to_string().is_empty());
        }
    }
}

/// Refuses a text that is made to take time and memory; one that takes minutes is stopped by the test runner.
fn refused(text: &str) -> String {
    let errors = bad(text);
    assert!(errors.len() < 50_000, "{} bytes of report", errors.len());
    errors
}

#[test]
fn alias_bombs_are_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        writeln!(bomb, "a{level}: &a{level} [{below}]").unwrap();
    }
    assert!(refused(&bomb).contains("expands to more than 8 MiB"));
    let long = format!(
        "a: &a \"{}\"\nb: [{}]\n",
        "x".repeat(100_000),
        "*a, ".repeat(1000)
    );
    assert!(refused(&long).contains("expands to more than 8 MiB"));
}

#[test]
fn an_alias_inside_its_own_value_is_refused() {
    assert!(refused("agents: &a [*a]\n").contains("no complete value"));
}

#[test]
fn deep_nesting_is_refused() {
    assert!(refused(&"[".repeat(100_000)).contains("error"));
    assert!(
        refused(&format!("a: {}{}", "[".repeat(40), "]".repeat(40)))
            .contains("nested deeper than 32")
    );
    let block: String = (0..60)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    assert!(refused(&block).contains("nested deeper than 32"));
}

#[test]
fn large_files_are_refused_unread() {
    assert!(refused(&"# x\n".repeat(2_000_000)).contains("larger than 4 MiB"));
}

#[test]
fn large_mappings_are_read_refused() {
    let keys: String = (0..100_000)
        .map(|index| format!("key{index}: 1\n"))
        .collect();
    assert!(refused(&keys).contains("50 errors"));
    let line = format!("{{{}}}", "bearer: x, value: y, ".repeat(40_000));
    assert!(refused(&line).contains("given twice"));
}

#[test]
fn a_run_stops_after_enough_errors() {
    let keys: String = (0..5000).map(|index| format!("key{index}: 1\n")).collect();
    assert!(refused(&keys).contains("50 errors in a2a-gateway.yaml; there may be more"));
}

#[test]
fn tags_and_odd_keys_are_refused() {
    assert!(refused("agents: !!seq []\n").contains("tags are not supported"));
    assert!(refused("[a]: b\n").contains("a key must be plain text"));
    assert!(refused("<<: { listen: x }\n").contains("unknown key `<<`"));
}
