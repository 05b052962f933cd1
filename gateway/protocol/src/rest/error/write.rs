//! Writing errors.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::read::told_kind;
use crate::error::{A2A_DOMAIN, ERROR_INFO, GATEWAY_DOMAIN};
use crate::json::{Cursor, Kind, Raw, encode};
use crate::rest::query::join;
use crate::rest::status::{self, grpc_of_http, http_status};
use crate::{Error, ErrorKind, Version};

const ANY_STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";
const ANY_VALUE: &str = "type.googleapis.com/google.protobuf.Value";
/// The reason of the `ErrorInfo` that carries a code which has no other place in 1.0.
pub(super) const AGENT_CODE: &str = "AGENT_ERROR_CODE";

/// Writes an error of the gateway, with the status of its kind.
pub fn error_body(version: Version, error: &Error) -> (u16, Vec<u8>) {
    let status = http_status(version, error.kind);
    (status, error_body_as(version, status, error))
}

/// Writes an error of the gateway that goes out with a status of its own, such as 405, 413, 503 or 504.
pub fn error_body_as(version: Version, status: u16, error: &Error) -> Vec<u8> {
    let object = json!(error).to_string();
    write(version, status, Some(error.kind), &Parts::read(&object))
}

/// Writes a JSON-RPC error object of any agent.
///
/// Message and `data` keep their bytes; 1.0 demands that `data` is an array of objects with an `@type`, so that other
/// data is wrapped as a protobuf value. There, an `ErrorInfo` comes first that tells the code, unless the details do.
pub fn error_to(version: Version, error: &RawValue) -> (u16, Vec<u8>) {
    let parts = Parts::read(error.get());
    let kind = ErrorKind::from_code(parts.code);
    let status = kind.map_or(500, |kind| http_status(version, kind));
    (status, write(version, status, kind, &parts))
}

/// Is a JSON-RPC error object.
struct Parts<'a> {
    code: i64,
    message: Option<Raw<'a>>,
    data: Option<Raw<'a>>,
}

impl<'a> Parts<'a> {
    fn read(object: &'a str) -> Self {
        let mut parts = Self {
            code: i64::from(ErrorKind::Internal.code()),
            message: None,
            data: None,
        };
        let mut cursor = Cursor::new(object);
        if cursor.enter_object() {
            while let Some(name) = cursor.next_member() {
                let value = cursor.value();
                match &*name {
                    "code" => parts.code = value.text.parse().unwrap_or(parts.code),
                    "message" => parts.message = Some(value),
                    "data" => parts.data = value.present(),
                    _ => {}
                }
            }
        }
        parts.message = parts
            .message
            .filter(|message| message.kind() == Some(Kind::String));
        parts
    }
}

fn write(version: Version, status: u16, kind: Option<ErrorKind>, parts: &Parts<'_>) -> Vec<u8> {
    let message = parts
        .message
        .map_or("\"the agent gave no message\"", |message| message.text);
    let text = match version {
        Version::V1 => {
            let grpc = match kind {
                Some(kind) if http_status(version, kind) == status => {
                    status::grpc_code(version, kind)
                }
                _ => grpc_of_http(status),
            };
            let members = [
                ("code", status.to_string()),
                ("status", encode(grpc.name())),
                ("message", message.to_owned()),
                ("details", format!("[{}]", details(kind, parts))),
            ];
            let status = join(members.iter().map(|(name, json)| (*name, json.as_str())));
            format!("{{\"error\":{{{status}}}}}")
        }
        Version::V03 => {
            let code = parts.code.to_string();
            let type_name = kind.map(|kind| encode(status::type_name(kind)));
            let members = [
                Some(("code", code.as_str())),
                Some(("message", message)),
                parts.data.map(|data| ("data", data.text)),
                type_name.as_deref().map(|name| ("type", name)),
            ];
            format!("{{{}}}", join(members.into_iter().flatten()))
        }
    };
    text.into_bytes()
}

/// Writes the details without the brackets around them.
fn details(kind: Option<ErrorKind>, parts: &Parts<'_>) -> String {
    let given = parts.data.map(entries).unwrap_or_default();
    let is_told = match kind {
        Some(kind) => parts.data.and_then(told_kind) == Some(i64::from(kind.code())),
        None => parts.data.and_then(told_kind) == Some(parts.code),
    };
    let told = (!is_told).then(|| info(kind, parts.code).to_string());
    let all = [told.unwrap_or_default(), given];
    let filled: Vec<String> = all.into_iter().filter(|text| !text.is_empty()).collect();
    filled.join(",")
}

fn info(kind: Option<ErrorKind>, code: i64) -> Value {
    match kind {
        Some(kind) => {
            json!({ "@type": ERROR_INFO, "reason": status::reason(kind), "domain": A2A_DOMAIN })
        }
        None => json!({
            "@type": ERROR_INFO, "reason": AGENT_CODE, "domain": GATEWAY_DOMAIN,
            "metadata": { "code": code.to_string() },
        }),
    }
}

/// Returns the entries of `data` as they are, or all of it wrapped as one.
fn entries(data: Raw<'_>) -> String {
    let is_typed = data.kind() == Some(Kind::Array) && {
        let mut cursor = data.cursor();
        let mut all = cursor.enter_array();
        while cursor.next_element() {
            all &= names_type(cursor.value());
        }
        all
    };
    let inside = data
        .text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match inside {
        Some(inside) if is_typed => inside.trim_ascii().to_owned(),
        _ => {
            let kind = if data.kind() == Some(Kind::Object) {
                ANY_STRUCT
            } else {
                ANY_VALUE
            };
            let kind = encode(kind);
            format!(
                "{{{}}}",
                join([("@type", kind.as_str()), ("value", data.text)])
            )
        }
    }
}

fn names_type(detail: Raw<'_>) -> bool {
    let mut cursor = detail.cursor();
    let mut found = false;
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            let is_string = cursor.value().kind() == Some(Kind::String);
            found |= name == "@type" && is_string;
        }
    }
    found
}
