//! Computes the card a gateway serves in place of an agent's, or for all of them together.
//!
//! Addresses come from [`Publish`] alone: nothing is ever edited into or out of the agent's own
//! URLs. What only holds between the gateway and the agent is replaced: the agent's interfaces,
//! its security (the gateway keeps the credentials) and its signatures (they cover the replaced
//! addresses). Members this crate does not know survive.

pub(crate) mod agent;
mod conceal;
mod federated;
pub(crate) mod form;

use serde_json::{Value, json};

use self::form::{Flags, Form};
use crate::{
    Card, Extension, Interface, InterfaceBinding, ProtocolVersion, Security, Shape, SignError,
    SigningKey, sign,
};

pub use self::agent::agent;
pub use self::conceal::{Concealed, InnerHosts, Withheld, conceal};
pub use self::federated::{
    FederatedCard, FederatedSkill, Federation, Offer, Provider, SkillLimits, federated,
};

/// What the gateway offers at the card's addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publish {
    /// The gateway's addresses for this card, most preferred first.
    pub interfaces: Vec<PublishedInterface>,
    /// The shape the reader asked for.
    pub shape: ServedShape,
    /// Whether callers can stream, through the gateway and as far as the agent.
    pub streaming: bool,
    /// Whether callers can register webhooks.
    pub push_notifications: bool,
    /// Whether authenticated callers can fetch another card.
    pub extended_card: bool,
    /// The gateway's own extensions; they replace the agent's of the same URI.
    pub extensions: Vec<Extension>,
    /// How callers authenticate to the gateway, in the form of each version; to let callers see
    /// what an agent asks for, that of [`Card::security`].
    pub security: Security,
    /// Where the card is found as the agent wrote it, named in the extension
    /// [`ORIGINAL_CARD`](Self::ORIGINAL_CARD).
    pub original: Option<OriginalCard>,
}

/// The card a served one was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalCard {
    /// Where the gateway serves it, byte for byte.
    pub url: String,
    /// The digest of its bytes, such as [`Card::fingerprint`].
    pub digest: String,
}

/// An address of the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedInterface {
    /// The full URL, written to the card as it is.
    pub url: String,
    /// The transport spoken there.
    pub binding: InterfaceBinding,
    /// The protocol version spoken there.
    pub version: ProtocolVersion,
    /// What callers name in each request to reach this agent there (A2A §8.3.2); 0.3 has no place for it.
    pub tenant: Option<String>,
}

/// The shape of a served card, chosen by the reader's `A2A-Version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServedShape {
    /// The members of 1.0 only.
    V1,
    /// What readers of every version understand: the members of 0.3 when a 0.3 interface is
    /// published, those of 1.0 when a later one is, both when there are both.
    Hybrid,
}

impl ServedShape {
    /// Returns the shape for a request with this `A2A-Version`; none means 0.3 (A2A §3.6.2).
    #[must_use]
    pub fn for_version(requested: Option<&str>) -> Self {
        match requested.map(str::parse::<ProtocolVersion>) {
            Some(Ok(version)) if !version.is_legacy() => Self::V1,
            Some(Ok(_) | Err(_)) | None => Self::Hybrid,
        }
    }
}

/// Names only the gateway may use: in an agent's card they would speak for the gateway.
const OWN_EXTENSIONS: &str = "urn:a2a-gateway:";

impl Publish {
    /// The extension whose `params` name the `url` and `digest` of the original card. Clients need
    /// not know it.
    pub const ORIGINAL_CARD: &str = "urn:a2a-gateway:original-card:1";

    /// Readers of 0.3 get its members only where they find an interface they speak, and strict
    /// ones get nothing else if there is no later interface.
    fn form(&self) -> Form {
        let is_legacy = |interface: &&PublishedInterface| interface.version.is_legacy();
        let legacy = self.interfaces.iter().filter(is_legacy).count();
        Form::new(match self.shape {
            ServedShape::V1 => Shape::V1,
            ServedShape::Hybrid if legacy == 0 => Shape::V1,
            ServedShape::Hybrid if legacy == self.interfaces.len() => Shape::V03,
            ServedShape::Hybrid => Shape::Hybrid,
        })
    }

    fn flags(&self) -> Flags {
        Flags {
            streaming: Some(self.streaming),
            push_notifications: Some(self.push_notifications),
            extended_card: Some(self.extended_card),
        }
    }

    /// Returns the agent's extensions and, after them, those of the options.
    fn with_own_extensions(&self, agents: Vec<Value>) -> Vec<Value> {
        let mut own: Vec<Value> = self.extensions.iter().map(extension).collect();
        own.extend(self.original.as_ref().map(OriginalCard::extension));
        let is_replaced = |extension: &Value| {
            let uri = extension.get("uri").and_then(Value::as_str);
            uri.is_some_and(|uri| uri.starts_with(OWN_EXTENSIONS))
                || own.iter().any(|own| own.get("uri") == extension.get("uri"))
        };
        let mut all: Vec<Value> = agents
            .into_iter()
            .filter(|extension| !is_replaced(extension))
            .collect();
        all.append(&mut own);
        all
    }
}

impl OriginalCard {
    fn extension(&self) -> Value {
        json!({
            "uri": Publish::ORIGINAL_CARD,
            "description": "The card as the agent wrote it, before this gateway put its own addresses in.",
            "required": false,
            "params": { "url": self.url, "digest": self.digest },
        })
    }
}

impl From<&Interface> for PublishedInterface {
    fn from(interface: &Interface) -> Self {
        Self {
            url: interface.url.clone(),
            binding: interface.binding.clone(),
            version: interface.version,
            tenant: interface.tenant.clone(),
        }
    }
}

/// Returns a served card with signatures by the gateway's key. To be done last: any change
/// afterwards breaks them.
///
/// # Errors
///
/// See [`sign`].
pub fn signed(served: &Value, key: &SigningKey) -> Result<Value, SignError> {
    let card = Card::parse(served.to_string().as_bytes())?;
    Ok(sign(&card, key)?.value().clone())
}

fn extension(extension: &Extension) -> Value {
    let mut entry = json!({ "uri": extension.uri });
    if let Some(description) = &extension.description {
        entry["description"] = json!(description);
    }
    entry["required"] = json!(extension.required);
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_follows_the_requested_version() {
        assert_eq!(ServedShape::for_version(Some("1.0")), ServedShape::V1);
        assert_eq!(ServedShape::for_version(Some("1.7.2")), ServedShape::V1);
        for older in [None, Some(""), Some("0.3"), Some("latest")] {
            assert_eq!(
                ServedShape::for_version(older),
                ServedShape::Hybrid,
                "{older:?}"
            );
        }
    }
}
