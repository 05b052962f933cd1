//! The position in a document and the moves over it.

use std::borrow::Cow;

use super::{Kind, MAX_DEPTH, Raw, decode};

/// Walks a document from front to back.
///
/// After [`Cursor::next_member`] or a true [`Cursor::next_element`] the caller takes exactly one value, with
/// [`Cursor::value`] or by entering it and reading it to its end.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Tells the kind of the value that comes next.
    pub(crate) fn peek(&mut self) -> Option<Kind> {
        self.pass_space();
        self.byte().and_then(Kind::of)
    }

    /// Enters the object that comes next; any other value is skipped and `false` returned.
    pub(crate) fn enter_object(&mut self) -> bool {
        self.enter(Kind::Object)
    }

    /// Enters the array that comes next; any other value is skipped and `false` returned.
    pub(crate) fn enter_array(&mut self) -> bool {
        self.enter(Kind::Array)
    }

    /// Moves to the next member of the entered object and returns its name, or leaves the object.
    pub(crate) fn next_member(&mut self) -> Option<Cow<'a, str>> {
        self.pass_separator();
        if self.byte() != Some(b'"') {
            self.leave(b'}');
            return None;
        }
        let start = self.at;
        self.pass_string();
        let raw = self.slice(start);
        self.pass_space();
        if self.byte() == Some(b':') {
            self.at += 1;
        }
        Some(decode(raw).unwrap_or(Cow::Borrowed(raw)))
    }

    /// Moves to the next element of the entered array, or leaves the array and returns `false`.
    pub(crate) fn next_element(&mut self) -> bool {
        self.pass_separator();
        if self.byte().and_then(Kind::of).is_some() {
            return true;
        }
        self.leave(b']');
        false
    }

    /// Takes the next value whole.
    pub(crate) fn value(&mut self) -> Raw<'a> {
        self.pass_space();
        let start = self.at;
        match self.byte() {
            Some(b'"') => self.pass_string(),
            Some(b'{' | b'[') => self.pass_nested(),
            _ => self.pass_scalar(),
        }
        Raw {
            text: self.slice(start),
            start,
        }
    }

    /// Reads an array of strings, without those that are none; any other value is skipped.
    pub(crate) fn strings(&mut self) -> Vec<Cow<'a, str>> {
        let mut strings = Vec::new();
        if self.enter_array() {
            while self.next_element() {
                strings.extend(self.value().string());
            }
        }
        strings
    }

    /// Skips the next value.
    pub(crate) fn skip(&mut self) {
        self.value();
    }

    fn enter(&mut self, kind: Kind) -> bool {
        if self.peek() == Some(kind) {
            self.at += 1;
            return true;
        }
        self.skip();
        false
    }

    fn leave(&mut self, close: u8) {
        if self.byte() == Some(close) {
            self.at += 1;
        } else {
            self.at = self.text.len();
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn pass_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.byte() {
            self.at += 1;
        }
    }

    fn pass_separator(&mut self) {
        self.pass_space();
        if self.byte() == Some(b',') {
            self.at += 1;
            self.pass_space();
        }
    }

    fn pass_string(&mut self) {
        self.at += 1;
        while let Some(found) = memchr::memchr2(b'"', b'\\', self.rest()) {
            self.at += found;
            if self.byte() == Some(b'"') {
                self.at += 1;
                return;
            }
            self.at += 2;
        }
        self.at = self.text.len();
    }

    fn pass_nested(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            if byte == b'"' {
                self.pass_string();
                continue;
            }
            self.at += 1;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn pass_scalar(&mut self) {
        let rest = self.rest();
        self.at += rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'))
            .unwrap_or(rest.len());
    }
}

/// Tells whether text nests objects and arrays deeper than [`MAX_DEPTH`].
pub(crate) fn is_too_deep(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    let mut depth = 0_usize;
    while let Some(byte) = cursor.byte() {
        match byte {
            b'"' => {
                cursor.pass_string();
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
        cursor.at += 1;
    }
    false
}
