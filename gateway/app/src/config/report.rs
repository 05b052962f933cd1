//! Error reports that show where in the file something is wrong and what to do about it.

use std::fmt::{self, Write as _};

/// How many reports are enough for one run.
pub(super) const ENOUGH: usize = 50;

/// The longest piece of a line that a report shows, in characters.
const SHOWN: usize = 120;
/// How much of a long line is shown before the place in question, in characters.
const LEAD: usize = 40;

/// A place in the configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Counted from 1.
    pub(super) line: usize,
    /// Counted from 1, in characters.
    pub(super) column: usize,
    /// In characters; `usize::MAX` stands for the rest of the line.
    pub(super) width: usize,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) place: Option<Place>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Report {
    /// Makes a report that points into the file.
    pub(super) fn at(place: Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        let help = help.into();
        Self {
            place: Some(place),
            message: message.into(),
            help: (!help.is_empty()).then_some(help),
        }
    }

    /// Makes a report about the file as a whole.
    pub(super) fn of_file(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            place: None,
            message: message.into(),
            help: Some(help.into()),
        }
    }
}

/// Everything that is wrong with a configuration file, ready to be printed.
#[derive(Debug)]
pub struct ConfigErrors {
    file: String,
    reports: Vec<String>,
}

impl ConfigErrors {
    /// Sorts the reports by place and renders them; the text at the places of `secrets` is not shown.
    pub(super) fn new(file: &str, text: &str, mut reports: Vec<Report>, secrets: &[Place]) -> Self {
        reports.sort_by_key(|report| report.place);
        reports.dedup();
        reports.truncate(ENOUGH);
        let lines = lines(text);
        let render = |report: &Report| render(file, &lines, report, secrets);
        Self {
            file: file.to_owned(),
            reports: reports.iter().map(render).collect(),
        }
    }

    /// Returns how many things are wrong.
    #[must_use]
    pub fn count(&self) -> usize {
        self.reports.len()
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in &self.reports {
            writeln!(formatter, "{report}")?;
        }
        let plural = if self.count() == 1 { "" } else { "s" };
        let more = if self.count() == ENOUGH {
            "; there may be more"
        } else {
            ""
        };
        write!(
            formatter,
            "{} error{plural} in {}{more}",
            self.count(),
            self.file
        )
    }
}

impl std::error::Error for ConfigErrors {}

/// Splits at the line breaks that YAML knows, which include a lone carriage return.
fn lines(text: &str) -> Vec<&str> {
    text.split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
        .collect()
}

fn render(file: &str, lines: &[&str], report: &Report, secrets: &[Place]) -> String {
    let mut out = format!("error: {}\n", report.message);
    let mut margin = 1;
    if let Some(place) = report.place {
        let number = place.line.to_string();
        margin = number.len();
        let (line, carets) = excerpt(lines, place, secrets);
        let pad = " ".repeat(margin);
        let _infallible = write!(
            out,
            "{pad}--> {file}:{number}:{}\n{pad} |\n{number} | {line}\n{pad} | {carets}\n",
            place.column
        );
    }
    if let Some(help) = &report.help {
        let _infallible = writeln!(out, "{} = help: {help}", " ".repeat(margin));
    }
    out
}

/// Returns the visible piece of a line, and the carets that go below it.
fn excerpt(lines: &[&str], place: Place, secrets: &[Place]) -> (String, String) {
    let line = lines
        .get(place.line - 1)
        .copied()
        .unwrap_or_default()
        .trim_end();
    let length = line.chars().count();
    let start = (place.column - 1).min(length);
    let from = if length > SHOWN {
        start.saturating_sub(LEAD)
    } else {
        0
    };
    let to = length.min(from + SHOWN);

    let visible = |(index, character): (usize, char)| match character {
        _ if is_secret(place.line, index + 1, secrets) => '*',
        '\t' => '\t',
        character if character.is_control() => '\u{fffd}',
        character => character,
    };
    let piece = line
        .chars()
        .enumerate()
        .skip(from)
        .take(to - from)
        .map(visible);
    let shown: String = piece.collect();
    let blank = |character| if character == '\t' { '\t' } else { ' ' };
    let indent: String = shown.chars().take(start - from).map(blank).collect();
    let carets = "^".repeat(place.width.min(to - start).max(1));

    let (left, left_pad) = if from > 0 { ("…", " ") } else { ("", "") };
    let right = if to < length { "…" } else { "" };
    (
        format!("{left}{shown}{right}"),
        format!("{left_pad}{indent}{carets}"),
    )
}

fn is_secret(line: usize, column: usize, secrets: &[Place]) -> bool {
    secrets.iter().any(|secret| {
        let end = secret.column.saturating_add(secret.width);
        secret.line == line && (secret.column..end).contains(&column)
    })
}
