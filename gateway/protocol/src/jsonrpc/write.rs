//! Writing envelopes around bytes that are JSON already.

use serde_json::value::RawValue;

use crate::Error;
use crate::json::encode;

/// Room for the members around the body.
const ENVELOPE: usize = 48;

/// Writes an answer with a raw `result`; no id is written as `null`.
pub fn success(id: Option<&RawValue>, result: &[u8]) -> Vec<u8> {
    answer(id, "result", result)
}

/// Writes an answer with an error.
pub fn failure(id: Option<&RawValue>, error: &Error) -> Vec<u8> {
    failure_raw(id, serde_json::json!(error).to_string().as_bytes())
}

/// Writes an answer with a raw `error` object.
pub fn failure_raw(id: Option<&RawValue>, error_object: &[u8]) -> Vec<u8> {
    answer(id, "error", error_object)
}

/// Writes a request; empty `params` leave the member out.
pub fn request(id: Option<&RawValue>, method: &str, params: &[u8]) -> Vec<u8> {
    let id = id.map_or("null", RawValue::get);
    let method = encode(method);
    let mut body = Vec::with_capacity(ENVELOPE + id.len() + method.len() + params.len());
    for piece in [r#"{"jsonrpc":"2.0","id":"#, id, r#","method":"#, &method] {
        body.extend_from_slice(piece.as_bytes());
    }
    if !params.is_empty() {
        body.extend_from_slice(br#","params":"#);
        body.extend_from_slice(params);
    }
    body.push(b'}');
    body
}

fn answer(id: Option<&RawValue>, member: &str, value: &[u8]) -> Vec<u8> {
    let id = id.map_or("null", RawValue::get);
    let mut body = Vec::with_capacity(ENVELOPE + id.len() + value.len());
    for piece in [r#"{"jsonrpc":"2.0","id":"#, id, ",\"", member, "\":"] {
        body.extend_from_slice(piece.as_bytes());
    }
    body.extend_from_slice(value);
    body.push(b'}');
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::jsonrpc::{Outcome, Request, Response};

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn answers_hold_id_and_body_untouched() {
        let body = success(Some(&raw("9007199254740993")), br#"{"n":1E2}"#);
        assert_eq!(
            body,
            br#"{"jsonrpc":"2.0","id":9007199254740993,"result":{"n":1E2}}"#
        );
        let body = failure_raw(None, br#"{"code":-32042,"message":"m"}"#);
        assert_eq!(
            body,
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32042,"message":"m"}}"#
        );
    }

    #[test]
    fn written_errors_can_be_read_back() {
        let error = Error::new(ErrorKind::TaskNotFound, "task \"x\" not found");
        let body = failure(Some(&raw("\"q1\"")), &error);
        let Outcome::Error(object) = Response::parse(&body).unwrap().outcome else {
            panic!("not an error");
        };
        assert_eq!(object.get(), serde_json::to_string(&error).unwrap());
    }

    #[test]
    fn written_requests_can_be_read_back() {
        let body = request(Some(&raw("7")), "tasks/get", br#"{"id":"t"}"#);
        let read = Request::parse(&body).unwrap();
        assert_eq!((read.id.unwrap().get(), &*read.method), ("7", "tasks/get"));
        assert_eq!(read.params.unwrap().get(), r#"{"id":"t"}"#);
        let bare = request(None, "GetExtendedAgentCard", b"");
        assert!(Request::parse(&bare).unwrap().params.is_none());
    }
}
