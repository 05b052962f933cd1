//! One protobuf message type and its two forms: bytes and ProtoJSON.

mod plain;
mod tidy;
mod unknown;

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use prost_reflect::prost::Message as _;
use prost_reflect::{DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;
use serde_path_to_error::Track;

use crate::{Invalid, Json};

const EMPTY: &str = "google.protobuf.Empty";

/// A message in its JSON form.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The ProtoJSON.
    pub json: Value,
    /// How many fields of the bytes it has no place for, because their type does not know them.
    pub unknown_fields: usize,
}

/// Converts the messages of one type.
#[derive(Debug, Clone)]
pub(crate) struct MessageType(MessageDescriptor);

impl MessageType {
    pub(crate) fn new(descriptor: MessageDescriptor) -> Self {
        Self(descriptor)
    }

    /// Encodes ProtoJSON; members and enum names that the type does not know are left out.
    pub(crate) fn encode(&self, json: Json<'_>) -> Result<Bytes, Invalid> {
        // The bindings disagree on what an empty answer looks like (`null`, `{}`, nothing).
        if self.0.full_name() == EMPTY {
            return Ok(Bytes::new());
        }
        let mut tree = match json {
            Json::Tree(tree) => Cow::Borrowed(tree),
            Json::Text(text) => {
                Cow::Owned(serde_json::from_str(text).map_err(|error| self.invalid(None, error))?)
            }
        };
        if !plain::is_plain(&tree) {
            plain::make_plain(tree.to_mut())
                .map_err(|path| self.invalid(Some(path), "the number is too large for a double"))?;
        }
        Ok(self.read(&tree)?.encode_to_vec().into())
    }

    /// Decodes protobuf bytes into ProtoJSON; fields that the type does not know are left out and counted.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<Decoded, Invalid> {
        let message = DynamicMessage::decode(self.0.clone(), bytes)
            .map_err(|error| self.invalid(None, error))?;
        let mut tree = message
            .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
            .map_err(|error| self.invalid(None, error))?;
        tidy::message(&mut tree, &self.0);
        Ok(Decoded {
            json: tree,
            unknown_fields: unknown::fields(&message),
        })
    }

    /// Takes out what [`Self::encode`] would leave out, and lists its paths.
    pub(crate) fn strip(&self, tree: &mut Value) -> Vec<String> {
        unknown::strip(tree, &self.0)
    }

    fn read(&self, tree: &Value) -> Result<DynamicMessage, Invalid> {
        let mut track = Track::new();
        let tracked = serde_path_to_error::Deserializer::new(tree, &mut track);
        let options = DeserializeOptions::new().deny_unknown_fields(false);
        DynamicMessage::deserialize_with_options(self.0.clone(), tracked, &options).map_err(
            |error| {
                let path = track.path();
                let path = path.iter().next().is_some().then(|| path.to_string());
                self.invalid(path, error)
            },
        )
    }

    fn invalid(&self, path: Option<String>, reason: impl fmt::Display) -> Invalid {
        Invalid::new(self.0.full_name(), path, reason)
    }
}

#[cfg(test)]
mod tests;
