//! The real model against vectors that its Python package computed (`reference.py`), and what it is good for.
//!
//! Runs with the model in the folder that `A2A_GATEWAY_MODEL` names, or where `deploy/fetch-model` puts it; says that it
//! was skipped where neither is.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

use std::{
    env,
    path::{Path, PathBuf},
};

use gateway_embedding::{Embedding, Encoder};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    model: String,
    /// Each of these lists says one thing in several languages.
    meanings: Vec<Vec<String>>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    text: String,
    begins: [f32; 8],
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

/// Opens the model, or returns nothing if nobody fetched it. A folder that was named must hold it.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn model() -> Option<Encoder> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/use-multilingual-v3");
    let named = env::var_os("A2A_GATEWAY_MODEL").map(PathBuf::from);
    if named.is_none() && !usual.exists() {
        eprintln!(
            "skipped: no A2A_GATEWAY_MODEL, and no model at {}",
            usual.display()
        );
        return None;
    }
    Some(Encoder::open(&named.unwrap_or(usual)).unwrap())
}

#[test]
fn vectors_are_those_of_the_original() {
    let Some(encoder) = model() else { return };
    let reference = reference();
    assert_eq!(encoder.name(), reference.model);
    for Vector { text, begins } in &reference.vectors {
        let found = encoder.encode(text);
        assert_eq!(found.as_slice().len(), 512);
        for (number, expected) in found.as_slice().iter().zip(begins) {
            assert!(
                (number - expected).abs() < 1e-5,
                "`{text}`: {:?}",
                &found.as_slice()[..8]
            );
        }
    }
}

#[test]
fn the_same_in_another_language_is_nearest() {
    let Some(encoder) = model() else { return };
    let meanings = reference().meanings;
    let encode = |texts: &Vec<String>| encoder.encode_all(texts.iter().map(String::as_str));
    let meanings: Vec<Vec<Embedding>> = meanings.iter().map(encode).collect();
    for (number, meaning) in meanings.iter().enumerate() {
        let others: Vec<_> = meanings
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number)
            .collect();
        for (text, translation) in meaning.iter().zip(meaning.iter().cycle().skip(1)) {
            let same = text.similarity(translation);
            let foreign = others
                .iter()
                .flat_map(|(_, other)| *other)
                .map(|other| text.similarity(other));
            let nearest = foreign.fold(-1.0, f32::max);
            assert!(
                same > nearest,
                "meaning {number}: {same} in another language, {nearest} to another meaning"
            );
        }
    }
}

#[test]
fn hostile_texts_are_encoded_like_any_other() {
    let Some(encoder) = model() else { return };
    let texts = [
        String::new(),
        "\0\u{1}\u{7f}\u{85}".to_owned(),
        "\u{301}\u{302}\u{303}".to_owned(),
        "\u{202e}\u{2066}txet desrever\u{2069}".to_owned(),
        "👨‍👩‍👧‍👦".repeat(2000),
        "\u{fdfa}".repeat(5000),
        "ถ้าไม่มีช่องว่าง".repeat(5000),
        "a".repeat(1 << 20),
        " ".repeat(1 << 20),
        "e\u{301}".repeat(1 << 19),
    ];
    for text in &texts {
        let embedding = encoder.encode(text);
        assert!((embedding.similarity(&embedding) - 1.0).abs() < 1e-5);
    }
}
