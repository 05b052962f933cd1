//! Routing rules in a file: what they mean and how their mistakes are reported.

use gateway_core::{
    Effect,
    route::rules::{Narrowing, Then},
};

use super::{bad, good};

/// Compares with the stored reports; the test shows what they are about.
macro_rules! snapshot {
    ($reports:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($reports) })
    };
}

fn with_rules(rules: &str) -> String {
    format!(
        "agents: [{{ id: payments, url: \"http://a\" }}, {{ id: library, url: \"http://b\" }}]
routing:
  profiles: {{ careful: {{ max_effect: read, by_request: true }}, bold: {{ extends: careful, max_effect: external_effect }} }}
  rules:
{rules}"
    )
}

#[test]
fn rules_mean_what_they_say() {
    let config = good(&with_rules(
        "    - { when: 'request.push', use: { agent: library } }
    - name: invoices
      when: >-
        request.text.folded().contains(\"factura\") ||
        request.text.contains(\"invoice\")
      use: { agents: [payments, library], profile: careful, max_effect: prepare }
    - { when: 'true', reject: Not now. }
",
    ));
    let rules = config.rules.as_slice();
    let names: Vec<_> = rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["rule 1", "invoices", "rule 3"]);
    let id = |name| {
        config
            .agents
            .iter()
            .find(|agent| agent.id.as_str() == name)
            .unwrap()
            .id
            .clone()
    };
    assert_eq!(rules[0].then, Then::Pin(id("library")));
    assert_eq!(
        rules[1].then,
        Then::Use(Narrowing {
            agents: vec![id("payments"), id("library")],
            profile: Some("careful".to_owned()),
            max_effect: Some(Effect::Prepare),
        })
    );
    assert_eq!(rules[2].then, Then::Reject("Not now.".to_owned()));
    let profile = |name: &str| {
        (
            config.profiles[name].max_effect,
            config.profiles[name].by_request,
        )
    };
    assert_eq!(profile("careful"), (Effect::Read, true));
    assert_eq!(
        profile("bold"),
        (Effect::ExternalEffect, false),
        "openness is not inherited"
    );
    assert_eq!(profile("balanced"), (Effect::ExternalEffect, false));
    assert!(!config.store.record_text);
}

#[test]
fn mistakes_in_conditions_are_shown_where_they_are() {
    snapshot!(bad(&with_rules(
        r#"    - { when: 'request.txt.contains("x")', use: { agent: payments } }
    - { when: "reqest.push", use: { agent: payments } }
    - when: request.text.includes("x")
      use: { agent: payments }
    - { when: 'request.text.contains("x"', use: { agent: payments } }
    - { when: 'request.hints.agent == "x"', use: { agent: payments } }
    - { when: 'request.text', use: { agent: payments } }
    - { when: 'request.text.matches("(a{1000}){1000}")', use: { agent: payments } }
    - when: |
        request.push &&
        request.streming
      use: { agent: payments }
"#
    )));
}

#[test]
fn mistakes_in_what_follows_are_shown_where_they_are() {
    snapshot!(bad(&with_rules(
        r#"    - { when: 'request.push', use: { agent: paymets } }
    - { when: 'request.streaming', use: { agents: [library, librry], profile: carefull } }
    - { when: '!request.push', use: {} }
    - { when: '!request.streaming' }
    - { when: 'request.text == "a"', use: { agent: library, profile: careful } }
    - { when: 'request.text == "b"', use: { agent: library }, reject: No. }
    - { when: 'request.text == "c"', use: { agents: [] } }
    - { when: 'request.text == "d"', use: { max_effect: raed } }
    - { when: 'request.text == "e"', rejct: No. }
    - { reject: No. }
    - { name: twice, when: 'request.text == "f"', reject: No. }
    - { name: twice, when: 'request.text == "f"', reject: " " }
"#
    )));
}

#[test]
fn rules_that_no_message_gets_to_are_refused() {
    snapshot!(bad(&with_rules(
        "    - { name: all, when: 'true', use: { profile: careful } }
    - { when: 'request.push', reject: No. }
"
    )));
}

#[test]
fn conditions_are_as_long_as_a_rule_and_no_longer() {
    let long = format!("request.text == \"{}\"", "x".repeat(2000));
    let text = bad(&with_rules(&format!(
        "    - {{ when: '{long}', reject: No. }}\n"
    )));
    assert!(text.contains("2018 characters long"), "{text}");
}
