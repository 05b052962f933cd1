//! Converts parameters, results, stream events and errors between A2A 0.3 and 1.0.
//!
//! Every object is read into one model with the meaning of 1.0 and written from it, so that each dialect is described
//! once. What the target has no place for is left out and named in [`Losses`]; user data and metadata travel untouched.

mod answer;
mod artifact;
mod bytes;
mod configuration;
mod conversion;
mod enums;
mod error;
mod event;
mod fields;
mod loss;
mod message;
mod number;
mod part;
mod push;
mod request;
pub(crate) mod resource;
mod result;
mod settings;
mod stream;
mod task;
mod time;

use serde_json::Value;

use crate::{Error, Operation, Version};
use conversion::{Conversion, Leg};
pub use error::error;
pub use loss::{Loss, Losses};
pub use settings::{FileBytes, Settings, UnsetBlocking};
pub use stream::{StreamEvent, StreamState};

/// Names a JSON form of the protocol's objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The objects of 0.3 JSON-RPC: `kind`, `parts`, lower-case enums.
    V03,
    /// The `ProtoJSON` of the 0.3 protobuf, which 0.3 REST and gRPC speak: `content`, `ROLE_USER`, `tasks/{id}`.
    V03Proto,
    /// The `ProtoJSON` of the 1.0 protobuf, which all three bindings of 1.0 speak.
    V1,
}

impl Dialect {
    /// Returns the version whose objects it has.
    pub const fn version(self) -> Version {
        match self {
            Self::V03 | Self::V03Proto => Version::V03,
            Self::V1 => Version::V1,
        }
    }
}

/// Converts from one dialect to another.
///
/// Between equal dialects values stay as they are, with two exceptions: a page of tasks gets its four members (A2A
/// §5.7), and the three forms in which 0.3 REST clients register a webhook become one. Agent cards are never touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Translator {
    /// The dialect that values come in.
    pub from: Dialect,
    /// The dialect that values leave in.
    pub to: Dialect,
    /// How the points are read that the protocol leaves open.
    pub settings: Settings,
}

impl Translator {
    /// Makes a translator with the default settings.
    pub fn new(from: Dialect, to: Dialect) -> Self {
        Self {
            from,
            to,
            settings: Settings::default(),
        }
    }

    /// Returns the same translator with other settings.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// Returns the translator of the way back.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
            settings: self.settings,
        }
    }

    /// Converts the parameters of an operation.
    ///
    /// `Null` stands for absent parameters. The error is -32602 with the path of the field, or -32004 for listing
    /// tasks, which 0.3 cannot express.
    pub fn params(
        self,
        operation: Operation,
        value: Value,
        losses: &mut Losses,
    ) -> Result<Value, Error> {
        request::convert(operation, value, &mut self.conversion(Leg::Request, losses))
    }

    /// Converts the result of an operation; for a streaming operation, one event without regard to those before it.
    ///
    /// The error is -32006 with the path of the field.
    pub fn result(
        self,
        operation: Operation,
        value: Value,
        losses: &mut Losses,
    ) -> Result<Value, Error> {
        if operation.is_streaming() {
            return self
                .event(value, &mut StreamState::default(), losses)
                .map(|event| event.value);
        }
        result::convert(operation, value, &mut self.conversion(Leg::Answer, losses))
    }

    /// Converts the next event of a stream, or the body of a push notification, which has the same form.
    ///
    /// The error is -32006 with the path of the field.
    pub fn event(
        self,
        value: Value,
        state: &mut StreamState,
        losses: &mut Losses,
    ) -> Result<StreamEvent, Error> {
        stream::convert(value, state, &mut self.conversion(Leg::Answer, losses))
    }

    fn conversion(self, leg: Leg, losses: &mut Losses) -> Conversion<'_> {
        Conversion {
            from: self.from,
            to: self.to,
            settings: self.settings,
            leg,
            losses,
        }
    }
}

#[cfg(test)]
mod tests;
