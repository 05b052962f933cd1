//! Errors, whose codes are the same in both versions and whose `data` is not.

use serde_json::{Map, Value, json};

use crate::error::A2A_DOMAIN;
use crate::error::ERROR_INFO;
use crate::{ErrorKind, Version};

const ANY_STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";
const ANY_VALUE: &str = "type.googleapis.com/google.protobuf.Value";

/// Converts a JSON-RPC error object; code and message stay.
///
/// 0.3 leaves the form of `data` open, so that of 1.0 passes. The other way, `data` must become an array of objects
/// that each name their `@type` (A2A §9.5): other data is wrapped as a protobuf value, and an A2A error gets the
/// `ErrorInfo` it should have. An error without a usable code is an internal error.
pub fn error(value: &Value, from: Version, to: Version) -> Value {
    if from == to {
        return value.clone();
    }
    let code = value["code"].as_i64();
    let known = code.and_then(ErrorKind::from_code);
    let code = code.unwrap_or_else(|| i64::from(ErrorKind::Internal.code()));
    let mut error = Map::new();
    error.insert("code".to_owned(), code.into());
    let message = value["message"].as_str();
    let message = message.unwrap_or("the agent gave no message");
    error.insert("message".to_owned(), message.into());
    let data = match &value["data"] {
        Value::Null => None,
        data => Some(data.clone()),
    };
    let data = match to {
        Version::V03 => data,
        Version::V1 => details(known, data),
    };
    if let Some(data) = data {
        error.insert("data".to_owned(), data);
    }
    Value::Object(error)
}

fn details(kind: Option<ErrorKind>, data: Option<Value>) -> Option<Value> {
    let mut details = match data {
        None => Vec::new(),
        Some(Value::Array(entries)) if entries.iter().all(names_type) => entries,
        Some(data) if data.is_object() => vec![json!({ "@type": ANY_STRUCT, "value": data })],
        Some(data) => vec![json!({ "@type": ANY_VALUE, "value": data })],
    };
    let is_told = details.iter().any(|detail| detail["@type"] == ERROR_INFO);
    if let Some(kind) = kind.filter(|kind| kind.is_a2a() && !is_told) {
        let info = json!({ "@type": ERROR_INFO, "reason": kind.reason(), "domain": A2A_DOMAIN });
        details.insert(0, info);
    }
    (!details.is_empty()).then(|| details.into())
}

fn names_type(detail: &Value) -> bool {
    detail["@type"].is_string()
}
