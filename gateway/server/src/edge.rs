//! The edge towards REST and gRPC clients of 0.3: their protobuf forms become 1.0 on the way in and back again
//! on the way out, so that the core only knows the JSON-RPC form of 0.3.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use gateway_core::{Failure, Payload, RelayItem, ports::Observer};
use gateway_proto::{Method, Service};
use gateway_protocol::{
    Error, ErrorKind, Operation, Version,
    translate::{Dialect, Loss, Losses, StreamState, Translator},
};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use crate::State;

/// Converts what one client says and is told. Clients of 1.0 get every byte as it is.
#[derive(Debug)]
pub(crate) struct Edge {
    operation: Operation,
    /// From client to core; absent where both speak the same.
    translator: Option<Translator>,
    stream: StreamState,
    observer: Arc<dyn Observer>,
}

impl Edge {
    pub(crate) fn new(state: &State, version: Version, operation: Operation) -> Self {
        let translator = match version {
            Version::V03 => Some(Translator::new(Dialect::V03Proto, Dialect::V1)),
            Version::V1 => None,
        };
        Self {
            operation,
            translator,
            stream: StreamState::default(),
            observer: Arc::clone(&state.gateway.observer),
        }
    }

    /// Returns the operation that is asked for.
    pub(crate) fn operation(&self) -> Operation {
        self.operation
    }

    /// Converts parameters for the core; those of 1.0 keep every byte.
    pub(crate) fn raw_params(&self, params: Box<RawValue>) -> Result<Box<RawValue>, Failure> {
        if self.translator.is_none() {
            return Ok(params);
        }
        let params: Value = serde_json::from_str(params.get())
            .map_err(|_| Failure::internal("parameters were spoilt on the way"))?;
        raw(&self.params(params)?)
    }

    /// Converts parameters for the core.
    pub(crate) fn params(&self, params: Value) -> Result<Value, Failure> {
        // The protobuf of 0.3 has no listing, so both versions ask for it alike.
        let translator = self
            .translator
            .filter(|_| self.operation != Operation::ListTasks);
        let Some(translator) = translator else {
            return Ok(params);
        };
        let mut losses = Losses::default();
        let converted = translator.params(self.operation, params, &mut losses);
        self.count(&losses);
        converted.map_err(Failure::bad_request)
    }

    /// Converts a result for the client.
    pub(crate) fn result(&self, result: Bytes) -> Result<Bytes, Failure> {
        let Some(translator) = self.translator else {
            return Ok(result);
        };
        let mut losses = Losses::default();
        let converted = translator
            .reversed()
            .result(self.operation, parse(&result)?, &mut losses);
        let mut converted = converted.map_err(untranslatable)?;
        if self.operation == Operation::GetExtendedAgentCard {
            strip_card(&mut converted, &mut losses);
        }
        self.count(&losses);
        Ok(written(converted))
    }

    /// Converts events for the client, up to one that has no form in what it speaks.
    pub(crate) fn events(
        self,
        items: BoxStream<'static, RelayItem>,
    ) -> BoxStream<'static, RelayItem> {
        if self.translator.is_none() {
            return items;
        }
        let state = Some((self, items));
        stream::unfold(state, |state| async move {
            let (mut edge, mut items) = state?;
            let (item, ends) = edge.item(items.next().await?);
            Some((item, (!ends).then_some((edge, items))))
        })
        .boxed()
    }

    /// Converts one thing on a stream, and tells whether it must be the last.
    fn item(&mut self, item: RelayItem) -> (RelayItem, bool) {
        let RelayItem::Event { name, id, payload } = item else {
            return (item, false);
        };
        let (payload, ends) = match payload {
            Payload::Result(event) => match self.event(event) {
                Ok(event) => (Payload::Result(event), false),
                Err(failure) => {
                    let error = json!(failure.error).to_string();
                    (Payload::Error(error.into()), true)
                }
            },
            error @ Payload::Error(_) => (error, false),
        };
        (RelayItem::Event { name, id, payload }, ends)
    }

    fn event(&mut self, event: Bytes) -> Result<Bytes, Failure> {
        let Some(translator) = self.translator else {
            return Ok(event);
        };
        let mut losses = Losses::default();
        let converted = translator
            .reversed()
            .event(parse(&event)?, &mut self.stream, &mut losses);
        self.count(&losses);
        converted
            .map(|event| written(event.value))
            .map_err(untranslatable)
    }

    /// Counts what was lost.
    pub(crate) fn count(&self, losses: &Losses) {
        count(&*self.observer, losses);
    }
}

/// Counts what was lost.
pub(crate) fn count(observer: &dyn Observer, losses: &Losses) {
    for (loss, count) in losses.iter() {
        observer.lost(loss, count);
    }
}

/// Takes out of a card what its protobuf has no place for: readers of 0.3 REST refuse members they do not know, and
/// conversions leave cards alone.
fn strip_card(card: &mut Value, losses: &mut Losses) {
    if let Some(method) = Method::of(Service::V03, "GetAgentCard") {
        losses.add_times(Loss::UnknownMember, method.strip_response(card).len());
    }
}

/// The agent's answer has no form in what the client speaks.
pub(crate) fn unreadable(reason: &str) -> Failure {
    let text = format!("the agent's answer is malformed: {reason}");
    untranslatable(Error::new(ErrorKind::InvalidAgentResponse, text))
}

fn untranslatable(error: Error) -> Failure {
    Failure {
        kind: "untranslatable",
        ..Failure::bad_request(error)
    }
}

/// Writes parameters down.
pub(crate) fn raw(params: &Value) -> Result<Box<RawValue>, Failure> {
    to_raw_value(params).map_err(|_| Failure::internal("parameters could not be written down"))
}

fn parse(json: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(json).map_err(|error| unreadable(&error.to_string()))
}

#[expect(clippy::needless_pass_by_value, reason = "used to map results")]
fn written(value: Value) -> Bytes {
    Bytes::from(value.to_string())
}
