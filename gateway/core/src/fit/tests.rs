//! What the fit promises, on small catalogs made up for the purpose.

mod gaming;
mod words;

use super::{AgentFit, AgentText, FitIndex, SkillText};

/// A card of one skill, owned.
#[derive(Clone, Default)]
struct Card {
    name: String,
    description: String,
    skill: String,
    tags: Vec<String>,
    examples: Vec<String>,
}

fn card(name: &str, skill: &str, description: &str, tags: &[&str]) -> Card {
    Card {
        name: name.to_owned(),
        description: description.to_owned(),
        skill: skill.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        examples: Vec::new(),
    }
}

fn index(cards: &[Card]) -> FitIndex {
    FitIndex::build(cards.iter().enumerate().map(|(agent, card)| AgentText {
        agent,
        name: &card.name,
        description: &card.description,
        skills: vec![SkillText {
            id: &card.skill,
            name: &card.skill,
            description: &card.description,
            tags: &card.tags,
            examples: &card.examples,
        }],
    }))
}

fn university() -> Vec<Card> {
    vec![
        card(
            "Regulations",
            "answer_regulation",
            "Answers on grade appeals and exam rules.",
            &["regulations", "appeals"],
        ),
        card(
            "Payments",
            "tuition_payments",
            "Tuition invoices and instalment plans.",
            &["payments", "invoices"],
        ),
        card(
            "Letters",
            "write_letter",
            "Drafts recommendation letters.",
            &["letters"],
        ),
        card(
            "Scholarships",
            "review_scholarship_case",
            "Checks scholarship applications.",
            &["scholarships"],
        ),
        card(
            "Weather",
            "weather_forecast",
            "Weather of a city.",
            &["weather"],
        ),
    ]
}

fn best(index: &FitIndex, text: &str) -> AgentFit {
    index
        .score(text)
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("nothing fits `{text}`"))
}

fn value(index: &FitIndex, agent: usize, text: &str) -> f64 {
    index
        .score(text)
        .into_iter()
        .find(|fit| fit.agent == agent)
        .map_or(0.0, |fit| fit.value)
}

#[test]
fn text_without_a_known_word_fits_nothing() {
    let index = index(&university());
    for text in [
        "",
        "   ",
        "?!…",
        "zxqv blorp",
        "12345",
        "what is it that you do for me",
        "\u{301}\u{301}",
    ] {
        assert_eq!(index.score(text), [], "{text}");
    }
}

#[test]
fn catalog_without_agents_has_no_fit() {
    assert_eq!(index(&[]).score("review my scholarship"), []);
}

#[test]
fn card_without_skills_is_found_by_name_and_description() {
    let card = AgentText {
        agent: 7,
        name: "Plumber",
        description: "Repairs burst pipes",
        skills: Vec::new(),
    };
    let fits = FitIndex::build([card]).score("a pipe has burst");
    let [fit] = fits.as_slice() else {
        panic!("{fits:?}")
    };
    assert_eq!((fit.agent, fit.skill), (7, None));
}

#[test]
fn value_barely_moves_when_unrelated_agents_join() {
    let mut cards = university();
    let texts = [
        "review my scholarship application",
        "quiero pagar la matrícula a plazos",
        "weather tomorrow",
    ];
    let small = index(&cards);
    cards.extend((0..1000).map(|number| {
        card(
            &format!("Agent {number}"),
            &format!("zork{number}_quux"),
            "Blorp",
            &[],
        )
    }));
    let large = index(&cards);
    for text in texts {
        let (before, after) = (best(&small, text), best(&large, text));
        assert_eq!(before.agent, after.agent, "{text}");
        assert!(
            (before.value - after.value).abs() < 0.15,
            "{text}: {} then {}",
            before.value,
            after.value
        );
    }
}

#[test]
fn equal_catalogs_give_equal_fits() {
    let cards = university();
    let text =
        "I want to pay the invoice for my scholarhsip letter, la carta de la beca, por favor";
    let fits = index(&cards).score(text);
    assert!(!fits.is_empty());
    for _ in 0..5 {
        assert_eq!(index(&cards).score(text), fits);
    }
}

#[test]
fn absurdly_long_text_is_capped() {
    let index = index(&university());
    let text = format!(
        "review my scholarship. {}",
        "lorem¿ipsum dolor-sit 天气 ".repeat(40_000)
    );
    assert!(text.len() > 1_000_000);
    let (head, _) = text.split_at(8 * 1024 - 2);
    assert!((value(&index, 3, &text) - value(&index, 3, head)).abs() < 0.02);
    let words: String = (0..5000)
        .map(|number| format!("word{number} scholarship{number} "))
        .collect();
    assert!(index.score(&words).iter().all(|fit| fit.value.is_finite()));
}

#[test]
fn explanation_has_the_words_as_written_strongest_first() {
    let fit = best(&index(&university()), "Please REVIEW my Scholarship today");
    assert_eq!(fit.why, ["Scholarship", "REVIEW"]);
    let with_amount = best(
        &index(&university()),
        "scholarship, income 18,000 or 18000€",
    );
    assert!(
        !with_amount.why.iter().any(|word| word.contains("18")),
        "{:?}",
        with_amount.why
    );
    let many: String = university()
        .iter()
        .map(|card| format!("{} {} ", card.name, card.description))
        .collect();
    assert!(best(&index(&university()), &many).why.len() <= 8);
}

#[test]
fn named_skill_is_scored_on_its_own() {
    let tags: [String; 0] = [];
    let skill = |id: &'static str| SkillText {
        id,
        name: id,
        description: "",
        tags: &tags,
        examples: &tags,
    };
    let agent = AgentText {
        agent: 3,
        name: "Travel",
        description: "",
        skills: vec![skill("book_flight"), skill("book_hotel")],
    };
    let index = FitIndex::build([agent]);
    let text = "a hotel in Lisbon";
    assert_eq!(best(&index, text).skill, Some(1));
    let named = |agent, skill| {
        let wanted = |of: usize| (of == agent).then_some(skill);
        index.score_named(text, wanted).into_iter().next()
    };
    assert_eq!(named(3, 1), Some(best(&index, text)));
    assert_eq!(named(3, 0), None);
    assert_eq!(named(4, 1), None);
}
