//! A JSON object of a request body, whose members are exchanged without touching any other byte.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::query::{invalid, join};
use crate::json::{Cursor, Kind, MAX_DEPTH, Raw, encode, is_named, is_too_deep};
use crate::{Error, ErrorKind};

/// Is the text of an object, valid JSON and not too deep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a>(&'a str);

impl<'a> Body<'a> {
    /// Reads a body; an empty one, and `null` as some clients write it, are an empty object where that is optional.
    pub(super) fn read(bytes: &'a [u8], is_optional: bool) -> Result<Self, Error> {
        let refuse = |kind, problem: String| Err(Error::new(kind, problem));
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return refuse(
                ErrorKind::ParseError,
                "the body is not UTF-8 text".to_owned(),
            );
        };
        if is_optional && matches!(text.trim_ascii(), "" | "null") {
            return Ok(Self("{}"));
        }
        let object = match serde_json::from_str::<&RawValue>(text) {
            Ok(value) => value.get(),
            Err(error) => {
                let (line, column) = (error.line(), error.column());
                let problem = format!("the body is not valid JSON (line {line}, column {column})");
                return refuse(ErrorKind::ParseError, problem);
            }
        };
        if !object.starts_with('{') {
            return refuse(
                ErrorKind::InvalidRequest,
                "the body must be a JSON object".to_owned(),
            );
        }
        if is_too_deep(object) {
            let problem = format!("the body nests deeper than {MAX_DEPTH} levels");
            return refuse(ErrorKind::InvalidRequest, problem);
        }
        Ok(Self(object))
    }

    pub(super) fn text(self) -> &'a str {
        self.0
    }

    /// Tells whether a member is there and not `null`.
    pub(super) fn has(self, name: &str) -> bool {
        self.members(name)
            .any(|value| value.kind() != Some(Kind::Null))
    }

    /// Finds a member, `null` counting as absent; the error is -32602 if it is there twice.
    pub(super) fn value(self, name: &str) -> Result<Option<Raw<'a>>, Error> {
        let mut found = self.members(name);
        let first = found.next();
        if found.next().is_some() {
            return Err(invalid(name, "occurs more than once"));
        }
        Ok(first.and_then(Raw::present))
    }

    /// Reads a text member, of which an empty one counts as absent; the error is -32602.
    pub(super) fn string(self, name: &str) -> Result<Option<String>, Error> {
        let Some(value) = self.value(name)? else {
            return Ok(None);
        };
        let text = value
            .string()
            .ok_or_else(|| invalid(name, "must be a string"))?;
        Ok(Some(text.into_owned()).filter(|text| !text.is_empty()))
    }

    /// Reads an object member.
    pub(super) fn object(self, name: &str) -> Result<Option<Self>, Error> {
        match self.value(name)? {
            None => Ok(None),
            Some(value) if value.kind() == Some(Kind::Object) => Ok(Some(Self(value.text))),
            Some(_) => Err(invalid(name, "must be an object")),
        }
    }

    /// Returns the object with members set to raw JSON values: in place where they are, else at the end.
    pub(super) fn with(self, members: &[(&str, String)]) -> String {
        let mut text = String::with_capacity(self.0.len());
        let mut missing: Vec<(&str, &str)> = Vec::new();
        let mut edits = Vec::new();
        for (name, json) in members {
            let before = edits.len();
            edits.extend(self.members(name).map(|value| (value, json)));
            if edits.len() == before {
                missing.push((name, json));
            }
        }
        edits.sort_unstable_by_key(|(value, _)| value.start);
        let mut at = 0;
        for (value, json) in edits {
            text.push_str(self.0.get(at..value.start).unwrap_or_default());
            text.push_str(json);
            at = value.end();
        }
        let close = self.0.len() - 1;
        text.push_str(self.0.get(at..close).unwrap_or_default());
        if !missing.is_empty() {
            let is_empty = text.trim_ascii_end().ends_with('{');
            text.push_str(if is_empty { "" } else { "," });
            text.push_str(&join(missing));
        }
        text.push('}');
        text
    }

    /// Counts the members that are there under another name than the known ones.
    pub(super) fn others(self, is_known: impl Fn(&str) -> bool) -> usize {
        self.all()
            .filter(|(name, value)| value.kind() != Some(Kind::Null) && !is_known(name))
            .count()
    }

    fn members(self, wanted: &str) -> impl Iterator<Item = Raw<'a>> {
        self.all()
            .filter(move |(name, _)| is_named(name, wanted))
            .map(|(_, value)| value)
    }

    fn all(self) -> impl Iterator<Item = (Cow<'a, str>, Raw<'a>)> {
        let mut cursor = Cursor::new(self.0);
        cursor.enter_object();
        std::iter::from_fn(move || {
            let name = cursor.next_member()?;
            Some((name, cursor.value()))
        })
    }
}

