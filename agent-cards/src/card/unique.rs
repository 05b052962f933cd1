//! Whether every member of a document has a name of its own.
//!
//! RFC 8259 §4 leaves open which of two members of one name counts. A signature verified over one
//! reading must not vouch for what other readers take from the same bytes.

use std::collections::HashSet;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};

use crate::members;

/// Returns the JSON pointer of the first member whose name occurred before in its object.
///
/// Expects a body that has been read as JSON, and the nesting bounded by that.
pub(super) fn duplicate(body: &[u8]) -> Option<String> {
    let mut path = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    Unique(&mut path).deserialize(&mut reader).err()?;
    let pointer = path
        .iter()
        .fold(String::new(), |pointer, name| members::step(&pointer, name));
    Some(pointer)
}

/// Reads a value at a path; where reading ends early, the path leads to the duplicate.
struct Unique<'a>(&'a mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            self.0.push(name.clone());
            if !names.insert(name) {
                return Err(A::Error::custom("a name occurs twice"));
            }
            members.next_value_seed(Unique(&mut *self.0))?;
            self.0.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.0.push("0".to_owned());
        let mut index = 0_usize;
        while entries.next_element_seed(Unique(&mut *self.0))?.is_some() {
            index += 1;
            if let Some(last) = self.0.last_mut() {
                *last = index.to_string();
            }
        }
        self.0.pop();
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_a_name_is_found_at_any_depth() {
        for (body, pointer) in [
            (r#"{"a": 1, "b": {"a": 1.50}, "a": 2}"#, "/a"),
            (r#"{"a": {"b": 1, "b": 1}}"#, "/a/b"),
            (
                r#"[{}, 7, [null, {"x/y": true, "x\u002fy": false}]]"#,
                "/2/1/x~1y",
            ),
            (r#"{"": 1, "": 2}"#, "/"),
        ] {
            assert_eq!(
                duplicate(body.as_bytes()).as_deref(),
                Some(pointer),
                "{body}"
            );
        }
    }

    #[test]
    fn the_same_name_in_other_objects_is_none() {
        let body = r#"{"a": {"a": [{"a": 1e400}, {"a": -0.1}]}, "A": 12345678901234567890123}"#;
        assert_eq!(duplicate(body.as_bytes()), None);
    }
}
