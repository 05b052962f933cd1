//! The optional features a card declares.

use crate::members::{self, Object};

/// The optional features of an agent; what a card does not say counts as no.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the agent streams.
    pub streaming: bool,
    /// Whether the agent calls webhooks.
    pub push_notifications: bool,
    /// Whether the agent has another card for authenticated callers.
    pub extended_card: bool,
    /// The protocol extensions of the agent.
    pub extensions: Vec<Extension>,
}

/// A protocol extension (A2A §4.6).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extension {
    /// The URI that identifies the extension and its version.
    pub uri: String,
    /// How the agent uses it.
    pub description: Option<String>,
    /// Whether a client must support it.
    pub required: bool,
}

impl Capabilities {
    /// Reads the capabilities of a card; 0.3 puts the extended card beside them.
    pub(crate) fn read(card: &Object) -> Self {
        let empty = Object::new();
        let declared = members::object(card, "capabilities").unwrap_or(&empty);
        let says = |name| members::flag(declared, name).unwrap_or(false);
        let legacy_extended = members::flag(card, "supportsAuthenticatedExtendedCard");
        Self {
            streaming: says("streaming"),
            push_notifications: says("pushNotifications"),
            extended_card: members::flag(declared, "extendedAgentCard")
                .or(legacy_extended)
                .unwrap_or(false),
            extensions: members::list(declared, "extensions")
                .iter()
                .filter_map(|entry| Extension::read(entry.as_object()?))
                .collect(),
        }
    }
}

impl Extension {
    fn read(extension: &Object) -> Option<Self> {
        let uri = members::text(extension, "uri").filter(|uri| !uri.is_empty())?;
        Some(Self {
            uri: uri.to_owned(),
            description: members::text(extension, "description").map(str::to_owned),
            required: members::flag(extension, "required").unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn c012_missing_capabilities_count_as_no() {
        assert_eq!(Capabilities::read(&Object::new()), Capabilities::default());
    }

    #[test]
    fn extended_card_is_read_from_either_place() {
        for card in [
            json!({"supportsAuthenticatedExtendedCard": true}),
            json!({"capabilities": {"extended_agent_card": true}}),
        ] {
            assert!(Capabilities::read(card.as_object().unwrap()).extended_card);
        }
    }

    #[test]
    fn flag_of_another_type_is_not_a_yes() {
        let card =
            json!({"capabilities": {"streaming": "yes", "extensions": [{"required": true}, 3]}});
        assert_eq!(
            Capabilities::read(card.as_object().unwrap()),
            Capabilities::default()
        );
    }
}
