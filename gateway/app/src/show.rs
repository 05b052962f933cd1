//! What commands print.

pub(crate) mod agents;
pub(crate) mod decision;
pub(crate) mod signals;
pub(crate) mod what_if;

use std::{
    borrow::Cow,
    fmt::Display,
    io::{Write as _, stderr, stdout},
};

use comfy_table::{ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use serde::Serialize;

/// Prints a line or a block. A reader that has gone away, such as `head`, is no error.
pub(crate) fn line(text: &str) {
    let mut out = stdout().lock();
    let _reader_gone = writeln!(out, "{}", harmless(text)).and_then(|()| out.flush());
}

/// Shows control and direction characters instead of obeying them: texts of agents and clients reach the
/// operator's terminal here.
fn harmless(text: &str) -> Cow<'_, str> {
    let harmful = |letter: char| {
        (letter.is_control() && letter != '\n')
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|letter| match letter {
        letter if harmful(letter) => letter.escape_default().to_string(),
        letter => letter.to_string(),
    });
    Cow::Owned(shown.collect())
}

/// Prints an error.
pub(crate) fn complain(error: &dyn Display) {
    let _reader_gone = writeln!(stderr().lock(), "{error}");
}

/// Renders a value as indented JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value)
        .unwrap_or_else(|error| format!("cannot be shown as JSON: {error}"))
}

/// Starts a table.
fn new_table<const N: usize>(columns: [&str; N]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(160);
    }
    table.set_header(columns);
    table
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn control_and_direction_characters_are_shown_and_not_obeyed() {
        assert_eq!(harmless("│ añ\n │"), "│ añ\n │");
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\r"),
            "a\\u{1b}[31mb\\u{202e}c\\r"
        );
    }
}
