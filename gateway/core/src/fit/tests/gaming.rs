//! Cards made to win more than they deserve.

use super::{best, card, index, university};

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
            index.fits(text).best_first()
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
        index.fits("refund my order").best_first()
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
            index.fits(text).best_first()
        );
    }
}

#[test]
fn long_card_is_capped() {
    let mut huge = card("Huge", "huge", "", &[]);
    huge.description = (0..200_000).map(|number| format!("w{number} ")).collect();
    let index = index(&[huge]);
    assert_eq!(index.fits("w199999").best_first(), []);
    assert!(best(&index, "w1").value < 0.5);
}
