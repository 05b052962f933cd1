//! Reading an agent's answer, and naming what came when it is none.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::envelope::{Envelope, without_mark};
use crate::json::{self, Kind, MAX_DEPTH};

/// Is a JSON-RPC answer that borrows from its body.
#[derive(Debug, Clone)]
pub struct Response<'a> {
    /// The id as the agent spelled it.
    pub id: Option<&'a RawValue>,
    /// What the agent answered.
    pub outcome: Outcome<'a>,
}

/// Is the one thing an answer says.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    /// The raw `result`.
    Result(&'a RawValue),
    /// The raw `error` object.
    Error(&'a RawValue),
}

/// Says what was found in place of a JSON-RPC answer; the texts continue "agent answered …" and hold nothing
/// of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Nothing, or only white space.
    #[error("an empty body")]
    Empty,
    /// An HTML page, or other markup.
    #[error("HTML instead of JSON")]
    Html,
    /// Server-sent events where one answer was due.
    #[error("an event stream instead of JSON")]
    EventStream,
    /// Bytes that are not UTF-8.
    #[error("bytes that are not UTF-8 text instead of JSON")]
    NotText,
    /// Text that is not JSON, or JSON cut short.
    #[error("invalid JSON (line {line}, column {column})")]
    InvalidJson {
        /// Line of the first error, from 1.
        line: usize,
        /// Column of the first error, from 1.
        column: usize,
    },
    /// JSON of another kind than an object.
    #[error("{0} instead of a JSON-RPC object")]
    NotObject(&'static str),
    /// An object with neither `result` nor `error`.
    #[error("a JSON object without result or error")]
    NoOutcome,
    /// An `error` that is not an object.
    #[error("an error member that is {0} instead of an object")]
    ErrorNotObject(&'static str),
    /// A member that occurs twice.
    #[error("a JSON object with member `{0}` more than once")]
    Repeated(&'static str),
    /// Nesting beyond the limit.
    #[error("JSON nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

impl<'a> Response<'a> {
    /// Reads a body.
    ///
    /// `"error": null` beside a result counts as absent; a real error wins over a result, so that no error
    /// stays hidden. The member `jsonrpc` is not looked at, since answers are written anew.
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let text = std::str::from_utf8(without_mark(body)).map_err(|_| Malformed::NotText)?;
        let Some(first) = text.trim_ascii_start().bytes().next() else {
            return Err(Malformed::Empty);
        };
        if first != b'{' {
            return Err(other_body(text, first));
        }
        let envelope: Envelope<'a> = serde_json::from_str(text).map_err(|error| invalid(&error))?;
        if let Some(name) = envelope.repeated {
            return Err(Malformed::Repeated(name));
        }
        if json::is_too_deep(text) {
            return Err(Malformed::TooDeep);
        }
        Ok(Self {
            id: envelope.id,
            outcome: outcome(&envelope)?,
        })
    }
}

fn outcome<'a>(envelope: &Envelope<'a>) -> Result<Outcome<'a>, Malformed> {
    let kind = |value: &RawValue| value.get().bytes().next().and_then(Kind::of);
    let error = envelope.error.and_then(|error| Some((error, kind(error)?)));
    match (error, envelope.result) {
        (Some((error, Kind::Object)), _) => Ok(Outcome::Error(error)),
        (None | Some((_, Kind::Null)), Some(result)) => Ok(Outcome::Result(result)),
        (None | Some((_, Kind::Null)), None) => Err(Malformed::NoOutcome),
        (Some((_, other)), _) => Err(Malformed::ErrorNotObject(other.noun())),
    }
}

fn other_body(text: &str, first: u8) -> Malformed {
    if first == b'<' {
        return Malformed::Html;
    }
    let start = text.trim_ascii_start();
    if ["data:", "event:", "id:", "retry:", ":"]
        .iter()
        .any(|field| start.starts_with(field))
    {
        return Malformed::EventStream;
    }
    match (serde_json::from_str::<IgnoredAny>(text), Kind::of(first)) {
        (Ok(_), Some(kind)) => Malformed::NotObject(kind.noun()),
        (Ok(_), None) => Malformed::NotText,
        (Err(error), _) => invalid(&error),
    }
}

fn invalid(error: &serde_json::Error) -> Malformed {
    Malformed::InvalidJson {
        line: error.line(),
        column: error.column(),
    }
}

#[cfg(test)]
mod tests;
