//! The synthetic model against the same network written down in plain loops, and what is not a model.

mod naive;

use proptest::prelude::*;

use super::*;
use crate::synthetic;

fn encoder(tokenizer: &[u8], weights: &[u8]) -> Result<Encoder, ModelError> {
    let tokenizer = Tokenizer::parse(Path::new("sentencepiece.model"), tokenizer)?;
    Encoder::new(
        tokenizer,
        &Weights::parse(Path::new("weights.safetensors"), weights)?,
    )
}

fn synthetic() -> Encoder {
    let (tokenizer, weights) = synthetic::files();
    encoder(&tokenizer, &weights).unwrap()
}

/// Returns why a model is refused whose arrays were changed.
fn reason(
    change: impl FnOnce(&mut std::collections::BTreeMap<String, synthetic::Matrix>),
) -> String {
    let mut matrices = synthetic::matrices();
    change(&mut matrices);
    let tokenizer = synthetic::files().0;
    encoder(&tokenizer, &synthetic::weights(&matrices))
        .unwrap_err()
        .to_string()
}

#[test]
fn vectors_are_those_of_plain_loops() {
    let encoder = synthetic();
    for text in ["", "a", "ab", "abc b", "cab abc ab bc a é", "x"] {
        let expected = naive::encode(&encoder.tokens(text));
        let found = encoder.encode(text);
        assert_eq!(found.as_slice().len(), expected.len());
        for (number, expected) in found.as_slice().iter().zip(expected) {
            assert!(
                (f64::from(*number) - expected).abs() < 1e-5,
                "`{text}`: {found:?}"
            );
        }
    }
}

#[test]
fn a_text_does_not_see_those_it_is_encoded_with() {
    let encoder = synthetic();
    let texts = ["abc", "b", "", "cab abc", "é a", "a b c a b c"];
    let many: Vec<&str> = texts.into_iter().cycle().take(200).collect();
    let together = encoder.encode_all(many.iter().copied());
    assert_eq!(together.len(), many.len());
    for (text, embedding) in many.iter().zip(together) {
        let alone = encoder.encode(text);
        let distance = alone.as_slice().iter().zip(embedding.as_slice());
        assert!(
            distance.fold(0.0_f32, |most, (a, b)| most.max((a - b).abs())) < 1e-6,
            "{text}"
        );
    }
    assert_eq!(encoder.encode_all([]), []);
}

#[test]
fn only_the_beginning_of_a_long_text_is_read() {
    let encoder = synthetic();
    let long = "abc ".repeat(1_000_000);
    let tokens = encoder.tokens(&long);
    assert_eq!(tokens.len(), MAX_TOKENS);
    assert_eq!(
        encoder.encode(&long),
        encoder.encode(&"abc ".repeat(MAX_TEXT / 4))
    );
}

#[test]
fn white_space_without_end_is_read_to_the_limit_only() {
    let encoder = synthetic();
    let text = " ".repeat(MAX_TEXT) + "abc";
    assert_eq!(encoder.encode(&text), encoder.encode(""));
}

#[test]
fn the_name_tells_models_apart() {
    assert_eq!(synthetic().name(), "synthetic-name synthetic-sh");
}

#[test]
fn a_missing_file_is_named_with_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let error = Encoder::open(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains(&format!("`{path}/sentencepiece.model` is missing")),
        "{error}"
    );
    assert!(
        error.contains(&format!("`deploy/fetch-model {path}`")),
        "{error}"
    );
}

#[test]
fn a_folder_with_both_files_opens() {
    let folder = tempfile::tempdir().unwrap();
    let (tokenizer, weights) = synthetic::files();
    fs::write(folder.path().join("sentencepiece.model"), tokenizer).unwrap();
    fs::write(folder.path().join("weights.safetensors"), weights).unwrap();
    let opened = Encoder::open(folder.path()).unwrap();
    assert_eq!(opened.encode("abc"), synthetic().encode("abc"));
}

#[test]
fn an_array_that_does_not_fit_is_named() {
    let shape = reason(|arrays| arrays.get_mut("w1_3").unwrap().0 = vec![4, 12]);
    assert!(
        shape.contains("`w1_3` has the shape [4, 12], expected 12 by 4"),
        "{shape}"
    );
    let missing = reason(|arrays| drop(arrays.remove("cnn_b")));
    assert!(missing.contains("array `cnn_b` is missing"), "{missing}");
    let infinite = reason(|arrays| arrays.get_mut("d3").unwrap().1[0] = f32::INFINITY);
    assert!(
        infinite.contains("`d3` holds something that is no number"),
        "{infinite}"
    );
    let empty = reason(|arrays| *arrays.get_mut("d2").unwrap() = (vec![3, 0], vec![]));
    assert!(empty.contains("`d2` has the shape [3, 0]"), "{empty}");
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let mut file = synthetic::tokenizer();
    file.pieces.extend(file.pieces.clone());
    let tokenizer = prost::Message::encode_to_vec(&file);
    let error = encoder(&tokenizer, &synthetic::files().1)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("knows 12 tokens, but the tokenizer has 24"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn a_damaged_model_is_refused_or_gives_numbers(
        damage in proptest::collection::vec((any::<bool>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::weighted(0.3, (any::<bool>(), any::<prop::sample::Index>())),
    ) {
        let (mut tokenizer, mut weights) = synthetic::files();
        for (in_tokenizer, place, byte) in damage {
            let file = if in_tokenizer { &mut tokenizer } else { &mut weights };
            // Most of a file is numbers, which may be anything; half of the damage goes to what comes first.
            let most = if byte % 2 == 0 { file.len() } else { file.len().min(200) };
            let place = place.index(most);
            file[place] = byte;
        }
        if let Some((in_tokenizer, place)) = cut {
            let file = if in_tokenizer { &mut tokenizer } else { &mut weights };
            file.truncate(place.index(file.len()));
        }
        if let Ok(encoder) = encoder(&tokenizer, &weights) {
            let embedding = encoder.encode("Abc \u{3000}e\u{301} ㍷ xyz");
            prop_assert!(embedding.as_slice().iter().all(|number| number.is_finite()));
        }
    }

    #[test]
    fn any_text_has_an_embedding_of_length_one(text in any::<String>()) {
        let embedding = synthetic().encode(&text);
        prop_assert!((embedding.similarity(&embedding) - 1.0).abs() < 1e-5);
    }
}
