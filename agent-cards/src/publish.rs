//! Computes the card a gateway serves in place of an agent's, or for all of them together.
//!
//! Addresses come from [`Publish`] alone: nothing is ever edited into or out of the agent's own
//! URLs. What only holds between the gateway and the agent is left out: the agent's interfaces,
//! its security (the gateway keeps the credentials) and its signatures (they cover the replaced
//! addresses). Members this crate does not know survive.

mod agent;
mod federated;
mod form;

use crate::{Extension, InterfaceBinding, ProtocolVersion};

pub use self::agent::agent;
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
