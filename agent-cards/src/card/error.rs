//! Why a body is not a card, said in terms of what was found.

use serde_json::Value;

use super::unique;
use crate::members::{self, Object, shown};

/// The error for a body that is not an AgentCard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The body is something well known that is not JSON.
    #[error("the body is {found}, not JSON")]
    NotJson {
        /// What the body is.
        found: &'static str,
    },
    /// The body looks like JSON but breaks its grammar.
    #[error("the body is not valid JSON: {problem} at line {line}, column {column}")]
    Syntax {
        /// Which rule is broken.
        problem: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1 in bytes.
        column: usize,
    },
    /// The body is JSON of another kind.
    #[error("the body is {found}, an AgentCard is an object")]
    NotAnObject {
        /// What the body is.
        found: &'static str,
    },
    /// The body is an object about something else.
    #[error(
        "the body is not an AgentCard: it has {found}, a card has a name, an address (`url` or `supportedInterfaces`) and skills or capabilities"
    )]
    NotACard {
        /// The first members of the object.
        found: String,
    },
    /// A member that the card cannot be read without has another type.
    #[error("`{pointer}` is {found}, expected {expected}")]
    WrongType {
        /// Where the member is, as a JSON pointer.
        pointer: String,
        /// What the member is.
        found: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// An object has two members of one name, and readers differ about which counts.
    #[error(
        "`{}` is there more than once and readers differ about which counts, remove all but one",
        shown(pointer)
    )]
    DuplicateMember {
        /// Where the second one is, as a JSON pointer.
        pointer: String,
    },
}

impl CardError {
    /// Returns where in the document the trouble is, as a JSON pointer; empty for the whole.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self {
            Self::WrongType { pointer, .. } | Self::DuplicateMember { pointer } => pointer,
            Self::NotJson { .. }
            | Self::Syntax { .. }
            | Self::NotAnObject { .. }
            | Self::NotACard { .. } => "",
        }
    }

    pub(super) fn not_a_card(object: &Object) -> Self {
        const SHOWN: usize = 5;
        let mut names: Vec<String> = object
            .keys()
            .take(SHOWN)
            .map(|name| format!("`{}`", shown(name)))
            .collect();
        if object.len() > SHOWN {
            names.push(format!("{} more", object.len() - SHOWN));
        }
        let found = if names.is_empty() {
            "no members".to_owned()
        } else {
            names.join(", ")
        };
        Self::NotACard { found }
    }

    pub(super) fn wrong_type(pointer: &str, value: &Value, expected: &'static str) -> Self {
        Self::WrongType {
            pointer: pointer.to_owned(),
            found: members::kind(value),
            expected,
        }
    }
}

/// Reads JSON, naming the usual things that are served in its place.
pub(super) fn read_json(body: &[u8]) -> Result<Value, CardError> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if let Some(found) = known_kind(body.trim_ascii_start()) {
        return Err(CardError::NotJson { found });
    }
    let value = serde_json::from_slice(body).map_err(|error| {
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or_default();
        CardError::Syntax {
            problem: problem.to_owned(),
            line: error.line(),
            column: error.column(),
        }
    })?;
    match unique::duplicate(body) {
        Some(pointer) => Err(CardError::DuplicateMember { pointer }),
        None => Ok(value),
    }
}

fn known_kind(start: &[u8]) -> Option<&'static str> {
    match start {
        [] => Some("empty"),
        [b'<', b'?', ..] => Some("XML"),
        [b'<', ..] => Some("HTML"),
        [0x1f, 0x8b, ..] => Some("gzip data"),
        _ => None,
    }
}
