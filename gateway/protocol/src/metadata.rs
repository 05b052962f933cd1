//! Adds one member to the `metadata` of a result without touching any other byte.

use crate::json::{Cursor, Kind, Raw, encode, is_named};

/// Sets `key` in the `metadata` of the object that `path` leads to (empty for `object` itself).
///
/// The metadata object is created when it is absent or `null`, and a value already under `key` is replaced.
/// `json` must be a JSON value. Where there is no such object, or its metadata is of another kind, the bytes
/// come back as they were.
pub fn splice_metadata(object: &[u8], path: &[&str], key: &str, json: &str) -> Vec<u8> {
    let splice = std::str::from_utf8(object)
        .ok()
        .and_then(|text| Splice::plan(text, path, key, json));
    let Some(Splice { start, end, text }) = splice else {
        return object.to_vec();
    };
    let (head, tail) = (object.get(..start), object.get(end..));
    let pieces = [
        head.unwrap_or_default(),
        text.as_bytes(),
        tail.unwrap_or_default(),
    ];
    pieces.concat()
}

/// Is text that takes the place of the bytes from `start` to `end`.
struct Splice {
    start: usize,
    end: usize,
    text: String,
}

impl Splice {
    fn plan(document: &str, path: &[&str], key: &str, json: &str) -> Option<Self> {
        let mut owner = Cursor::new(document).value();
        for name in path {
            owner = Object::read(owner, name)?.found?;
        }
        let entry = format!("{}:{json}", encode(key));
        let object = Object::read(owner, "metadata")?;
        let Some(metadata) = object.found else {
            return Some(object.append(&format!("\"metadata\":{{{entry}}}")));
        };
        match metadata.kind() {
            Some(Kind::Null) => Some(Self::replace(metadata, format!("{{{entry}}}"))),
            Some(Kind::Object) => {
                let members = Object::read_exactly(metadata, key)?;
                Some(match members.found {
                    Some(value) => Self::replace(value, json.to_owned()),
                    None => members.append(&entry),
                })
            }
            _ => None,
        }
    }

    fn replace(value: Raw<'_>, text: String) -> Self {
        Self {
            start: value.start,
            end: value.end(),
            text,
        }
    }
}

/// Is an object of the document: the last member of a wanted name, and where new members go.
struct Object<'a> {
    found: Option<Raw<'a>>,
    close: usize,
    is_empty: bool,
}

impl<'a> Object<'a> {
    fn read(object: Raw<'a>, wanted: &str) -> Option<Self> {
        Self::read_where(object, |name| is_named(name, wanted))
    }

    fn read_exactly(object: Raw<'a>, wanted: &str) -> Option<Self> {
        Self::read_where(object, |name| name == wanted)
    }

    fn read_where(object: Raw<'a>, is_wanted: impl Fn(&str) -> bool) -> Option<Self> {
        let mut cursor = object.cursor();
        if !object.text.ends_with('}') || !cursor.enter_object() {
            return None;
        }
        let mut read = Self {
            found: None,
            close: object.end() - 1,
            is_empty: true,
        };
        while let Some(name) = cursor.next_member() {
            let value = cursor.value();
            read.is_empty = false;
            if is_wanted(&name) {
                read.found = Some(Raw {
                    text: value.text,
                    start: object.start + value.start,
                });
            }
        }
        Some(read)
    }

    fn append(&self, member: &str) -> Splice {
        let comma = if self.is_empty { "" } else { "," };
        Splice {
            start: self.close,
            end: self.close,
            text: format!("{comma}{member}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn spliced(object: &str, path: &[&str]) -> String {
        String::from_utf8(splice_metadata(
            object.as_bytes(),
            path,
            "urn:x",
            "{\"d\":1}",
        ))
        .unwrap()
    }

    #[test]
    fn metadata_is_created_or_extended() {
        for (before, after) in [
            ("{}", r#"{"metadata":{"urn:x":{"d":1}}}"#),
            (
                r#"{ "id":"t" }"#,
                r#"{ "id":"t" ,"metadata":{"urn:x":{"d":1}}}"#,
            ),
            (
                r#"{"metadata":{},"n":1E2}"#,
                r#"{"metadata":{"urn:x":{"d":1}},"n":1E2}"#,
            ),
            (
                r#"{"metadata":{"a":"}"}}"#,
                r#"{"metadata":{"a":"}","urn:x":{"d":1}}}"#,
            ),
            (r#"{"metadata":null}"#, r#"{"metadata":{"urn:x":{"d":1}}}"#),
            (
                r#"{"metadata":{"urn:x":7}}"#,
                r#"{"metadata":{"urn:x":{"d":1}}}"#,
            ),
        ] {
            assert_eq!(spliced(before, &[]), after);
        }
    }

    #[test]
    fn path_leads_to_the_owner() {
        assert_eq!(
            spliced(r#"{"task": {"id":"t"} }"#, &["task"]),
            r#"{"task": {"id":"t","metadata":{"urn:x":{"d":1}}} }"#
        );
        assert_eq!(
            spliced(r#"{"status_update":{}}"#, &["statusUpdate"]),
            r#"{"status_update":{"metadata":{"urn:x":{"d":1}}}}"#
        );
    }

    #[test]
    fn what_has_no_metadata_stays_as_it_is() {
        for object in [
            "",
            "[]",
            "null",
            "{",
            r#"{"metadata":"text"}"#,
            r#"{"metadata":[]}"#,
        ] {
            assert_eq!(spliced(object, &[]), object);
        }
        assert_eq!(spliced("{}", &["task"]), "{}");
        assert_eq!(splice_metadata(b"\xFF{}", &[], "k", "1"), b"\xFF{}");
    }

    proptest! {
        #[test]
        fn only_the_one_member_changes(value in crate::json::tests::any_json(), key in ".{0,6}") {
            let before = serde_json::to_string_pretty(&value).unwrap();
            let after = splice_metadata(before.as_bytes(), &[], &key, "[1]");
            let mut expected = value;
            if let Value::Object(object) = &mut expected {
                let metadata = object.entry("metadata").or_insert(Value::Null);
                if metadata.is_null() {
                    *metadata = json!({});
                }
                if let Value::Object(metadata) = metadata {
                    metadata.insert(key, json!([1]));
                }
            }
            prop_assert_eq!(serde_json::from_slice::<Value>(&after).unwrap(), expected);
        }

        #[test]
        fn any_text_is_survived(text in "[\\[\\]{}\",:\\\\ a]{0,40}") {
            splice_metadata(text.as_bytes(), &["a"], "k", "1");
        }
    }
}
