//! The JSON of the wire where it is not the one that core speaks, which knows the protobuf forms of 1.0 only.

use std::sync::Arc;

use bytes::Bytes;
use gateway_core::{
    agent::AgentId,
    ports::{AgentEvent, AgentRequest, AttemptError, Observer, Said},
};
use gateway_protocol::{
    Error, ErrorKind, Operation, Version,
    translate::{Dialect, Losses, StreamState, Translator},
};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::exchange::Exchange;

/// Converts the values of one exchange between core and wire.
#[derive(Debug)]
pub(super) struct Wire {
    agent: AgentId,
    operation: Operation,
    /// From core to the wire.
    translator: Translator,
    state: StreamState,
    observer: Arc<dyn Observer>,
}

impl Wire {
    /// Prepares the conversion for a request over the protobuf forms of its version.
    pub(super) fn of(request: &AgentRequest, observer: Arc<dyn Observer>) -> Self {
        let wire = match request.endpoint.version {
            Version::V03 => Dialect::V03Proto,
            Version::V1 => Dialect::V1,
        };
        Self {
            agent: request.agent.id.clone(),
            operation: request.operation,
            translator: Translator::new(Dialect::V1, wire),
            state: StreamState::default(),
            observer,
        }
    }

    /// Tells whether values are the same on both sides, so that their text can be left alone.
    pub(super) fn is_plain(&self) -> bool {
        self.translator.from == self.translator.to
    }

    /// Converts parameters for the agent, and keeps their text where nothing differs.
    pub(super) fn params(&self, params: &Bytes) -> Result<Box<RawValue>, Error> {
        if self.is_plain() {
            return serde_json::from_slice(present(params)).map_err(|error| unreadable(&error));
        }
        self.params_tree(params).map(|value| raw(&value))
    }

    /// Converts parameters for the agent.
    pub(super) fn params_tree(&self, params: &Bytes) -> Result<Value, Error> {
        let value = serde_json::from_slice(present(params)).map_err(|error| unreadable(&error))?;
        if self.is_plain() {
            return Ok(value);
        }
        let mut losses = Losses::default();
        let value = self.translator.params(self.operation, value, &mut losses)?;
        self.note(&losses);
        Ok(value)
    }

    /// Converts a result for core.
    pub(super) fn result(&self, value: Value, exchange: &Exchange) -> Result<Said, AttemptError> {
        if self.operation == Operation::DeleteTaskPushNotificationConfig {
            // The empty message is an empty object in protobuf, and JSON-RPC says `null`.
            return Ok(Said::Result(RawValue::NULL.to_owned()));
        }
        let mut losses = Losses::default();
        let back = self.translator.reversed();
        let value = back
            .result(self.operation, value, &mut losses)
            .map_err(|error| exchange.unconvertible(&error))?;
        self.note(&losses);
        Ok(Said::Result(raw(&value)))
    }

    /// Converts an event for core, with the task before it that core counts on (A2A §3.1.2).
    pub(super) fn event(
        &mut self,
        value: Value,
        exchange: &Exchange,
    ) -> Result<Vec<AgentEvent>, AttemptError> {
        let mut losses = Losses::default();
        let back = self.translator.reversed();
        let event = back
            .event(value, &mut self.state, &mut losses)
            .map_err(|error| exchange.unconvertible(&error))?;
        self.note(&losses);
        let opening = event.opening();
        Ok(opening
            .into_iter()
            .chain([event.value])
            .map(|value| said(Said::Result(raw(&value))))
            .collect())
    }

    /// Counts what the form of the binding cannot carry.
    pub(super) fn note(&self, losses: &Losses) {
        for (loss, count) in losses.iter() {
            self.observer.lost(loss, count);
            tracing::debug!(agent = %self.agent, operation = %self.operation, %loss, count, "the form of the binding cannot carry everything");
        }
    }
}

/// Wraps what was said as an event without name and id.
pub(super) fn said(said: Said) -> AgentEvent {
    AgentEvent::Event {
        name: None,
        id: None,
        said,
    }
}

/// Returns parameters as they are; absent ones are an empty object.
fn present(params: &Bytes) -> &[u8] {
    if params.is_empty() { b"{}" } else { params }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a tree of JSON can be written")
}

fn unreadable(error: &serde_json::Error) -> Error {
    Error::new(
        ErrorKind::InvalidParams,
        format!("the parameters are not readable: {error}"),
    )
}
