//! What serde found wrong, and the node it is about.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use crate::config::{hint, report::Report, tree::Node};

/// A part of the file that does not fit its form.
///
/// Values never enter a fault: a report shows the line of the file, in which variables are still names.
#[derive(Debug)]
pub(super) struct Fault {
    kind: Kind,
    node: Option<usize>,
    report: Option<Box<Report>>,
}

#[derive(Debug)]
enum Kind {
    UnknownKey {
        key: String,
        known: &'static [&'static str],
        within: Option<String>,
    },
    MissingKey {
        key: &'static str,
        within: Option<String>,
    },
    UnknownWord {
        known: &'static [&'static str],
    },
    Type {
        expected: String,
    },
    Value {
        message: String,
    },
}

impl Fault {
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            node: None,
            report: None,
        }
    }

    /// Returns the id of the node to take out.
    pub(super) fn node(&self) -> Option<usize> {
        self.node
    }

    /// Returns the report; nothing when one was made before for the same cause.
    pub(super) fn into_report(self) -> Option<Report> {
        self.report.map(|report| *report)
    }

    /// Says which mapping was being read, for faults that are about one of its keys.
    pub(super) fn within(mut self, mapping: &dyn Expected) -> Self {
        if let Kind::UnknownKey { within, .. } | Kind::MissingKey { within, .. } = &mut self.kind {
            within.get_or_insert_with(|| mapping.to_string());
        }
        self
    }

    /// Says which node this is about, unless an inner node is known already.
    pub(super) fn at(mut self, node: &Node) -> Self {
        if self.node.is_none() {
            self.node = Some(node.id);
            self.report = self.kind.report(node).map(Box::new);
        }
        self
    }
}

impl Kind {
    fn report(&self, node: &Node) -> Option<Report> {
        let (message, help) = match self {
            Self::UnknownKey { key, known, within } => (
                format!(
                    "unknown key `{}` in {}",
                    hint::shown(key),
                    within.as_deref().unwrap_or("this mapping")
                ),
                hint::known("keys", key, known),
            ),
            Self::MissingKey { key, within } => {
                if node.refused().iter().any(|name| name == key) {
                    return None;
                }
                (
                    format!(
                        "{} has no `{key}`",
                        within.as_deref().unwrap_or("this mapping")
                    ),
                    hint::example(key),
                )
            }
            Self::UnknownWord { known } => {
                let word = if node.is_interpolated() {
                    ""
                } else {
                    node.text()
                };
                (
                    "not one of the allowed words".to_owned(),
                    hint::known("words", word, known),
                )
            }
            Self::Type { expected } => (
                format!(
                    "expected {}, found {}",
                    hint::plain_type(expected),
                    node.kind()
                ),
                hint::for_type(expected, node),
            ),
            Self::Value { message } => match message.split_once('\n') {
                Some((message, help)) => (message.to_owned(), help.to_owned()),
                None => (message.clone(), String::new()),
            },
        };
        Some(Report::at(node.place, message, help))
    }
}

impl Error for Fault {
    /// Takes a message; its second line, if any, is the help.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::of(Kind::Value {
            message: message.to_string(),
        })
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of(Kind::Type {
            expected: expected.to_string(),
        })
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of(Kind::Value {
            message: format!(
                "out of range, expected {}",
                hint::plain_type(&expected.to_string())
            ),
        })
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::of(Kind::UnknownWord { known })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::of(Kind::UnknownKey {
            key: key.to_owned(),
            known,
            within: None,
        })
    }

    fn missing_field(key: &'static str) -> Self {
        Self::of(Kind::MissingKey { key, within: None })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.kind)
    }
}

impl std::error::Error for Fault {}
