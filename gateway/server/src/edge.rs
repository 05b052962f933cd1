//! What listeners of several bindings need at the edge of the gateway: words for what cannot be written for a client,
//! and JSON put into the form that a client must have.

use gateway_core::{Call, Failure};
use gateway_proto::{Method, Service};
use gateway_protocol::{
    Error, ErrorKind,
    translate::{Dialect, Loss, Losses, Translator},
    view,
};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

/// Puts a message in the words of 0.3 JSON-RPC into those of the protobuf, which is what 0.3 REST speaks: what
/// agents of that form get unconverted must be in it. Everything else keeps every byte.
pub(crate) fn in_own_words(call: Call) -> Result<Call, Failure> {
    let is_foreign = call.dialect == Dialect::V03Proto
        && call.operation.sends_message()
        && view::is_in_words_of_rpc(&call.params);
    if !is_foreign {
        return Ok(call);
    }
    let params: Value = serde_json::from_str(call.params.get())
        .map_err(|_| Failure::internal("parameters were spoilt on the way"))?;
    let mut losses = Losses::default();
    let params = Translator::new(Dialect::V03, Dialect::V03Proto).params(
        call.operation,
        params,
        &mut losses,
    );
    call.losses.add(&losses);
    let params = raw(&params.map_err(Failure::bad_request)?)?;
    Ok(Call { params, ..call })
}

/// Takes out of a card what the protobuf of 0.3 has no place for: readers of 0.3 REST refuse members they do not
/// know, and conversions leave cards alone.
pub(crate) fn strip_card(card: &mut Value) -> Losses {
    let mut losses = Losses::default();
    if let Some(method) = Method::of(Service::V03, "GetAgentCard") {
        losses.add_times(Loss::UnknownMember, method.strip_response(card).len());
    }
    losses
}

/// The agent's answer has no form in what the client speaks.
pub(crate) fn unreadable(reason: &str) -> Failure {
    let text = format!("the agent's answer is malformed: {reason}");
    Failure {
        kind: "untranslatable",
        ..Failure::bad_request(Error::new(ErrorKind::InvalidAgentResponse, text))
    }
}

/// Writes parameters down.
pub(crate) fn raw(params: &Value) -> Result<Box<RawValue>, Failure> {
    to_raw_value(params).map_err(|_| Failure::internal("parameters could not be written down"))
}
