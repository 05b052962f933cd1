//! Reading a client's request, with the refusal it deserves when it is none.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::envelope::{Envelope, without_mark};
use crate::json::{self, Kind, MAX_DEPTH};
use crate::{Error, ErrorKind};

/// Is a JSON-RPC request that borrows from its body.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The id as the client spelled it (`null` included), or `None` for a notification.
    pub id: Option<&'a RawValue>,
    /// The method, not yet looked up.
    pub method: Cow<'a, str>,
    /// An object, or a literal `null`, which [`crate::check_params`] judges per operation.
    pub params: Option<&'a RawValue>,
}

/// Is the answer to a body that is not a usable request.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// The id, where it could be read and has a legal type.
    pub id: Option<Box<RawValue>>,
    /// What is wrong.
    pub error: Error,
}

impl<'a> Request<'a> {
    /// Reads a body; refuses broken JSON with -32700, a bad envelope or batch with -32600, and `params` that
    /// are not an object with -32602.
    pub fn parse(body: &'a [u8]) -> Result<Self, Rejected> {
        let text = std::str::from_utf8(without_mark(body))
            .map_err(|_| reject(None, ErrorKind::ParseError, "the body is not UTF-8 text"))?;
        let first = text.trim_ascii_start().bytes().next();
        if first != Some(b'{') {
            return Err(reject_other(text, first));
        }
        let envelope: Envelope<'a> =
            serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let id = envelope.id.filter(|id| is_legal_id(id));
        Self::from_envelope(text, &envelope).map_err(|error| Rejected {
            id: id.map(ToOwned::to_owned),
            error,
        })
    }

    fn from_envelope(text: &str, envelope: &Envelope<'a>) -> Result<Self, Error> {
        let invalid = |message: &str| Error::new(ErrorKind::InvalidRequest, message);
        if let Some(name) = envelope.repeated {
            return Err(invalid(&format!("member `{name}` occurs more than once")));
        }
        if envelope.jsonrpc.and_then(string) != Some(Cow::Borrowed("2.0")) {
            return Err(invalid("member `jsonrpc` must be \"2.0\""));
        }
        if envelope.id.is_some_and(|id| !is_legal_id(id)) {
            return Err(invalid("member `id` must be a string, a number or null"));
        }
        let method = envelope
            .method
            .and_then(string)
            .ok_or_else(|| invalid("member `method` must be a string"))?;
        if json::is_too_deep(text) {
            return Err(invalid(&format!(
                "the body nests deeper than {MAX_DEPTH} levels"
            )));
        }
        let params = envelope.params;
        if !matches!(
            params.map(kind),
            None | Some(Some(Kind::Object | Kind::Null))
        ) {
            let message = "member `params` must be an object";
            return Err(Error::new(ErrorKind::InvalidParams, message)
                .field_violation("params", "must be an object"));
        }
        Ok(Self {
            id: envelope.id,
            method,
            params,
        })
    }
}

fn reject(id: Option<Box<RawValue>>, kind: ErrorKind, message: &str) -> Rejected {
    Rejected {
        id,
        error: Error::new(kind, message),
    }
}

fn reject_other(text: &str, first: Option<u8>) -> Rejected {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return not_json(&error);
    }
    let message = match first.and_then(Kind::of) {
        Some(Kind::Array) => "batches are not supported, send one request per call",
        _ => "a request must be a JSON object",
    };
    reject(None, ErrorKind::InvalidRequest, message)
}

fn not_json(error: &serde_json::Error) -> Rejected {
    let message = format!(
        "the body is not valid JSON (line {}, column {})",
        error.line(),
        error.column()
    );
    reject(None, ErrorKind::ParseError, &message)
}

fn kind(value: &RawValue) -> Option<Kind> {
    value.get().bytes().next().and_then(Kind::of)
}

fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    json::decode(value.get())
}

fn is_legal_id(id: &RawValue) -> bool {
    matches!(kind(id), Some(Kind::String | Kind::Number | Kind::Null))
}

#[cfg(test)]
mod tests;
