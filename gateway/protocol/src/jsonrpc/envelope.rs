//! The members of an envelope as raw JSON, read in one pass that also validates the whole body.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Holds the members of a JSON-RPC object; `repeated` names one that occurred twice.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) jsonrpc: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) method: Option<&'a RawValue>,
    pub(super) params: Option<&'a RawValue>,
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<&'a RawValue>,
    pub(super) repeated: Option<&'static str>,
}

/// Removes a byte order mark, which some writers put before JSON.
pub(super) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body)
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Envelope<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON-RPC object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(member) = map.next_key::<Member>()? {
            let (name, place) = match member {
                Member::Jsonrpc => ("jsonrpc", &mut envelope.jsonrpc),
                Member::Id => ("id", &mut envelope.id),
                Member::Method => ("method", &mut envelope.method),
                Member::Params => ("params", &mut envelope.params),
                Member::Result => ("result", &mut envelope.result),
                Member::Error => ("error", &mut envelope.error),
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if place.replace(map.next_value()?).is_some() {
                envelope.repeated = Some(name);
            }
        }
        Ok(envelope)
    }
}
