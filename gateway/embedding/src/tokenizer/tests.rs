//! The tokenizer of the synthetic model, worked out by hand. Pieces and scores are in [`synthetic::PIECES`].

use std::path::Path;

use prost::Message;

use super::{file::TrainerSpec, *};
use crate::synthetic;

fn parse(file: &ModelFile) -> Result<Tokenizer, ModelError> {
    Tokenizer::parse(Path::new("sentencepiece.model"), &file.encode_to_vec())
}

fn normalized(text: &str) -> String {
    parse(&synthetic::tokenizer())
        .unwrap()
        .normalizer
        .apply(text, 1000)
}

/// Returns the pieces that a text is cut into, with `?` for the unknown.
fn cut(text: &str) -> Vec<&'static str> {
    let tokens = parse(&synthetic::tokenizer()).unwrap().vocabulary.cut(text);
    let piece = |token: &u32| match token {
        0 => "?",
        token => synthetic::PIECES[*token as usize - 3].0,
    };
    tokens.iter().map(piece).collect()
}

fn reason(change: impl FnOnce(&mut ModelFile)) -> String {
    let mut file = synthetic::tokenizer();
    change(&mut file);
    parse(&file).err().expect("the file is refused").to_string()
}

#[test]
fn characters_are_folded_by_the_longest_entry() {
    assert_eq!(normalized("Ae\u{301}e"), "▁aée");
    assert_eq!(normalized("a\u{301}"), "▁a\u{301}");
}

#[test]
fn white_space_is_one_sign_and_none_at_the_ends() {
    assert_eq!(normalized("  a \t b\u{3000}c \t"), "▁a▁b▁c");
}

#[test]
fn white_space_that_a_replacement_brings_counts_too() {
    assert_eq!(normalized("a ㍷"), "▁a▁b▁c");
}

#[test]
fn nothing_visible_is_nothing() {
    for text in ["", " \t ", "\u{200b}", " \u{200b} "] {
        assert_eq!(normalized(text), "");
    }
}

#[test]
fn normalizing_stops_at_the_limit() {
    let tokenizer = parse(&synthetic::tokenizer()).unwrap();
    assert_eq!(tokenizer.normalizer.apply(&"a".repeat(100), 8), "▁aaaaa");
}

#[test]
fn the_likeliest_cut_wins_not_the_longest_piece() {
    // "▁a" + "bc" is -3.2 - 5.5, "▁ab" + "c" is -6 - 4, "▁a" + "b" + "c" is -3.2 - 3.5 - 4.
    assert_eq!(cut("▁abc"), ["▁a", "bc"]);
    // "▁ab" is -6, "▁a" + "b" is -6.7.
    assert_eq!(cut("▁ab"), ["▁ab"]);
}

#[test]
fn neighbours_without_a_piece_are_one_unknown() {
    assert_eq!(cut("▁xyab"), ["▁", "?", "ab"]);
    assert_eq!(cut("xax"), ["?", "a", "?"]);
}

#[test]
fn marks_cannot_be_written_in_a_text() {
    let tokenizer = parse(&synthetic::tokenizer()).unwrap();
    // Start, "▁", unknown, end.
    assert_eq!(tokenizer.tokens("</s>", 10, 100), [1, 3, 0, 2]);
}

#[test]
fn a_long_text_keeps_its_start_and_the_mark_of_the_end() {
    let tokenizer = parse(&synthetic::tokenizer()).unwrap();
    assert_eq!(tokenizer.tokens("bbbbbb", 5, 100), [1, 3, 5, 5, 2]);
    // The third "é" would be cut in two; written anew, with the sign before it, the first fills the limit.
    assert_eq!(tokenizer.tokens("ééé", 10, 5), [1, 3, 11, 2]);
}

#[test]
fn an_entry_that_points_nowhere_is_ignored() {
    let mut charsmap = synthetic::charsmap(&[("a", "b")]);
    let length = charsmap.len();
    charsmap.truncate(length - 2);
    let normalizer = Normalizer::parse(&charsmap).unwrap();
    assert_eq!(normalizer.apply("a", 10), "▁a");
}

#[test]
fn a_model_of_another_kind_is_refused() {
    let pairs = TrainerSpec {
        model_type: Some(2),
        ..TrainerSpec::default()
    };
    assert!(reason(|file| file.trainer = Some(pairs)).contains("kind `unigram`"));
    assert!(reason(|file| file.normalizer = None).contains("white space"));
    assert!(reason(|file| file.pieces[2].kind = None).contains("no piece `</s>`"));
}

#[test]
fn a_vocabulary_that_cannot_be_used_is_refused() {
    assert!(reason(|file| file.pieces.truncate(3)).contains("no pieces of text"));
    assert!(reason(|file| file.pieces[5].score = Some(f32::NAN)).contains("score of a piece"));
    assert!(reason(|file| file.pieces[5].text = Some("a".repeat(65))).contains("64 characters"));
}

#[test]
fn a_broken_table_of_characters_is_refused() {
    let mut normalizer = synthetic::tokenizer().normalizer.unwrap();
    for (bytes, words) in [
        (&b"\x04"[..], "empty"),
        (b"\x08\0\0\0\0\0\0\0", "cut short"),
        (b"\x03\0\0\0\0\0\0", "whole number"),
        (b"\x04\0\0\0\0\0\0\0\xff", "UTF-8"),
    ] {
        normalizer.charsmap = Some(bytes.to_owned());
        let reason = reason(|file| file.normalizer = Some(normalizer.clone()));
        assert!(reason.contains(words), "{reason}");
    }
}
