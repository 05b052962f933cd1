//! How callers authenticate, in the form of either protocol version.
//!
//! Schemes are held in the form of 1.0, which names their kind by the member that wraps them;
//! 0.3 names it in `type`. What else a scheme holds moves along.

mod scheme;

use serde_json::{Value, json};

pub(crate) use self::scheme::KINDS;
pub use self::scheme::{ApiKeyLocation, SecurityScheme};

use crate::members::{self, Object};

/// The schemes of a card and which of them a caller needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Security {
    /// The schemes by the names that requirements use.
    pub schemes: Vec<(String, SecurityScheme)>,
    /// The alternatives, one of which a caller must meet; none means that anyone may call.
    pub requirements: Vec<SecurityRequirement>,
}

/// Schemes that are needed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecurityRequirement {
    /// The names of the schemes, each with the scopes it needs.
    pub schemes: Vec<(String, Vec<String>)>,
}

impl Security {
    /// Returns what a caller needs who is to present one scheme.
    #[must_use]
    pub fn one(name: &str, scheme: SecurityScheme) -> Self {
        Self {
            schemes: vec![(name.to_owned(), scheme)],
            requirements: vec![SecurityRequirement {
                schemes: vec![(name.to_owned(), Vec::new())],
            }],
        }
    }

    pub(crate) fn read(card: &Object) -> Self {
        let empty = Object::new();
        let schemes = members::object(card, "securitySchemes").unwrap_or(&empty);
        Self {
            schemes: schemes
                .iter()
                .filter_map(|(name, scheme)| {
                    Some((name.clone(), SecurityScheme::read(scheme.as_object()?)))
                })
                .collect(),
            requirements: SecurityRequirement::read_all(card),
        }
    }
}

impl SecurityRequirement {
    /// Reads the requirements of a card or a skill; those of 1.0 come before those of 0.3.
    pub(crate) fn read_all(object: &Object) -> Vec<Self> {
        let current = members::list(object, "securityRequirements");
        let entries = if current.is_empty() {
            members::list(object, "security")
        } else {
            current
        };
        entries
            .iter()
            .filter_map(|entry| Some(Self::read(entry.as_object()?)))
            .collect()
    }

    fn read(entry: &Object) -> Self {
        let wrapped = members::object(entry, "schemes");
        let schemes = wrapped.unwrap_or(entry).iter().map(|(name, scopes)| {
            let list = scopes.get("list").unwrap_or(scopes);
            let scopes = list.as_array().map_or(&[][..], Vec::as_slice);
            let texts = scopes.iter().filter_map(Value::as_str).map(str::to_owned);
            (name.clone(), texts.collect())
        });
        Self {
            schemes: schemes.collect(),
        }
    }

    pub(crate) fn in_v1(&self) -> Value {
        let schemes = self
            .schemes
            .iter()
            .map(|(name, scopes)| (name.clone(), json!({ "list": scopes })));
        json!({ "schemes": schemes.collect::<Object>() })
    }

    pub(crate) fn in_v03(&self) -> Value {
        let schemes = self
            .schemes
            .iter()
            .map(|(name, scopes)| (name.clone(), json!(scopes)));
        Value::Object(schemes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_of_both_versions_are_the_same_requirements() {
        let read = |value: Value| SecurityRequirement::read_all(value.as_object().unwrap());
        let legacy = json!([{"o": ["read"], "k": []}, {}]);
        let current = json!([{"schemes": {"o": {"list": ["read"]}, "k": {}}}, {"schemes": {}}]);
        let requirements = read(json!({ "security": legacy }));
        assert_eq!(
            requirements,
            read(json!({ "securityRequirements": current }))
        );
        let written: Vec<Value> = requirements
            .iter()
            .map(SecurityRequirement::in_v03)
            .collect();
        assert_eq!(Value::Array(written), legacy);
        assert_eq!(
            requirements[0].in_v1(),
            json!({"schemes": {"o": {"list": ["read"]}, "k": {"list": []}}})
        );
    }
}
