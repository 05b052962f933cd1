//! Reading errors, of which agents know many forms.

use serde_json::value::RawValue;

use super::write::AGENT_CODE;
use crate::error::{A2A_DOMAIN, ERROR_INFO, GATEWAY_DOMAIN};
use crate::json::{Kind, Raw, encode};
use crate::jsonrpc::{Malformed, Outcome, Response};
use crate::rest::query::join;
use crate::rest::status::{self, GrpcCode};
use crate::{ErrorKind, Operation};

mod form;

use form::Form;

/// Is what an agent answered with a status that is no success.
#[derive(Debug, Clone)]
pub struct AnsweredError {
    /// The JSON-RPC error object that says the same.
    pub object: Box<RawValue>,
    /// What the agent sent in place of an error; the object is then made from the status alone.
    pub malformed: Option<Malformed>,
}

/// Reads the error of an agent.
///
/// What kind it is, is said by its `ErrorInfo`, its code, the name of its class and its status, in this order; an
/// application's own code stays. Both versions are read alike, for agents mix the forms. Of a body that is no error
/// nothing is quoted. A route that the agent does not have is an unsupported operation.
pub fn error_from(operation: Operation, status: u16, body: &[u8]) -> AnsweredError {
    let malformed = match Response::parse(body) {
        Ok(Response {
            outcome: Outcome::Error(error),
            ..
        }) => return told(operation, status, error.get()),
        Ok(Response {
            outcome: Outcome::Result(_),
            ..
        }) => Malformed::NoOutcome,
        Err(Malformed::NoOutcome) => match std::str::from_utf8(body) {
            Ok(text) if Form::read(text).is_error() => return told(operation, status, text),
            _ => Malformed::NoOutcome,
        },
        Err(malformed) => malformed,
    };
    let kind = match status {
        404 | 405 | 501 => ErrorKind::UnsupportedOperation,
        _ => ErrorKind::Internal,
    };
    let message = match malformed {
        Malformed::NoOutcome => {
            format!("the agent answered HTTP {status} with JSON that is no error")
        }
        malformed => format!("the agent answered HTTP {status} with {malformed}"),
    };
    AnsweredError {
        object: object(i64::from(kind.code()), &encode(&message), None),
        malformed: Some(malformed),
    }
}

/// Reads an object that is an error for sure, whatever its form.
pub(in crate::rest) fn error_object(operation: Operation, text: &str) -> Box<RawValue> {
    told(operation, 500, text).object
}

fn told(operation: Operation, status: u16, text: &str) -> AnsweredError {
    let form = Form::read(text);
    let message = form.message.and_then(Raw::readable);
    let code = form
        .details
        .and_then(told_kind)
        .or_else(|| form.code.filter(|code| is_json_rpc(*code)))
        .or_else(|| {
            let named = form.type_name.as_deref().and_then(form::kind_of_type);
            let prefixed = || message.as_deref().and_then(status::kind_of_prefix);
            named.or_else(prefixed).map(code_of)
        })
        .unwrap_or_else(|| code_of(guessed_kind(operation, status, &form)));
    let fallback = || {
        encode(&format!(
            "the agent answered HTTP {status} without a message"
        ))
    };
    let message = form
        .message
        .map_or_else(fallback, |message| message.text.to_owned());
    AnsweredError {
        object: object(code, &message, form.details),
        malformed: None,
    }
}

/// Guesses the kind of an error that does not name it.
fn guessed_kind(operation: Operation, status: u16, form: &Form<'_>) -> ErrorKind {
    // Python 0.3 says this much of an operation it never got.
    let lists_configs = operation == Operation::ListTaskPushNotificationConfigs;
    if lists_configs && status == 500 && form.code.is_none() {
        return ErrorKind::UnsupportedOperation;
    }
    let grpc = form
        .grpc
        .or_else(|| form.code.and_then(GrpcCode::from_number));
    match grpc {
        Some(code) => status::kind_of_grpc(code, operation),
        None => status::kind_of_http(form.http().unwrap_or(status), operation),
    }
}

fn code_of(kind: ErrorKind) -> i64 {
    i64::from(kind.code())
}

/// Tells a code of JSON-RPC or of an application from the HTTP status or gRPC code that may stand in its place.
fn is_json_rpc(code: i64) -> bool {
    !(0..=599).contains(&code)
}

fn object(code: i64, message: &str, data: Option<Raw<'_>>) -> Box<RawValue> {
    let code = code.to_string();
    let members = [("code", code.as_str()), ("message", message)];
    let data = data.map(|data| ("data", data.text));
    let text = format!("{{{}}}", join(members.into_iter().chain(data)));
    RawValue::from_string(text).expect("members of valid JSON make valid JSON")
}

/// Returns the code that the first telling `ErrorInfo` of the details stands for.
pub(super) fn told_kind(details: Raw<'_>) -> Option<i64> {
    let mut cursor = details.cursor();
    if !cursor.enter_array() {
        return None;
    }
    let mut told = None;
    while cursor.next_element() {
        let detail = cursor.value();
        told = told.or_else(|| code_of_info(detail));
    }
    told
}

fn code_of_info(detail: Raw<'_>) -> Option<i64> {
    let (mut is_info, mut reason, mut domain, mut code) = (false, None, None, None);
    let mut cursor = detail.cursor();
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            let value = cursor.value();
            match &*name {
                "@type" => is_info = value.string().as_deref() == Some(ERROR_INFO),
                "reason" => reason = value.string(),
                "domain" => domain = value.string(),
                "metadata" => code = code_of_metadata(value),
                _ => {}
            }
        }
    }
    let reason = reason.filter(|_| is_info)?;
    match domain.as_deref() {
        None | Some(A2A_DOMAIN) => status::kind_of_reason(&reason).map(code_of),
        Some(GATEWAY_DOMAIN) if reason == AGENT_CODE => code,
        Some(_) => None,
    }
}

fn code_of_metadata(metadata: Raw<'_>) -> Option<i64> {
    let mut cursor = metadata.cursor();
    let mut code = None;
    if metadata.kind() == Some(Kind::Object) && cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            let value: Raw<'_> = cursor.value();
            if name == "code" {
                code = value.string().and_then(|text| text.parse().ok());
            }
        }
    }
    code
}
