//! Splits text into folded tokens: words, parts of identifiers, and pairs of CJK characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// The characters as written.
    pub(super) written: &'t str,
    /// Lower case without marks, the form that is compared.
    pub(super) folded: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Cjk,
    Gap,
}

fn class(character: char) -> Class {
    match character {
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => Class::Cjk,
        _ if character.is_alphanumeric() || is_combining_mark(character) => Class::Word,
        _ => Class::Gap,
    }
}

/// Returns the tokens of a text in order; single letters and bare signs are left out.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut current = Class::Gap;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let next = class(character);
        if next != current {
            push_run(text.get(start..at).unwrap_or_default(), current, &mut found);
            (start, current) = (at, next);
        }
    }
    found
}

fn push_run<'t>(run: &'t str, class: Class, found: &mut Vec<Token<'t>>) {
    match class {
        Class::Gap => {}
        Class::Word => {
            let folded = fold(run);
            if folded.len() > 1 {
                found.push(Token {
                    written: run,
                    folded,
                });
            }
        }
        Class::Cjk => {
            let starts: Vec<usize> = run
                .char_indices()
                .map(|(at, _)| at)
                .chain([run.len()])
                .collect();
            if let [first, last] = starts.as_slice() {
                found.extend(run.get(*first..*last).map(cjk));
            }
            found.extend(
                starts
                    .windows(3)
                    .filter_map(|pair| run.get(pair[0]..pair[2]))
                    .map(cjk),
            );
        }
    }
}

fn cjk(written: &str) -> Token<'_> {
    Token {
        written,
        folded: written.to_owned(),
    }
}

/// Returns the lower-case form without accents and compatibility variants (`Straße` is `strasse`).
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(word.len());
    for character in word
        .nfkd()
        .filter(|character| !is_combining_mark(*character))
    {
        match character {
            'ß' | 'ẞ' => folded.push_str("ss"),
            'æ' | 'Æ' => folded.push_str("ae"),
            'œ' | 'Œ' => folded.push_str("oe"),
            'ø' | 'Ø' => folded.push('o'),
            'ł' | 'Ł' => folded.push('l'),
            'ı' => folded.push('i'),
            _ => folded.extend(character.to_lowercase()),
        }
    }
    folded
}

/// Returns the folded parts of a camel-case identifier, none when the word is of one piece.
pub(super) fn parts(written: &str) -> Vec<String> {
    let characters: Vec<(usize, char)> = written.char_indices().collect();
    let mut cuts = vec![0];
    for (at, window) in characters.windows(2).enumerate() {
        let [(_, before), (offset, here)] = window else {
            continue;
        };
        let after = characters.get(at + 2).map(|(_, character)| *character);
        let hump = before.is_lowercase() && here.is_uppercase();
        let acronym =
            before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
        if hump || acronym {
            cuts.push(*offset);
        }
    }
    if cuts.len() == 1 {
        return Vec::new();
    }
    cuts.push(written.len());
    cuts.windows(2)
        .filter_map(|cut| written.get(cut[0]..cut[1]))
        .map(fold)
        .filter(|part| part.len() > 1)
        .collect()
}

/// Returns the first bytes of a text, cut at a character.
pub(super) fn capped(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}
