//! What agents answer, and what clients are answered: the result of the operation without an envelope.
//!
//! Results are those of JSON-RPC in the same dialect, and events of a stream too, with one exception: where nothing is
//! left after a deletion, JSON-RPC of 1.0 says `null` and REST an empty object.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::error::{AnsweredError, error_from, error_object};
use crate::jsonrpc::{Malformed, Outcome, Response};
use crate::{Operation, Version};

/// Is what an agent answered.
#[derive(Debug, Clone)]
pub enum Answer {
    /// The result, as JSON-RPC of the same dialect has it.
    Result(Box<RawValue>),
    /// An error.
    Error(AnsweredError),
}

/// Reads the answer to an operation that is no stream.
///
/// Any status from 200 to 299 is a success unless the body says otherwise; after a deletion any body will do. The error
/// says what stood in place of a result.
pub fn read_answer(
    version: Version,
    operation: Operation,
    status: u16,
    body: &[u8],
) -> Result<Answer, Malformed> {
    if !(200..300).contains(&status) {
        return Ok(Answer::Error(error_from(operation, status, body)));
    }
    let parsed = Response::parse(body);
    if let Ok(Response {
        outcome: Outcome::Error(error),
        ..
    }) = &parsed
    {
        return Ok(Answer::Error(AnsweredError {
            object: error_object(operation, error.get()),
            malformed: None,
        }));
    }
    if operation == Operation::DeleteTaskPushNotificationConfig {
        return Ok(Answer::Result(nothing(version)));
    }
    match parsed {
        // A result has neither of the members that an envelope must have one of.
        Ok(_) | Err(Malformed::NoOutcome) => raw(body).map(Answer::Result),
        // Some agents of 0.3 list without an object around it.
        Err(Malformed::NotObject(_)) if is_bare_list(version, operation, body) => {
            raw(body).map(Answer::Result)
        }
        Err(malformed) => Err(malformed),
    }
}

/// Returns the body that answers a client with a result of JSON-RPC.
pub fn result_body(operation: Operation, result: &RawValue) -> Cow<'_, [u8]> {
    match operation {
        Operation::DeleteTaskPushNotificationConfig => Cow::Borrowed(b"{}"),
        _ => Cow::Borrowed(result.get().as_bytes()),
    }
}

/// Reads an event of a stream that ends it with an error.
///
/// `name` is the event's name, empty or `message` for one without. Agents mark errors by the name `error`, or by nothing
/// but their form.
pub fn stream_error(operation: Operation, name: &str, data: &str) -> Option<Box<RawValue>> {
    match Response::parse(data.as_bytes()) {
        Ok(Response {
            outcome: Outcome::Error(error),
            ..
        }) => Some(error_object(operation, error.get())),
        _ if name == "error" => Some(match Response::parse(data.as_bytes()) {
            Err(Malformed::NoOutcome) => error_object(operation, data),
            _ => error_from(operation, 500, data.as_bytes()).object,
        }),
        Err(Malformed::NoOutcome) if is_flat_error(data) => Some(error_object(operation, data)),
        _ => None,
    }
}

/// Tells whether an object has the two members that every flat error has and no event has.
fn is_flat_error(data: &str) -> bool {
    use crate::view::ErrorView;

    serde_json::from_str::<&RawValue>(data).is_ok_and(|raw| {
        let view = ErrorView::read(raw);
        view.code.is_some() && view.message.is_some()
    })
}

fn is_bare_list(version: Version, operation: Operation, body: &[u8]) -> bool {
    let lists = matches!(
        operation,
        Operation::ListTaskPushNotificationConfigs | Operation::ListTasks
    );
    version == Version::V03 && lists && body.trim_ascii_start().starts_with(b"[")
}

fn nothing(version: Version) -> Box<RawValue> {
    let text = match version {
        Version::V1 => "null",
        Version::V03 => "{}",
    };
    RawValue::from_string(text.to_owned()).expect("both are JSON")
}

fn raw(body: &[u8]) -> Result<Box<RawValue>, Malformed> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let text = std::str::from_utf8(body).map_err(|_| Malformed::NotText)?;
    let value: Result<&RawValue, _> = serde_json::from_str(text);
    let value = value.map_err(|error| Malformed::InvalidJson {
        line: error.line(),
        column: error.column(),
    })?;
    if crate::json::is_too_deep(value.get()) {
        return Err(Malformed::TooDeep);
    }
    Ok(value.to_owned())
}
