//! Protobuf and its JSON: whatever is decoded or encoded once stays as it is, for every message of both services and for
//! error details.
//!
//! An input is a choice of the message, and then its bytes or its JSON.

use std::sync::LazyLock;

use bytes::Bytes;
use gateway_proto::{Decoded, Invalid, Method, read_status_details, status_details};
use serde_json::Value;

use crate::input::choose;

/// Is one of the two messages of a method.
#[derive(Debug, Clone, Copy)]
enum Message {
    Request(Method),
    Response(Method),
}

static MESSAGES: LazyLock<Vec<Message>> = LazyLock::new(|| {
    Method::all()
        .flat_map(|method| [Message::Request(method), Message::Response(method)])
        .collect()
});

/// Reads bytes and JSON as a message, and bytes as error details.
///
/// # Panics
/// When a message that was read cannot be written, or changes when it is written and read.
pub fn proto_json(input: &[u8]) {
    let Some((message, input)) = choose(input, &MESSAGES) else {
        return;
    };
    if let Ok(decoded) = message.decode(input) {
        message.check(&decoded.json);
    }
    if let Ok(text) = str::from_utf8(input)
        && let Ok(bytes) = message.encode_text(text)
    {
        let decoded = message.decode(&bytes).expect("encoded bytes");
        assert_eq!(decoded.unknown_fields, 0);
        message.check(&decoded.json);
    }
    check_details(input);
}

impl Message {
    fn decode(self, bytes: &[u8]) -> Result<Decoded, Invalid> {
        match self {
            Self::Request(method) => method.request_to_json(bytes),
            Self::Response(method) => method.response_to_json(bytes),
        }
    }

    fn encode(self, json: &Value) -> Result<Bytes, Invalid> {
        match self {
            Self::Request(method) => method.request_from_json(json),
            Self::Response(method) => method.response_from_json(json),
        }
    }

    fn encode_text(self, json: &str) -> Result<Bytes, Invalid> {
        match self {
            Self::Request(method) => method.request_from_json(json),
            Self::Response(method) => method.response_from_json(json),
        }
    }

    fn strip(self, json: &mut Value) -> Vec<String> {
        match self {
            Self::Request(method) => method.strip_request(json),
            Self::Response(method) => method.strip_response(json),
        }
    }

    /// Checks JSON that was decoded.
    fn check(self, json: &Value) {
        let unknown = self.strip(&mut json.clone());
        assert!(unknown.is_empty(), "{unknown:?} in {json}");
        let bytes = self.encode(json);
        let bytes = bytes.unwrap_or_else(|error| panic!("{error} in {json}"));
        let text = self.encode_text(&json.to_string());
        // The entries of a map have no order, so that the bytes may differ.
        for bytes in [bytes, text.expect("the same JSON as text")] {
            let again = self.decode(&bytes).expect("encoded bytes");
            assert_eq!(again.json.to_string(), json.to_string());
            assert_eq!(again.unknown_fields, 0);
        }
    }
}

fn check_details(bytes: &[u8]) {
    let Ok(status) = read_status_details(bytes) else {
        return;
    };
    let written = status_details(status.code, &status.message, &status.details);
    let again = read_status_details(&written).expect("written details");
    assert_eq!(again, status);
}
