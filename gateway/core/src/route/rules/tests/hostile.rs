//! Conditions and messages that try to take much time, memory or stack.

use proptest::prelude::*;

use super::{
    super::*,
    deciding::{rule, with_input},
};
use crate::route::Features;

#[test]
fn deep_and_long_conditions_are_refused_or_read_without_harm() {
    let nested = |open: &str, close: &str, times: usize| {
        format!("{}true{}", open.repeat(times), close.repeat(times))
    };
    for text in [
        nested("(", ")", 900),
        nested("[", "]", 900),
        nested("!", "", 1900),
        nested("true ? true : ", "", 120),
        nested("{1:", "}", 400),
        nested("size([", "])", 200),
        format!("{}1 == 1", "1+".repeat(900)),
        format!("{}1 == 1", "-".repeat(1900)),
        format!("request{} == 1", ".a".repeat(900)),
        format!("request.text{} == \"x\"", ".folded()".repeat(200)),
        format!("request.data_keys{} == 1", "[0]".repeat(600)),
        format!("{}true", "true && ".repeat(240)),
        format!("{}true", "true == ".repeat(240)),
        format!("request.data_keys == [{}]", "\"\",".repeat(600)),
        "x".repeat(LONGEST_CONDITION + 1),
    ] {
        if let Ok(condition) = Condition::compile(&text) {
            with_input(&Features::default(), |input| {
                let _answer = condition.holds(&input.scope());
            });
        }
    }
}

#[test]
fn a_very_long_message_is_matched_in_time_that_grows_with_it() {
    // Backtracking would take longer than the universe has.
    let rules = Rules::new(vec![
        rule(
            "one",
            r#"request.text.matches("(a+)+$")"#,
            Then::Use(Narrowing::default()),
        ),
        rule(
            "two",
            r#"request.text.matches("(a|aa)+b")"#,
            Then::Use(Narrowing::default()),
        ),
        rule(
            "three",
            "request.text.folded().endsWith(\"a!\")",
            Then::Use(Narrowing::default()),
        ),
    ]);
    let features = Features {
        text: format!("{}!", "a".repeat(1 << 20)),
        data_keys: vec!["k".repeat(256); 64],
        ..Features::default()
    };
    let name = with_input(&features, |input| {
        rules.decide(input).rule().map(|rule| rule.name.clone())
    });
    assert_eq!(name.as_deref(), Some("three"));
}

#[test]
fn a_thousand_rules_fold_a_text_once() {
    let rules = (0..1000).map(|number| {
        let when = format!("request.text.folded().contains(\"word{number}!\")");
        rule(&number.to_string(), &when, Then::Use(Narrowing::default()))
    });
    let rules = Rules::new(rules.collect());
    let features = Features {
        text: "WORD999!".to_owned(),
        ..Features::default()
    };
    let name = with_input(&features, |input| {
        rules.decide(input).rule().map(|rule| rule.name.clone())
    });
    assert_eq!(name.as_deref(), Some("999"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _read = Condition::compile(&text);
    }

    #[test]
    fn any_order_of_words_is_read_or_refused_and_evaluates(
        words in proptest::collection::vec(
            prop::sample::select(vec![
                "request", ".text", ".hints", ".agent", "caller", ".subject", "(", ")", "[", "]", "==", "&&", "||",
                "!", "true", "\"x\"", "1", "has(", ".contains(", ".matches(", ".folded()", "in", "request.data_keys",
                ".exists(k,", "k", "?", ":", "+", "-", "size(", ",", "{", "}",
            ]),
            0..14,
        ),
    ) {
        if let Ok(condition) = Condition::compile(&words.join(" ")) {
            with_input(&Features::default(), |input| {
                let _answer = condition.holds(&input.scope());
            });
        }
    }
}
