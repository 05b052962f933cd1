//! The members that the protocol gives to each object of a card, in either version.
//!
//! What else is there is the agent's own: it is kept, and never understood.

use serde_json::Value;

use crate::members::{self, Object};

/// The members of a card.
pub(crate) const CARD: &[&str] = &[
    "name",
    "description",
    "version",
    "url",
    "preferredTransport",
    "protocolVersion",
    "additionalInterfaces",
    "supportedInterfaces",
    "provider",
    "documentationUrl",
    "iconUrl",
    "capabilities",
    "supportsAuthenticatedExtendedCard",
    "securitySchemes",
    "securityRequirements",
    "security",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "signatures",
];

/// The members of `provider`.
pub(crate) const PROVIDER: &[&str] = &["organization", "url"];

/// The members of `capabilities`.
pub(crate) const CAPABILITIES: &[&str] = &[
    "streaming",
    "pushNotifications",
    "extendedAgentCard",
    "stateTransitionHistory",
    "extensions",
];

/// The members of an extension.
pub(crate) const EXTENSION: &[&str] = &["uri", "description", "required", "params"];

/// The members of a skill.
pub(crate) const SKILL: &[&str] = &[
    "id",
    "name",
    "description",
    "tags",
    "examples",
    "inputModes",
    "outputModes",
    "securityRequirements",
    "security",
];

/// Returns the members that have no place in `known`, under neither of their spellings.
pub(crate) fn unknown<'a>(
    object: &'a Object,
    known: &[&str],
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    object
        .iter()
        .filter(|(name, _)| !known.contains(&members::camel_case(name).as_ref()))
}
