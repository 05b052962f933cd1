//! The types of query parameters: how each is spelled in a query and in JSON.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::TaskState;
use crate::json::encode;

/// Names the type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rest) enum Type {
    /// Any text.
    Text,
    /// A 32-bit integer.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// The state of a task, by its name.
    TaskState,
    /// A time of ISO 8601; without a zone it is taken for UTC.
    Time,
}

/// Is a value in its canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::rest) enum Scalar {
    /// A value that JSON holds as a string.
    Text(String),
    /// A value that JSON spells as a query does.
    Literal(String),
    /// A value that means the same as none.
    Default,
}

impl Type {
    /// Reads a value that is not empty.
    pub(in crate::rest) fn read(self, text: &str) -> Option<Scalar> {
        match self {
            Self::Text => Some(Scalar::Text(text.to_owned())),
            Self::Integer => {
                let number: i32 = text.trim().parse().ok()?;
                Some(Scalar::Literal(number.to_string()))
            }
            Self::Boolean => {
                let flag: bool = text.trim().to_ascii_lowercase().parse().ok()?;
                Some(Scalar::Literal(flag.to_string()))
            }
            Self::TaskState => read_state(text.trim()),
            Self::Time => read_time(text.trim()).map(|time| Scalar::Text(time.to_string())),
        }
    }

    /// Says what a value must be, after the name of its parameter.
    pub(in crate::rest) const fn expected(self) -> &'static str {
        match self {
            Self::Text => "must be a string",
            Self::Integer => "must be a 32-bit integer",
            Self::Boolean => "must be true or false",
            Self::TaskState => "must be one task state such as TASK_STATE_WORKING",
            Self::Time => "must be a time such as 2026-01-31T08:00:00Z",
        }
    }
}

impl Scalar {
    pub(in crate::rest) fn is_default(&self) -> bool {
        *self == Self::Default
    }

    pub(in crate::rest) fn into_json(self) -> String {
        match self {
            Self::Text(text) => encode(&text),
            Self::Literal(text) => text,
            Self::Default => "null".to_owned(),
        }
    }

    pub(in crate::rest) fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Literal(text) => text,
            Self::Default => String::new(),
        }
    }
}

fn read_state(text: &str) -> Option<Scalar> {
    let by_number = || TaskState::from_number(text.parse().ok()?);
    let state = TaskState::from_wire(text).or_else(by_number)?;
    if state == TaskState::Unknown {
        return Some(Scalar::Default);
    }
    let name = state.as_str().to_ascii_uppercase().replace('-', "_");
    Some(Scalar::Text(format!("TASK_STATE_{name}")))
}

fn read_time(text: &str) -> Option<Timestamp> {
    // A `+` that was not encoded before a zone has become a space.
    let zoned = || {
        let (time, zone) = text.rsplit_once(' ')?;
        format!("{time}+{zone}").parse::<Timestamp>().ok()
    };
    let local = || {
        let time: DateTime = text.parse().ok()?;
        TimeZone::UTC.to_timestamp(time).ok()
    };
    text.parse().ok().or_else(zoned).or_else(local)
}
