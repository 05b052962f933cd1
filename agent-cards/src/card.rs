//! An AgentCard of either protocol shape, read leniently and kept whole.

mod error;
mod unique;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

pub use self::error::CardError;

use crate::interface::{self, Interface};
use crate::members::{self, Object};
use crate::{Capabilities, Security, Skill};

/// The media type of an agent that names none.
pub(crate) const DEFAULT_MODE: &str = "text/plain";

/// An AgentCard. Clones share one copy.
#[derive(Clone)]
pub struct Card(Arc<Parts>);

struct Parts {
    raw: Box<[u8]>,
    value: Value,
    fingerprint: String,
    shape: Shape,
    name: String,
    description: String,
    version: String,
    interfaces: Vec<Interface>,
    skills: Vec<Skill>,
    capabilities: Capabilities,
    security: Security,
    input_modes: Vec<String>,
    output_modes: Vec<String>,
}

/// Which members say where the agent is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `url`, `preferredTransport` and `additionalInterfaces` only.
    V03,
    /// `supportedInterfaces` only.
    V1,
    /// Both.
    Hybrid,
}

impl Card {
    /// Reads a card of protocol 0.3, 1.0 or both.
    ///
    /// Missing and null members count as empty, unknown members are kept. Anything questionable
    /// that still leaves a card to work with is for [`check`](crate::check()) to find.
    ///
    /// # Errors
    ///
    /// Says what was found instead when the body is not a card, and refuses one in which an object
    /// has two members of one name: its readers would see different cards.
    pub fn parse(body: &[u8]) -> Result<Self, CardError> {
        let value = error::read_json(body)?;
        let Value::Object(object) = &value else {
            return Err(CardError::NotAnObject {
                found: members::kind(&value),
            });
        };
        refuse_what_is_no_card(object)?;
        let word = |name| members::text(object, name).unwrap_or_default().to_owned();
        let parts = Parts {
            raw: body.into(),
            fingerprint: fingerprint(body),
            shape: Shape::of(object),
            name: word("name"),
            description: word("description"),
            version: word("version"),
            interfaces: interface::read_interfaces(object),
            skills: members::list(object, "skills")
                .iter()
                .filter_map(|skill| Skill::read(skill.as_object()?))
                .collect(),
            capabilities: Capabilities::read(object),
            security: Security::read(object),
            input_modes: modes(object, "defaultInputModes"),
            output_modes: modes(object, "defaultOutputModes"),
            value,
        };
        Ok(Self(Arc::new(parts)))
    }

    /// Returns the agent's name, empty if the card gives none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the agent's description, empty if the card gives none.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// Returns the agent's own version (not the protocol's), empty if the card gives none.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// Returns which protocol shape the card is written in.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    /// Returns where the agent is reached, in the card's order of preference, each once.
    #[must_use]
    pub fn interfaces(&self) -> &[Interface] {
        &self.0.interfaces
    }

    /// Returns the interfaces, each with the JSON pointer of what it was read from.
    #[must_use]
    pub fn located_interfaces(&self) -> Vec<(Interface, String)> {
        interface::read_located(self.members())
    }

    /// Returns the agent's skills in the card's order.
    #[must_use]
    pub fn skills(&self) -> &[Skill] {
        &self.0.skills
    }

    /// Returns the optional features of the agent.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// Returns how callers authenticate to the agent.
    #[must_use]
    pub fn security(&self) -> &Security {
        &self.0.security
    }

    /// Returns the media types skills accept by default; `text/plain` if the card names none.
    #[must_use]
    pub fn default_input_modes(&self) -> &[String] {
        &self.0.input_modes
    }

    /// Returns the media types skills produce by default; `text/plain` if the card names none.
    #[must_use]
    pub fn default_output_modes(&self) -> &[String] {
        &self.0.output_modes
    }

    /// Returns the media types a skill of this card accepts: its own, else the card's.
    #[must_use]
    pub fn input_modes<'a>(&'a self, skill: &'a Skill) -> &'a [String] {
        own_or(&skill.input_modes, self.default_input_modes())
    }

    /// Returns the media types a skill of this card produces: its own, else the card's.
    #[must_use]
    pub fn output_modes<'a>(&'a self, skill: &'a Skill) -> &'a [String] {
        own_or(&skill.output_modes, self.default_output_modes())
    }

    /// Returns the whole card as received, members in their order.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// Returns the bytes the card was read from.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.0.raw
    }

    /// Returns `sha256:` and the hex digest of the bytes the card was read from.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.0.fingerprint
    }

    /// Returns the members of the card.
    pub(crate) fn members(&self) -> &Object {
        self.0.value.as_object().expect("a card is an object")
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Card")
            .field("name", &self.name())
            .field("shape", &self.shape())
            .field("fingerprint", &self.fingerprint())
            .finish_non_exhaustive()
    }
}

impl Shape {
    fn of(card: &Object) -> Self {
        let listed = !members::list(card, "supportedInterfaces").is_empty();
        let legacy = members::member(card, "url").is_some()
            || !members::list(card, "additionalInterfaces").is_empty();
        match (listed, legacy) {
            (true, true) => Self::Hybrid,
            (true, false) => Self::V1,
            (false, true) => Self::V03,
            (false, false) if members::member(card, "supportedInterfaces").is_some() => Self::V1,
            (false, false) => Self::V03,
        }
    }
}

/// Refuses objects with fewer than two of the three things every card has, and members whose
/// wrong type would hide what the agent is or offers.
fn refuse_what_is_no_card(object: &Object) -> Result<(), CardError> {
    let any = |names: &[&str]| {
        names
            .iter()
            .any(|name| members::member(object, name).is_some())
    };
    let traits = [
        any(&["name"]),
        any(&["url", "supportedInterfaces", "additionalInterfaces"]),
        any(&["skills", "capabilities"]),
    ];
    if traits.iter().filter(|found| **found).count() < 2 {
        return Err(CardError::not_a_card(object));
    }
    if let Some(name) = members::member(object, "name").filter(|name| !name.is_string()) {
        return Err(CardError::wrong_type("/name", name, "a string"));
    }
    for name in ["supportedInterfaces", "additionalInterfaces", "skills"] {
        match members::member(object, name) {
            None | Some(Value::Array(_)) => {}
            // PHP servers write an empty list as an empty object.
            Some(Value::Object(empty)) if empty.is_empty() => {}
            Some(other) => {
                return Err(CardError::wrong_type(&format!("/{name}"), other, "a list"));
            }
        }
    }
    Ok(())
}

fn fingerprint(body: &[u8]) -> String {
    use fmt::Write as _;

    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, body);
    let mut text = String::from("sha256:");
    for byte in digest.as_ref() {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
    }
    text
}

fn modes(card: &Object, name: &str) -> Vec<String> {
    let named = members::texts(card, name);
    if named.is_empty() {
        return vec![DEFAULT_MODE.to_owned()];
    }
    named
}

fn own_or<'a>(own: &'a [String], default: &'a [String]) -> &'a [String] {
    if own.is_empty() { default } else { own }
}

#[cfg(test)]
mod tests;
