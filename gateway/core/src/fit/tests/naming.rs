//! An agent is found by its name, and a word that only one agent has speaks for it and for nobody else.

use proptest::prelude::*;

use super::{Card, FitIndex, card, index, university, value};
use crate::profile::Profile;

/// A word no card and no language here knows.
fn unusual_word() -> impl Strategy<Value = String> {
    let syllable = proptest::sample::select(vec!["zo", "ku", "vra", "xi", "qua", "bly", "dro"]);
    proptest::collection::vec(syllable, 3..5).prop_map(|syllables| syllables.concat())
}

/// Cards of real trades, with one of them called by an unusual name.
fn named(name: &str, which: usize) -> (FitIndex, usize) {
    let mut cards: Vec<Card> = university();
    let which = which % cards.len();
    cards[which].name = name.to_owned();
    (index(&cards), which)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn unusual_name_alone_is_a_clear_fit(name in unusual_word(), which in 0_usize..5) {
        let (index, agent) = named(&name, which);
        for text in [
            name.clone(),
            name.to_uppercase(),
            format!("ask the {name} agent to help me"),
            format!("pregunta al agente {name}, por favor"),
            format!("{name}?"),
        ] {
            let fit = value(&index, agent, &text);
            let floor = Profile::balanced().min_fit;
            prop_assert!(fit >= floor + 0.1, "{} {}", text, fit);
            let best = index.fits(&text).best_first();
            prop_assert_eq!(best[0].agent, agent, "{}", text);
        }
    }

    #[test]
    fn word_of_one_agent_raises_its_fit_and_no_other(
        name in unusual_word(),
        which in 0_usize..5,
        words in proptest::sample::subsequence(
            vec!["tuition", "letter", "weather", "exam", "invoice", "city", "banana", "scholarship", "plans"], 0..9),
    ) {
        let (index, agent) = named(&name, which);
        let without = words.join(" ");
        let with = format!("{without} {name}");
        for other in 0..5 {
            let (before, after) = (value(&index, other, &without), value(&index, other, &with));
            if other == agent {
                prop_assert!(after >= before, "{} {} {}", with, before, after);
            } else {
                prop_assert!(after <= before, "{} {} {}", with, before, after);
            }
        }
    }
}

#[test]
fn text_that_is_a_skill_id_finds_the_skill() {
    let cards = university();
    let index = index(&cards);
    for (agent, card) in cards.iter().enumerate() {
        let fit = index.fits(&card.skill).best_first()[0];
        assert_eq!(fit.agent, agent, "{}", card.skill);
        assert!(fit.value > 0.5, "{} {}", card.skill, fit.value);
    }
}

#[test]
fn card_without_a_known_topic_is_found_by_its_words() {
    let echo = card("echo", "echo", "Repeats what you say", &[]);
    let mut cards = university();
    cards.push(echo);
    let index = index(&cards);
    for text in ["echo", "Echo!", "echo hello world", "call echo"] {
        assert!(
            value(&index, 5, text) > 0.5,
            "{text}: {}",
            value(&index, 5, text)
        );
    }
}
