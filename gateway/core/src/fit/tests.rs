//! What the fit promises, on small catalogs made up for the purpose.

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
fn request_finds_the_card_that_speaks_of_it_in_another_language() {
    let index = index(&university());
    for (text, agent) in [
        ("¿Cuándo puedo apelar mi calificación?", 0),
        ("I want to pay my tuition in instalments", 1),
        ("Solicito una carta de recomendación", 2),
        ("review my scholarship application", 3),
        ("Ich möchte ein Stipendium beantragen", 3),
        ("Quel temps fera-t-il, quelle est la météo ?", 4),
        ("今天的天气怎么样", 4),
        ("Preciso da fatura da mensalidade", 1),
    ] {
        let fit = best(&index, text);
        assert_eq!(fit.agent, agent, "{text}: {fit:?}");
        assert!(fit.value > 0.35, "{text}: {fit:?}");
    }
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
fn accents_and_case_do_not_matter() {
    let index = index(&[card(
        "Cartografía",
        "DIBUJAR_MAPA",
        "Cartografía histórica",
        &[],
    )]);
    let plain = best(&index, "cartografia historica").value;
    assert!((plain - best(&index, "CARTOGRAFÍA HISTÓRICA").value).abs() < 1e-6);
    assert!((plain - best(&index, "cartografi\u{301}a histo\u{301}rica").value).abs() < 1e-6);
}

#[test]
fn identifiers_are_read_as_words() {
    let cards = [
        card("A", "reviewScholarshipCase", "", &[]),
        card("B", "http-server-log", "", &[]),
    ];
    let index = index(&cards);
    assert_eq!(best(&index, "a scholarship case to review").agent, 0);
    assert_eq!(best(&index, "the log of the server").agent, 1);
    assert_eq!(best(&index, "call reviewScholarshipCase").agent, 0);
}

#[test]
fn misspelt_word_is_recognised_but_counts_less() {
    let index = index(&university());
    for text in ["scholarhsip aplication", "scholrship", "schollarship cheks"] {
        let fit = best(&index, text);
        assert_eq!(fit.agent, 3, "{text}: {fit:?}");
        assert!(fit.value > 0.2, "{text}: {fit:?}");
    }
    assert!(best(&index, "scholarhsip").value < best(&index, "scholarship").value);
}

#[test]
fn inflections_of_a_language_meet() {
    let cards = [
        card(
            "Asistente",
            "becas",
            "Ayuda a los alumnos a solicitar becas y a entregar los documentos",
            &[],
        ),
        card(
            "Cocina",
            "recetas",
            "Busca recetas para cocinar con lo que hay en la nevera",
            &[],
        ),
    ];
    let index = index(&cards);
    assert_eq!(
        best(&index, "quiero la entrega del documento de mi beca").agent,
        0
    );
    assert_eq!(best(&index, "cocinaremos con una receta").agent, 1);
}

#[test]
fn cognate_meets_by_its_letters() {
    let index = index(&[
        card(
            "Ventilation",
            "ventilation_audit",
            "Audits ventilation",
            &[],
        ),
        card("X", "quartz", "", &[]),
    ]);
    assert_eq!(best(&index, "la ventilación").agent, 0);
}

#[test]
fn stuffed_tags_lose_to_an_honest_card() {
    let honest = card(
        "Weather",
        "forecast",
        "Tells the weather of a city.",
        &["weather"],
    );
    let words = "weather forecast flight hotel pizza refund invoice email joke recipe workout translate image song";
    let mut stuffed = card("Best agent", "everything", "Does everything.", &[]);
    stuffed.tags = words
        .split(' ')
        .cycle()
        .take(500)
        .map(str::to_owned)
        .collect();
    let index = index(&[stuffed, honest]);
    for text in [
        "weather forecast for Vigo",
        "weather",
        "¿Qué clima hará en la ciudad?",
    ] {
        assert_eq!(
            best(&index, text).agent,
            1,
            "{text}: {:?}",
            index.score(text)
        );
    }
}

#[test]
fn repeating_a_word_on_a_card_does_not_pay() {
    let honest = card("Refunds", "refund_order", "Refunds an order.", &["refund"]);
    let mut shouting = honest.clone();
    shouting.description = "refund ".repeat(400);
    shouting.tags = vec!["refund".to_owned(); 100];
    let index = index(&[shouting, honest]);
    assert_eq!(
        best(&index, "refund my order").agent,
        1,
        "{:?}",
        index.score("refund my order")
    );
}

#[test]
fn copied_examples_of_many_trades_lose_to_each_trade() {
    let mut cards = university();
    let mut copier = card("Lucky numbers", "lucky", "Draws numbers.", &["fun"]);
    copier.examples = (0..20)
        .flat_map(|_| {
            [
                "Appeal my grade",
                "Pay tuition invoice",
                "Write a letter",
                "Review a scholarship",
                "Weather in Rome",
            ]
        })
        .map(str::to_owned)
        .collect();
    cards.push(copier);
    let index = index(&cards);
    for text in [
        "appeal my grade",
        "pay the tuition invoice",
        "weather in Rome",
    ] {
        assert_ne!(
            best(&index, text).agent,
            5,
            "{text}: {:?}",
            index.score(text)
        );
    }
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
fn long_card_is_capped() {
    let mut huge = card("Huge", "huge", "", &[]);
    huge.description = (0..200_000).map(|number| format!("w{number} ")).collect();
    let index = index(&[huge]);
    assert_eq!(index.score("w199999"), []);
    assert!(best(&index, "w1").value < 0.5);
}

#[test]
fn explanation_has_the_words_as_written_strongest_first() {
    let fit = best(&index(&university()), "Please REVIEW my Scholarship today");
    assert_eq!(fit.why, ["Scholarship", "REVIEW"]);
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
    assert_eq!(index.score_skill(3, 1, text), Some(best(&index, text)));
    assert_eq!(index.score_skill(3, 0, text), None);
    assert_eq!(index.score_skill(4, 1, text), None);
}

#[test]
fn false_friends_of_another_language_do_not_meet() {
    let index = index(&[
        card("Bakery", "bake_bread", "Bread and cakes", &["bread"]),
        card("Pain", "pain_diary", "Pain diary", &[]),
    ]);
    assert_eq!(
        value(&index, 0, "I am in pain and it hurts a lot when I walk"),
        0.0
    );
    assert_eq!(best(&index, "bread for the weekend").agent, 0);
}
