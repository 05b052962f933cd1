//! How words of a request and of a card meet: languages, inflections, spelling.

use super::{best, card, index, university, value};

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

#[test]
fn words_of_other_cards_that_are_as_near_to_a_misspelling_push_none_out() {
    let invoices = card("Payment", "payment", "Takes a payment.", &[]);
    let alone = value(&index(std::slice::from_ref(&invoices)), 0, "a paymant");
    assert!(alone > 0.4, "{alone}");
    let words = ["pabmant", "pacmant", "padmant", "pagmant", "pahmant"];
    let roses = card("Roses", "roses", &words.join(" "), &[]);
    let index = index(&[invoices, roses]);
    let found = index.fits("a paymant").get(0).unwrap();
    assert!((found.value - alone).abs() < 0.05, "{found:?} {alone}");
}
