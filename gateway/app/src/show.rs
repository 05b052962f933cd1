//! What commands print.

pub(crate) mod agents;
pub(crate) mod decision;
pub(crate) mod what_if;

use std::{
    fmt::Display,
    io::{Write as _, stderr, stdout},
};

use comfy_table::{ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use serde::Serialize;

/// Prints a line or a block. A reader that has gone away, such as `head`, is no error.
pub(crate) fn line(text: &str) {
    let mut out = stdout().lock();
    let _reader_gone = writeln!(out, "{text}").and_then(|()| out.flush());
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
