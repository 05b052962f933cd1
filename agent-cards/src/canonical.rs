//! The bytes a card signature is made over (A2A §8.4.1 and RFC 8785).
//!
//! The specification and the official SDKs disagree about members that are empty, so there is
//! more than one form. Signing writes those that readers know, verification tries all of them.

mod coverage;
mod python;
mod schema;

use std::fmt;

use serde::Serialize;
use serde_json::Value;

pub(crate) use self::coverage::{uncovered, unite};

use self::python::Numbers;
use self::schema::{Missing, V0_3, V1_0};
use crate::members::Object;
use crate::{Card, Shape};

/// A way to write a card as the bytes its signature covers.
///
/// `signatures` is in none of them. All but [`AsReceived`](Self::AsReceived) know the members of
/// one protocol version only: what else a card has is not covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CanonicalForm {
    /// As A2A §8.4.1 says: required members stay when they are empty, others are left out.
    Specification,
    /// The same for a signer whose served card leaves out required members that are empty.
    RequiredFilled,
    /// Without any empty string, list or object, as the official SDKs of 1.0 sign.
    WithoutEmpty,
    /// The same as Python's JSON writer puts it, as its SDK signed up to version 1.1.
    WithoutEmptyEscaped,
    /// The members of 0.3 without defaults and empty values, as the Python SDK of 0.3 signs.
    LegacyWithoutEmpty,
    /// Every member as it was received.
    AsReceived,
}

/// The error for a card that has no canonical form, since RFC 8785 has none for one of its numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the card has no canonical form: {0}")]
pub struct NotCanonical(String);

impl CanonicalForm {
    /// All forms, in the order verification tries them.
    pub const ALL: [Self; 6] = [
        Self::Specification,
        Self::RequiredFilled,
        Self::WithoutEmpty,
        Self::WithoutEmptyEscaped,
        Self::LegacyWithoutEmpty,
        Self::AsReceived,
    ];

    /// Returns the name of the form in `kebab-case`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Specification => "specification",
            Self::RequiredFilled => "required-filled",
            Self::WithoutEmpty => "without-empty",
            Self::WithoutEmptyEscaped => "without-empty-escaped",
            Self::LegacyWithoutEmpty => "legacy-without-empty",
            Self::AsReceived => "as-received",
        }
    }

    /// Tells whether the form covers what makes a card of this shape a card: its addresses.
    #[must_use]
    pub fn fits(self, shape: Shape) -> bool {
        match self {
            Self::Specification
            | Self::RequiredFilled
            | Self::WithoutEmpty
            | Self::WithoutEmptyEscaped => shape != Shape::V03,
            Self::LegacyWithoutEmpty => shape != Shape::V1,
            Self::AsReceived => true,
        }
    }
}

impl fmt::Display for CanonicalForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Returns the bytes a signature over the card covers, in one form.
///
/// # Errors
///
/// Fails for numbers beyond the range of a double, which have no canonical form.
pub fn canonicalize(card: &Card, form: CanonicalForm) -> Result<Vec<u8>, NotCanonical> {
    let members = card.members();
    let projected = |missing| schema::project(members, &V1_0, missing);
    match form {
        CanonicalForm::Specification => jcs(&Value::Object(projected(Missing::Absent))),
        CanonicalForm::RequiredFilled => jcs(&Value::Object(projected(Missing::Default))),
        CanonicalForm::WithoutEmpty => jcs(&without_empty(projected(Missing::Absent))),
        CanonicalForm::WithoutEmptyEscaped => {
            let cleaned = without_empty(projected(Missing::Absent));
            python::write(&cleaned, Numbers::Doubles).map_err(NotCanonical)
        }
        CanonicalForm::LegacyWithoutEmpty => {
            let cleaned = without_empty(schema::project(members, &V0_3, Missing::Absent));
            python::write(&cleaned, Numbers::AsWritten).map_err(NotCanonical)
        }
        CanonicalForm::AsReceived => {
            let mut all = members.clone();
            all.shift_remove("signatures");
            jcs(&Value::Object(all))
        }
    }
}

/// Writes a value by RFC 8785.
fn jcs(value: &Value) -> Result<Vec<u8>, NotCanonical> {
    serde_json_canonicalizer::to_vec(value).map_err(|error| NotCanonical(error.to_string()))
}

fn without_empty(object: Object) -> Value {
    cleaned(Value::Object(object)).unwrap_or_else(|| Value::Object(Object::new()))
}

/// Returns a value without what is empty in it, or nothing when nothing is left.
fn cleaned(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then_some(Value::String(text)),
        Value::Array(entries) => {
            let entries: Vec<Value> = entries.into_iter().filter_map(cleaned).collect();
            (!entries.is_empty()).then_some(Value::Array(entries))
        }
        Value::Object(members) => {
            let members: Object = members
                .into_iter()
                .filter_map(|(name, value)| Some((name, cleaned(value)?)))
                .collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        Value::Bool(_) | Value::Number(_) => Some(value),
    }
}

#[cfg(test)]
mod tests;
