//! The bridge between what the client and what the agent speaks.
//!
//! Between equal dialects every byte passes as it is. Otherwise values are converted, and what a conversion
//! loses is counted.

use std::borrow::Cow;

use gateway_protocol::{
    Operation, Version,
    translate::{Losses, StreamState, Translator, error},
};
use serde_json::{Value, value::RawValue};

use super::Call;
use crate::{agent::AgentId, catalog::Endpoint, failure::Failure, losses::LossLedger, ports::Note};

/// Converts one call's parameters, results and events.
#[derive(Debug)]
pub(super) struct Bridge {
    /// From client to agent; absent where they speak the same.
    translator: Option<Translator>,
    /// Whether the agent takes part in 0.3 and the client in 1.0.
    to_legacy: bool,
    /// Whether the client wants no history, which agents of 0.3 read in different ways.
    without_history: bool,
    /// What the client and the agent speak.
    versions: (Version, Version),
    state: StreamState,
    losses: LossLedger,
}

/// An event for the client, and what must go before it.
pub(super) struct Converted {
    /// A task that stands for the state so far: 1.0 clients count on one as the first event.
    pub(super) opening: Option<Vec<u8>>,
    pub(super) event: Vec<u8>,
}

impl Bridge {
    pub(super) fn between(call: &Call, endpoint: &Endpoint) -> Self {
        let (client, agent) = (call.dialect, endpoint.dialect());
        Self {
            translator: (client != agent).then(|| Translator::new(client, agent)),
            to_legacy: call.version == Version::V1 && endpoint.version == Version::V03,
            without_history: false,
            versions: (client.version(), agent.version()),
            state: StreamState::default(),
            losses: call.losses.clone(),
        }
    }

    /// Converts parameters for the agent.
    pub(super) fn params(
        &mut self,
        operation: Operation,
        params: Vec<u8>,
    ) -> Result<Vec<u8>, Failure> {
        if self.translator.is_none() && !self.to_legacy {
            return Ok(params);
        }
        let value =
            parse(&params).map_err(|_| Failure::internal("parameters were spoilt on the way"))?;
        self.without_history = self.to_legacy && wants_no_history(&value);
        let Some(translator) = self.translator else {
            return Ok(params);
        };
        self.counting(|losses| translator.params(operation, value, losses))
            .map(|value| value.to_string().into_bytes())
            .map_err(Failure::bad_request)
    }

    /// Converts a result for the client.
    pub(super) fn result(
        &self,
        agent: &AgentId,
        operation: Operation,
        result: Vec<u8>,
    ) -> Result<Vec<u8>, Failure> {
        if self.translator.is_none() && !self.without_history {
            return Ok(result);
        }
        let mut value = parse(&result).map_err(|error| Failure::untranslatable(agent, error))?;
        if let Some(translator) = self.translator {
            value = self
                .counting(|losses| translator.reversed().result(operation, value, losses))
                .map_err(|error| Failure::untranslatable(agent, error))?;
        }
        if self.without_history {
            strip_history(&mut value);
        }
        Ok(value.to_string().into_bytes())
    }

    /// Converts an event for the client.
    pub(super) fn event(&mut self, agent: &AgentId, event: Vec<u8>) -> Result<Converted, Failure> {
        let Some(translator) = self.translator else {
            return Ok(Converted {
                opening: None,
                event,
            });
        };
        let value = parse(&event).map_err(|error| Failure::untranslatable(agent, error))?;
        let mut losses = Losses::default();
        let converted = translator
            .reversed()
            .event(value, &mut self.state, &mut losses);
        self.losses.add(&losses);
        let converted = converted.map_err(|error| Failure::untranslatable(agent, error))?;
        Ok(Converted {
            opening: converted
                .opening()
                .map(|task| task.to_string().into_bytes()),
            event: converted.value.to_string().into_bytes(),
        })
    }

    /// Converts an agent's error for the client.
    pub(super) fn error<'a>(&self, raw: &'a [u8]) -> Cow<'a, [u8]> {
        let (client, agent) = self.versions;
        match serde_json::from_slice::<Value>(raw) {
            Ok(value) if client != agent => {
                Cow::Owned(error(&value, agent, client).to_string().into_bytes())
            }
            _ => Cow::Borrowed(raw),
        }
    }

    /// Returns what is to be noted of the losses so far.
    pub(super) fn losses_of(&self, decision: &str) -> Option<Note> {
        self.losses.note(decision)
    }

    fn counting<T>(&self, convert: impl FnOnce(&mut Losses) -> T) -> T {
        let mut losses = Losses::default();
        let converted = convert(&mut losses);
        self.losses.add(&losses);
        converted
    }
}

fn wants_no_history(params: &Value) -> bool {
    let lengths = [
        "/historyLength",
        "/history_length",
        "/configuration/historyLength",
    ];
    let asked = lengths.iter().find_map(|place| params.pointer(place));
    asked.and_then(Value::as_u64) == Some(0)
}

/// Takes the history out of a task, bare or in its wrapper.
fn strip_history(result: &mut Value) {
    let task = match result.get_mut("task") {
        Some(task) => task,
        None => result,
    };
    if let Some(members) = task.as_object_mut() {
        members.remove("history");
    }
}

fn parse(json: &[u8]) -> Result<Value, gateway_protocol::Error> {
    serde_json::from_slice(json).map_err(|error| {
        let text = format!("the answer is not readable: {error}");
        gateway_protocol::Error::new(gateway_protocol::ErrorKind::InvalidAgentResponse, text)
    })
}

/// Reads back what was just written.
pub(super) fn raw(json: &[u8]) -> Option<&RawValue> {
    serde_json::from_slice(json).ok()
}
