//! Measures what routing rules cost: compiling one at load, and asking all of them about a message that none matches.
//!
//! `cargo bench -p routing --bench rules` prints, for each kind of condition, the time for one rule among a thousand.

use std::{
    hint::black_box,
    io::{self, Write as _},
    time::{Duration, Instant},
};

use gateway_core::{
    Caller,
    route::{
        Features,
        rules::{Condition, Narrowing, Rule, RuleInput, Rules, Sent, Then},
    },
};
use gateway_protocol::{Binding, Version};
use routing::Outcome;

const RULES: u32 = 1_000;
const ROUNDS: usize = 51;

/// What a condition looks like; `N` is the number of the rule.
const KINDS: [(&str, &str); 5] = [
    ("a flag", "request.push && request.text_cut"),
    ("a data key", "\"keyN\" in request.data_keys"),
    ("text contains", "request.text.contains(\"wordN!\")"),
    (
        "folded text contains",
        "request.text.folded().contains(\"wordN!\")",
    ),
    (
        "text matches",
        "request.text.matches(\"wordN[a-z]+[0-9]{8}\")",
    ),
];

fn main() -> Outcome<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "| condition | compile | 200 characters | 16 KiB |")?;
    writeln!(out, "|---|---:|---:|---:|")?;
    for (name, condition) in KINDS {
        let begun = Instant::now();
        let rules = rules(condition)?;
        let compiled = begun.elapsed() / RULES;
        let short = median(&rules, 200);
        let long = median(&rules, 16 * 1024);
        writeln!(
            out,
            "| {name} | {compiled:.1?} | {short:.1?} | {long:.1?} |"
        )?;
    }
    Ok(())
}

fn rules(condition: &str) -> Outcome<Rules> {
    let mut rules = Vec::new();
    for number in 0..RULES {
        let name = number.to_string();
        rules.push(Rule {
            when: Condition::compile(&condition.replace('N', &name))?,
            name,
            then: Then::Use(Narrowing::default()),
        });
    }
    Ok(Rules::new(rules))
}

/// Returns the median time for one rule.
fn median(rules: &Rules, characters: usize) -> Duration {
    let words = "please check the invoice of my enrolment ".chars().cycle();
    let features = Features {
        text: words.take(characters).collect(),
        data_keys: vec!["iban".to_owned(), "amount".to_owned()],
        ..Features::default()
    };
    let caller = Caller::anonymous();
    let sent = Sent {
        operation: "SendMessage",
        version: Version::V1,
        binding: Binding::JsonRpc,
        caller: &caller,
    };
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let verdict = rules.decide(&RuleInput::of(&features, sent));
        assert!(
            black_box(verdict.record()).is_none(),
            "no rule should match"
        );
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    times.get(ROUNDS / 2).copied().unwrap_or_default() / RULES
}
