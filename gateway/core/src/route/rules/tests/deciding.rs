//! What rules make of messages.

use gateway_protocol::{Binding, Version};

use super::super::{input::Sent, *};
use crate::{caller::Caller, decision::Hints, route::Features, testing::id};

pub(super) fn condition(text: &str) -> Condition {
    Condition::compile(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

pub(super) fn rule(name: &str, when: &str, then: Then) -> Rule {
    Rule {
        name: name.to_owned(),
        when: condition(when),
        then,
    }
}

fn features(text: &str) -> Features {
    Features {
        text: text.to_owned(),
        input_modes: vec!["text/plain".to_owned()],
        data_keys: vec!["iban".to_owned(), "amount".to_owned()],
        streaming: true,
        hints: Hints {
            skill: Some("pay".to_owned()),
            max_cost_eur: Some(0.5),
            max_effect: Some(Effect::Prepare),
            ..Hints::default()
        },
        ..Features::default()
    }
}

pub(super) fn with_input<T>(features: &Features, asked: impl FnOnce(&RuleInput<'_>) -> T) -> T {
    let caller = Caller {
        subject: "ana".to_owned(),
        tenant: Some("library".to_owned()),
    };
    asked(&RuleInput::of(
        features,
        Sent {
            operation: "SendMessage",
            version: Version::V1,
            binding: Binding::HttpJson,
            caller: &caller,
        },
    ))
}

fn holds(when: &str, features: &Features) -> Result<bool, &'static str> {
    let condition = condition(when);
    with_input(features, |input| condition.holds(&input.scope()))
}

/// Conditions with their answer for the message of [`features`].
const SEEN: &[(&str, bool)] = &[
    ("request.text.contains(\"FACTURA\")", true),
    ("request.text.contains(\"factura\")", false),
    ("request.text.folded().contains(\"factura\")", true),
    ("request.text.folded().contains(\"matricula\")", true),
    ("caller.subject.folded() == \"ana\"", true),
    (
        "request.text.startsWith(\"Pague\") && request.text.endsWith(\"78\")",
        true,
    ),
    (r#"request.text.matches("\\b[0-9]{8}\\b")"#, true),
    (r#"request.text.matches(r"\b[0-9]{9}\b")"#, false),
    (r#"request.text.folded().matches("facturas?")"#, true),
    ("\"iban\" in request.data_keys", true),
    (
        "\"text/plain\" in request.input_modes && size(request.output_modes) == 0",
        true,
    ),
    (
        "request.data_keys.exists(key, key.startsWith(\"am\"))",
        true,
    ),
    (
        "request.data_keys.all(key, key.matches(\"^[a-z]+$\"))",
        true,
    ),
    (
        "request.data_keys.filter(key, key == \"iban\").size() == 1",
        true,
    ),
    (
        "request.data_keys.map(key, key.folded()) == [\"iban\", \"amount\"]",
        true,
    ),
    ("request.data_keys[0] == \"iban\"", true),
    ("request.extensions.exists_one(uri, uri == \"x\")", false),
    (
        "request.streaming && !request.push && !request.text_cut",
        true,
    ),
    (
        "request.operation == \"SendMessage\" && request.version == \"1.0\"",
        true,
    ),
    ("request.binding in [\"HTTP+JSON\", \"GRPC\"]", true),
    (
        "has(request.hints.skill) && request.hints.skill == \"pay\"",
        true,
    ),
    (
        "has(request.hints.agent) && request.hints.agent == \"x\"",
        false,
    ),
    (
        "has(request.hints.max_cost_eur) && request.hints.max_cost_eur < 1",
        true,
    ),
    (
        "has(request.hints.max_cost_eur) ? request.hints.max_cost_eur * 2.0 > 0.9 : false",
        true,
    ),
    (
        "has(request.hints.max_effect) && request.hints.max_effect == \"prepare\"",
        true,
    ),
    ("has(caller.tenant) && caller.tenant in [\"library\"]", true),
    (
        "caller.subject == \"ana\" && request.text.size() > 10",
        true,
    ),
    ("true", true),
    ("false", false),
];

#[test]
fn conditions_see_the_message_and_the_caller() {
    let features = features("Pague la FACTURA de matrícula, número 12345678");
    for (when, expected) in SEEN.iter().copied() {
        assert_eq!(holds(when, &features), Ok(expected), "{when}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_said_without_the_values() {
    let features = features("secret");
    for (when, why) in [
        ("request.data_keys[7] == \"x\"", "beyond the end"),
        ("1 / (request.text.size() - 6) == 1", "divides by zero"),
        ("9223372036854775807 + request.text.size() > 0", "too large"),
        ("{\"a\": true}[request.text]", "absent"),
        ("[1, \"x\"][0]", "neither true nor false"),
    ] {
        let error = holds(when, &features).unwrap_err();
        assert!(error.contains(why), "{when}: {error}");
    }
}

#[test]
fn the_first_rule_that_matches_decides() {
    let rules = Rules::new(vec![
        rule(
            "no ids",
            "request.text.matches(\"[0-9]{8}\")",
            Then::Reject("no ids".to_owned()),
        ),
        rule(
            "odd",
            "request.text.contains(\"odd\") && request.data_keys[7] == \"x\"",
            Then::Pin(id("a")),
        ),
        rule("pin", "request.text.contains(\"pin\")", Then::Pin(id("a"))),
        rule(
            "all",
            "request.text.contains(\"i\")",
            Then::Use(Narrowing::default()),
        ),
    ]);
    let verdict = |text: &str| {
        with_input(&features(text), |input| match rules.decide(input) {
            RuleVerdict::Unmatched => "unmatched".to_owned(),
            RuleVerdict::Matched(rule) => rule.name.clone(),
            RuleVerdict::Rejected(rule, text) => format!("{} rejects: {text}", rule.name),
            RuleVerdict::Failed(rule, why) => format!("{} failed: {why}", rule.name),
            RuleVerdict::TextMissing(rule) => format!("{} lacks text", rule.name),
        })
    };
    assert_eq!(verdict("pin 12345678"), "no ids rejects: no ids");
    assert_eq!(
        verdict("odd pin"),
        "odd failed: its condition reads beyond the end of a list"
    );
    assert_eq!(verdict("pin"), "pin");
    assert_eq!(verdict("in"), "all");
    assert_eq!(verdict("no"), "unmatched");
}

#[test]
fn a_record_without_text_is_decided_only_by_rules_that_read_none() {
    let by_key = || rule("key", "\"iban\" in request.data_keys", Then::Pin(id("a")));
    let by_text = || rule("text", "request.text == \"x\"", Then::Pin(id("b")));
    let features = features("x");
    let decide = |rules: Rules| {
        with_input(&features, |input| {
            let recorded = RuleInput {
                text: None,
                ..*input
            };
            rules.decide(&recorded).record().map(|rule| rule.name)
        })
    };
    assert_eq!(
        decide(Rules::new(vec![by_key(), by_text()])),
        Some("key".to_owned())
    );
    assert_eq!(decide(Rules::new(vec![by_text(), by_key()])), None);
}
