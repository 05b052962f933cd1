//! Error details on gRPC: `google.rpc.Status` in the trailer `grpc-status-details-bin`.
//!
//! The bridge holds details as JSON objects with an `@type`, the form they have on the other two bindings. Whatever an
//! agent sends as a detail comes out again as the same JSON, whether its type is known here or not.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use prost_reflect::prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor, Value as Field};
use serde_json::{Map, Value, json};

use crate::message::MessageType;
use crate::pool::pool;
use crate::{Invalid, Json};

const STATUS: &str = "google.rpc.Status";
const STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";
const VALUE: &str = "type.googleapis.com/google.protobuf.Value";

/// Holds a decoded `google.rpc.Status`.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusDetails {
    /// The gRPC status code.
    pub code: i32,
    /// The text for developers.
    pub message: String,
    /// One object with an `@type` for each detail.
    pub details: Vec<Value>,
}

/// Encodes a status with details for `grpc-status-details-bin`, before base64.
///
/// A detail of a type compiled in (such as `ErrorInfo` and `BadRequest`) becomes that message. Another one becomes
/// the bytes it holds if it is `{"@type", "value": base64}`, and else travels whole inside a `google.protobuf.Struct`.
/// A detail nested too deeply for protobuf is left out.
pub fn status_details(code: i32, message: &str, details: &[Value]) -> Bytes {
    let details = details
        .iter()
        .filter_map(pack)
        .map(Field::Message)
        .collect();
    let mut status = DynamicMessage::new(descriptor(STATUS));
    status.set_field_by_name("code", Field::I32(code));
    status.set_field_by_name("message", Field::String(message.to_owned()));
    status.set_field_by_name("details", Field::List(details));
    status.encode_to_vec().into()
}

/// Decodes what [`status_details`] or another gRPC peer encoded.
///
/// A detail whose type is not known here becomes `{"@type", "value": base64}`.
///
/// # Errors
/// Bytes that are not a `google.rpc.Status`.
pub fn read_status_details(bytes: &[u8]) -> Result<StatusDetails, Invalid> {
    let status = DynamicMessage::decode(descriptor(STATUS), bytes)
        .map_err(|error| Invalid::new(STATUS, None, error))?;
    let details = status.get_field_by_name("details");
    Ok(StatusDetails {
        code: number(&status, "code"),
        message: text(&status, "message"),
        details: details
            .as_deref()
            .and_then(Field::as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(Field::as_message)
            .map(unpack)
            .collect(),
    })
}

fn pack(detail: &Value) -> Option<DynamicMessage> {
    let (type_url, value) = undecodable(detail)
        .or_else(|| known(detail))
        .or_else(|| opaque(detail))
        .or_else(|| wrapped(detail))?;
    let mut any = DynamicMessage::new(descriptor("google.protobuf.Any"));
    any.set_field_by_name("type_url", Field::String(type_url));
    any.set_field_by_name("value", Field::Bytes(value));
    Some(any)
}

fn known(detail: &Value) -> Option<(String, Bytes)> {
    let type_url = detail.get("@type")?.as_str()?;
    let message = message_of(type_url)?;
    let value = if has_own_json(&message) {
        detail.get("value")?
    } else {
        detail
    };
    let value = MessageType::new(message).encode(Json::Tree(value)).ok()?;
    Some((type_url.to_owned(), value))
}

/// Packs what [`unpack`] makes of bytes that do not fit their type, unless a `value` is something else there.
fn undecodable(detail: &Value) -> Option<(String, Bytes)> {
    let message = message_of(detail.get("@type")?.as_str()?)?;
    let has_value = has_own_json(&message) || message.get_field_by_json_name("value").is_some();
    opaque(detail).filter(|_| !has_value)
}

fn opaque(detail: &Value) -> Option<(String, Bytes)> {
    let members = detail.as_object().filter(|members| members.len() == 2)?;
    let type_url = members.get("@type")?.as_str()?;
    let value = BASE64_STANDARD
        .decode(members.get("value")?.as_str()?)
        .ok()?;
    Some((type_url.to_owned(), value.into()))
}

fn wrapped(detail: &Value) -> Option<(String, Bytes)> {
    let type_url = if detail.is_object() { STRUCT } else { VALUE };
    known(&json!({ "@type": type_url, "value": detail }))
}

fn unpack(any: &DynamicMessage) -> Value {
    let type_url = text(any, "type_url");
    let value = any.get_field_by_name("value");
    let bytes = value
        .as_deref()
        .and_then(Field::as_bytes)
        .map(Bytes::as_ref)
        .unwrap_or_default();

    let Some((message, json)) = message_of(&type_url).and_then(|message| {
        let json = MessageType::new(message.clone()).decode(bytes).ok()?.json;
        Some((message, json))
    }) else {
        return json!({ "@type": type_url, "value": BASE64_STANDARD.encode(bytes) });
    };
    match json {
        Value::Object(detail)
            if type_url == STRUCT && detail.get("@type").is_some_and(Value::is_string) =>
        {
            Value::Object(detail)
        }
        Value::Object(members) if !has_own_json(&message) => {
            let mut detail = Map::from_iter([("@type".to_owned(), Value::String(type_url))]);
            detail.extend(members);
            Value::Object(detail)
        }
        json => json!({ "@type": type_url, "value": json }),
    }
}

/// Tells whether a type's JSON is not an object of its fields, so that inside `Any` it stands under `value`.
fn has_own_json(message: &MessageDescriptor) -> bool {
    message.full_name().starts_with("google.protobuf.")
}

fn message_of(type_url: &str) -> Option<MessageDescriptor> {
    let (_, name) = type_url.rsplit_once('/')?;
    pool().get_message_by_name(name)
}

fn descriptor(name: &str) -> MessageDescriptor {
    pool()
        .get_message_by_name(name)
        .expect("the message is compiled in")
}

fn number(message: &DynamicMessage, field: &str) -> i32 {
    let value = message.get_field_by_name(field);
    value.as_deref().and_then(Field::as_i32).unwrap_or_default()
}

fn text(message: &DynamicMessage, field: &str) -> String {
    let value = message.get_field_by_name(field);
    value
        .as_deref()
        .and_then(Field::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests;