/// Writes text as a raw JSON value.
pub(super) fn quoted(text: impl AsRef<str>) -> String {
    encode(text.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, members: &[(&str, &str)]) -> String {
        let members: Vec<_> = members
            .iter()
            .map(|(name, json)| (*name, (*json).to_owned()))
            .collect();
        Body::read(text.as_bytes(), true).unwrap().with(&members)
    }

    #[test]
    fn members_are_set_in_place_or_added() {
        for (before, after) in [
            ("", r#"{"tenant":"x","taskId":"t"}"#),
            (" null ", r#"{"tenant":"x","taskId":"t"}"#),
            ("{ }", r#"{ "tenant":"x","taskId":"t"}"#),
            (
                r#" {"n": 1E2 } "#,
                r#"{"n": 1E2 ,"tenant":"x","taskId":"t"}"#,
            ),
            (
                r#"{"task_id" : null,"n":1,"tenant":""}"#,
                r#"{"task_id" : "t","n":1,"tenant":"x"}"#,
            ),
            (
                r#"{"taskId":1,"m":{"tenant":"y"},"task_id":2}"#,
                r#"{"taskId":"t","m":{"tenant":"y"},"task_id":"t","tenant":"x"}"#,
            ),
        ] {
            let members = [("tenant", "\"x\""), ("taskId", "\"t\"")];
            assert_eq!(with(before, &members), after);
        }
        assert_eq!(with("{}", &[]), "{}");
    }

    #[test]
    fn c091_bodies_that_are_no_objects_are_refused() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(20_000), "]".repeat(20_000));
        for (body, kind) in [
            (b"".as_slice(), ErrorKind::ParseError),
            (b"{\"a\":", ErrorKind::ParseError),
            (b"<html>", ErrorKind::ParseError),
            (b"{} {}", ErrorKind::ParseError),
            (b"\xFF", ErrorKind::ParseError),
            (b"[]", ErrorKind::InvalidRequest),
            (b"null", ErrorKind::InvalidRequest),
            (deep.as_bytes(), ErrorKind::InvalidRequest),
        ] {
            assert_eq!(Body::read(body, false).unwrap_err().kind, kind);
        }
        assert!(Body::read(b"\xEF\xBB\xBF{}", false).is_ok());
    }

    #[test]
    fn strings_are_read_once() {
        let read =
            |text: &'static str| Body::read(text.as_bytes(), false).unwrap().string("tenant");
        assert_eq!(
            read(r#"{"tenant":"\u0061"}"#).unwrap().as_deref(),
            Some("a")
        );
        for absent in [
            "{}",
            r#"{"tenant":null}"#,
            r#"{"tenant":""}"#,
            r#"{"m":{"tenant":"a"}}"#,
        ] {
            assert_eq!(read(absent).unwrap(), None);
        }
        for refused in [r#"{"tenant":1}"#, r#"{"tenant":"a","tenant":"a"}"#] {
            assert_eq!(read(refused).unwrap_err().kind, ErrorKind::InvalidParams);
        }
    }
}
