//! An index made from an earlier one is the index of reading everything.

use proptest::prelude::*;

use super::{Card, FitIndex, card, text_of};

fn catalog(chosen: &[(usize, u8)]) -> Vec<(String, Card)> {
    let trades = [
        ("Weather", "weather_forecast", "Tells the weather of a city"),
        ("Payments", "tuition_payments", "Invoices and instalments"),
        ("Zyx", "zyx_quux", "Blorps the frobnicator"),
        ("Letters", "write_letter", "Drafts recommendation letters"),
        ("Rezepte", "rezepte", "Findet Rezepte für das Abendessen"),
    ];
    let cards = chosen.iter().map(|(trade, edition)| {
        let (name, skill, description) = trades[trade % trades.len()];
        let description = format!("{description}, edition{edition}");
        let card = card(name, skill, &description, &[]);
        (format!("{trade}@{edition}"), card)
    });
    cards.collect()
}

fn rebuilt(previous: &FitIndex, cards: &[(String, Card)]) -> FitIndex {
    previous.rebuild(
        cards
            .iter()
            .enumerate()
            .map(|(agent, (fingerprint, card))| (fingerprint.as_str(), text_of(agent, card))),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rebuilt_index_gives_the_fits_of_a_new_one(
        generations in proptest::collection::vec(
            proptest::collection::vec((0_usize..5, 0_u8..4), 0..6), 1..5),
    ) {
        let mut index = FitIndex::default();
        for chosen in generations {
            let cards = catalog(&chosen);
            index = rebuilt(&index, &cards);
            let new = rebuilt(&FitIndex::default(), &cards);
            for text in [
                "what is the weather in the city",
                "wheather", "quiero pagar la factura", "zyx edition2", "Rezept für Freitag",
                "frobnicator letters", "edition1",
            ] {
                prop_assert_eq!(index.fits(text).best_first(), new.fits(text).best_first(), "{}", text);
            }
        }
    }
}

#[test]
fn words_of_cards_that_are_gone_are_forgotten() {
    let mut index = FitIndex::default();
    for number in 0..200 {
        let words: String = (0..20).map(|word| format!("w{number}x{word} ")).collect();
        let cards = [(number.to_string(), card("Agent", "skill", &words, &[]))];
        index = rebuilt(&index, &cards);
    }
    let vocabulary = &index.index.dictionary.vocabulary;
    assert!(
        vocabulary.forms().count() < 200,
        "{}",
        vocabulary.forms().count()
    );
    assert_eq!(index.fits("w3x3").best_first(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn order_of_the_agents_changes_no_fit(order in Just([0_usize, 1, 2, 3, 4]).prop_shuffle()) {
        let cards = catalog(&[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]);
        let shuffled: Vec<_> = order.iter().map(|place| cards[*place].clone()).collect();
        let (index, other) = (rebuilt(&FitIndex::default(), &cards), rebuilt(&FitIndex::default(), &shuffled));
        for text in ["the weather in the city", "wheather", "quiero pagar la factura", "zyx edition0"] {
            for (place, agent) in order.iter().enumerate() {
                let value = |index: &FitIndex, agent| index.fits(text).get(agent).map(|fit| fit.value);
                prop_assert_eq!(value(&index, *agent), value(&other, place), "{}", text);
            }
        }
    }
}
