//! What commands print.

pub(crate) mod agents;
mod aside;
pub(crate) mod card;
pub(crate) mod decision;
pub(crate) mod explanation;
pub(crate) mod replay;
pub(crate) mod signals;
pub(crate) mod tune;
pub(crate) mod what_if;

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, ErrorKind, IsTerminal as _, Write as _, stderr, stdout},
};

use comfy_table::{ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use serde::Serialize;

/// Prints a line or a block. A reader that has gone away, such as `head`, is no error.
pub(crate) fn line(text: &str) {
    let mut out = stdout().lock();
    let _reader_gone = writeln!(out, "{}", harmless(text)).and_then(|()| out.flush());
}

/// Prints a document as it came; on a terminal, control and direction characters are shown instead.
///
/// # Errors
/// Fails when not all of it could be written, as to a full disk. A reader that has gone away is no error.
pub(crate) fn document(bytes: &[u8]) -> io::Result<()> {
    let mut out = stdout().lock();
    let written = if out.is_terminal() {
        let text = String::from_utf8_lossy(bytes);
        writeln!(out, "{}", harmless(&text))
    } else {
        out.write_all(bytes)
    };
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Says how many there are of something: `1 skill`, `2 skills`.
pub(crate) fn counted(count: u64, of: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {of}{ending}")
}

/// Shows control and direction characters instead of obeying them: texts of agents and clients reach the
/// operator's terminal here.
fn harmless(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| letter.escape_default().to_string())
}

/// Replaces what would change how a terminal shows the rest.
fn escaped(text: &str, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    let harmful = |letter: char| {
        (letter.is_control() && letter != '\n')
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|letter| match letter {
        letter if harmful(letter) => escape(letter),
        letter => letter.to_string(),
    });
    Cow::Owned(shown.collect())
}

/// Brings text of an agent on one bounded line, so that it cannot look like lines of this program.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Prints an error, or what stands beside a result.
pub(crate) fn complain(error: &dyn Display) {
    let text = error.to_string();
    let _reader_gone = writeln!(stderr().lock(), "{}", harmless(&text));
}

/// Renders a value as JSON on one line, as harmless as [`json`].
pub(crate) fn json_line(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => escaped(&text, |letter| format!("\\u{:04x}", u32::from(letter))).into_owned(),
        Err(error) => format!("cannot be shown as JSON: {error}"),
    }
}

/// Renders a value as indented JSON. What [`line`] would show otherwise is escaped as JSON does.
pub(crate) fn json(value: &impl Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => escaped(&text, |letter| format!("\\u{:04x}", u32::from(letter))).into_owned(),
        Err(error) => format!("cannot be shown as JSON: {error}"),
    }
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
    use super::{harmless, json, one_line};

    #[test]
    fn control_and_direction_characters_are_shown_and_not_obeyed() {
        assert_eq!(harmless("│ añ\n │"), "│ añ\n │");
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\r"),
            "a\\u{1b}[31mb\\u{202e}c\\r"
        );
    }

    #[test]
    fn json_for_programs_stays_json_and_harmless() {
        let value = serde_json::json!({"a\u{85}": "b\u{202e}c\u{1b}\u{7f}\n"});
        let text = json(&value);
        assert_eq!(harmless(&text), text);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }

    #[test]
    fn text_of_an_agent_takes_one_line() {
        assert_eq!(one_line(" a\nsigned\u{2028}\t yes "), "a signed yes");
        assert_eq!(one_line(&"é".repeat(500)).chars().count(), 301);
    }
}
