//! A forward-only reader over JSON text, for looking at a few members and skipping the rest.
//!
//! It is meant for text that `serde_json` has accepted already: it validates nothing, builds nothing and
//! knows the position of everything it sees, which is what splicing needs. On text that is not JSON it still
//! ends, without a panic, having read each byte at most once.

mod cursor;

use std::borrow::Cow;

pub(crate) use cursor::{Cursor, is_too_deep};

/// Deepest nesting the gateway reads or forwards; the default of most JSON parsers behind it.
pub(crate) const MAX_DEPTH: usize = 128;

/// Is the kind of a value, known from its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

impl Kind {
    /// Reads the kind off the first byte of a value.
    pub(crate) fn of(first: u8) -> Option<Self> {
        match first {
            b'{' => Some(Self::Object),
            b'[' => Some(Self::Array),
            b'"' => Some(Self::String),
            b'-' | b'0'..=b'9' => Some(Self::Number),
            b't' | b'f' => Some(Self::Bool),
            b'n' => Some(Self::Null),
            _ => None,
        }
    }

    /// Names the kind as a noun for messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
        }
    }
}

/// Is the text of one value and where it starts in its document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl<'a> Raw<'a> {
    pub(crate) fn end(self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn kind(self) -> Option<Kind> {
        self.text.bytes().next().and_then(Kind::of)
    }

    /// Decodes a string; `None` for any other kind and for a lone surrogate, which Rust text cannot hold.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        decode(self.text)
    }

    /// Decodes a string for reading only: one with a lone surrogate is given with its escapes.
    pub(crate) fn readable(self) -> Option<Cow<'a, str>> {
        let quoted = || self.text.strip_prefix('"')?.strip_suffix('"');
        self.string().or_else(|| quoted().map(Cow::Borrowed))
    }

    /// Returns the value unless it is `null`, which ProtoJSON reads as absent.
    pub(crate) fn present(self) -> Option<Self> {
        (self.kind() != Some(Kind::Null)).then_some(self)
    }

    /// Reads `true` or `false`.
    pub(crate) fn boolean(self) -> Option<bool> {
        self.text.parse().ok()
    }

    pub(crate) fn cursor(self) -> Cursor<'a> {
        Cursor::new(self.text)
    }
}

/// Decodes the raw text of a JSON string, borrowing when it has no escapes.
pub(crate) fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw).ok().map(Cow::Owned)
}

/// Encodes text as a JSON string.
pub(crate) fn encode(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Tells whether a member name is `camel` or its `snake_case` form, which ProtoJSON readers accept as well.
pub(crate) fn is_named(name: &str, camel: &str) -> bool {
    if name.len() == camel.len() {
        return name == camel;
    }
    let mut expected = camel.bytes();
    let mut raise = false;
    for byte in name.bytes() {
        if byte == b'_' && !raise {
            raise = true;
            continue;
        }
        if raise && !byte.is_ascii_lowercase() {
            return false;
        }
        let byte = if raise {
            byte.to_ascii_uppercase()
        } else {
            byte
        };
        raise = false;
        if expected.next() != Some(byte) {
            return false;
        }
    }
    !raise && expected.next().is_none()
}

#[cfg(test)]
pub(crate) mod tests;
