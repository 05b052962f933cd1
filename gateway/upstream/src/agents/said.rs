//! What is said to the gateway in the words of JSON-RPC, whatever the binding.

use gateway_core::ports::{AgentAnswer, AgentRequest, AnswerContent, Said};
use gateway_protocol::{Error, ErrorKind};
use serde_json::value::to_raw_value;

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
