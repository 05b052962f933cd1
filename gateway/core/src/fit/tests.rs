//! What the fit promises, on small catalogs made up for the purpose.

mod gaming;
mod naming;
mod rebuilding;
mod reference;
mod words;

use super::{AgentFit, AgentText, FitIndex, SkillText};

/// A card of one skill, owned.
#[derive(Debug, Clone, Default)]
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

fn text_of(agent: usize, card: &Card) -> AgentText<'_> {
    AgentText {
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
    }
}

fn index(cards: &[Card]) -> FitIndex {
    let cards = cards.iter().enumerate();
    FitIndex::build(cards.map(|(agent, card)| text_of(agent, card)))
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
    let fits = index.fits(text).best_first().into_iter();
    fits.take(1)
        .next()
        .unwrap_or_else(|| panic!("nothing fits `{text}`"))
}

fn value(index: &FitIndex, agent: usize, text: &str) -> f64 {
    index.fits(text).get(agent).map_or(0.0, |fit| fit.value)
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
        assert_eq!(index.fits(text).best_first(), [], "{text}");
    }
}

#[test]
fn catalog_without_agents_has_no_fit() {
    assert_eq!(index(&[]).fits("review my scholarship").best_first(), []);
}

#[test]
fn card_without_skills_is_found_by_name_and_description() {
    let card = AgentText {
        agent: 7,
        name: "Plumber",
        description: "Repairs burst pipes",
        skills: Vec::new(),
    };
    let index = FitIndex::build([card]);
    let fits = index.fits("a pipe has burst").best_first();
    let [fit] = fits.as_slice() else {
        panic!("{fits:?}")
    };
    assert_eq!((fit.agent, fit.skill), (7, None));
}

#[test]
fn agents_without_a_word_of_the_text_change_nothing() {
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
        assert_eq!(
            small.fits(text).best_first(),
            large.fits(text).best_first(),
            "{text}"
        );
    }
}

#[test]
fn equal_catalogs_give_equal_fits() {
    let cards = university();
    let text =
        "I want to pay the invoice for my scholarhsip letter, la carta de la beca, por favor";
    let fits = index(&cards).fits(text).best_first();
    assert!(!fits.is_empty());
    for _ in 0..5 {
        assert_eq!(index(&cards).fits(text).best_first(), fits);
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
    assert!(
        index
            .fits(&words)
            .best_first()
            .iter()
            .all(|fit| fit.value.is_finite())
    );
}

#[test]
fn explanation_has_the_words_as_written_strongest_first() {
    let index = index(&university());
    let why = |text: &str| index.fits(text).why(best(&index, text).agent);
    assert_eq!(
        why("Please REVIEW my Scholarship today"),
        ["Scholarship", "REVIEW"]
    );
    let with_amount = why("scholarship, income 18,000 or 18000€");
    assert!(
        !with_amount.iter().any(|word| word.contains("18")),
        "{with_amount:?}"
    );
    let many: String = university()
        .iter()
        .map(|card| format!("{} {} ", card.name, card.description))
        .collect();
    assert!(why(&many).len() <= 8);
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
        index.fits_named(text, None, wanted).get(agent)
    };
    assert_eq!(named(3, 1), Some(best(&index, text)));
    assert_eq!(named(3, 0), None);
    assert_eq!(named(4, 1), None);
}
