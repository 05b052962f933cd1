//! What is said between the gateway and an agent, whatever the binding: parameters as they come from the rules, and
//! errors in the words of JSON-RPC.

use bytes::Bytes;
use gateway_core::ports::{AgentAnswer, AgentRequest, AnswerContent, Said};
use gateway_protocol::{Error, ErrorKind};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

/// Returns the text of parameters; absent ones are an empty object.
pub(super) fn params(params: &Bytes) -> Result<&RawValue, Error> {
    serde_json::from_slice(present(params)).map_err(|error| unreadable(&error))
}

/// Returns parameters as a tree.
pub(super) fn params_tree(params: &Bytes) -> Result<Value, Error> {
    serde_json::from_slice(present(params)).map_err(|error| unreadable(&error))
}

fn present(params: &Bytes) -> &[u8] {
    if params.is_empty() { b"{}" } else { params }
}

fn unreadable(error: &serde_json::Error) -> Error {
    let text = format!("the parameters are not readable: {error}");
    Error::new(ErrorKind::InvalidParams, text)
}

/// Says that an agent cannot be asked for an operation, since its protocol version has none.
pub(super) fn unsupported(request: &AgentRequest) -> AgentAnswer {
    let (version, operation) = (request.endpoint.version, request.operation);
    let text = format!("agents of A2A {version} have no {operation}");
    refused(&Error::new(ErrorKind::UnsupportedOperation, text))
}

/// Answers with an error that the agent never saw the cause of.
pub(super) fn refused(error: &Error) -> AgentAnswer {
    AgentAnswer {
        extensions: Vec::new(),
        content: AnswerContent::One(self::error(error)),
    }
}

/// Writes an error as an agent's JSON-RPC error object.
pub(super) fn error(error: &Error) -> Said {
    Said::Error(to_raw_value(error).expect("an error is a JSON object"))
}
