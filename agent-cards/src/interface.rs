//! Where an agent is reached: the interfaces of a card of either shape, in one list.

use std::collections::HashSet;
use std::fmt;

use crate::ProtocolVersion;
use crate::members::{self, Object};

/// One address of an agent with the binding and protocol version spoken there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interface {
    /// The address as the card writes it; not checked to be a URL.
    pub url: String,
    /// The transport spoken at the address.
    pub binding: InterfaceBinding,
    /// The protocol version spoken at the address.
    pub version: ProtocolVersion,
    /// The tenant a client repeats in every request to this interface (A2A §8.3.2).
    pub tenant: Option<String>,
}

/// A transport of the protocol, an open set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InterfaceBinding {
    /// `JSONRPC`.
    JsonRpc,
    /// `HTTP+JSON`.
    HttpJson,
    /// `GRPC`.
    Grpc,
    /// Any other name, as the card writes it.
    Other(String),
}

impl InterfaceBinding {
    /// Reads a binding name; case and punctuation do not matter.
    #[must_use]
    pub fn read(name: &str) -> Self {
        let letters: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        match letters.as_str() {
            "JSONRPC" => Self::JsonRpc,
            "HTTPJSON" => Self::HttpJson,
            "GRPC" => Self::Grpc,
            _ => Self::Other(name.to_owned()),
        }
    }

    /// Returns the name as the specification writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::HttpJson => "HTTP+JSON",
            Self::Grpc => "GRPC",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for InterfaceBinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Returns the interfaces of a card in its order of preference, each once.
///
/// `supportedInterfaces` come first; the 0.3 members add what is not listed there, and in a card
/// that has both they count only as 0.3 addresses.
pub(crate) fn read_interfaces(card: &Object) -> Vec<Interface> {
    let located = read_located(card).into_iter();
    located.map(|(interface, _)| interface).collect()
}

/// Returns the interfaces of a card as [`read_interfaces`] does, each with the JSON pointer of
/// what it was read from.
pub(crate) fn read_located(card: &Object) -> Vec<(Interface, String)> {
    let assumed = assumed_version(card);
    let list = members::pointer(card, "", "supportedInterfaces");
    let mut found: Vec<(Interface, String)> = members::list(card, "supportedInterfaces")
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| {
            let interface = read_current(entry.as_object()?, assumed)?;
            Some((interface, format!("{list}/{index}")))
        })
        .collect();
    let listed = !found.is_empty();
    found.extend(
        read_legacy(card)
            .into_iter()
            .filter(|(interface, _)| !listed || interface.version.is_legacy()),
    );
    let mut seen = HashSet::new();
    found.retain(|(interface, _)| {
        seen.insert((
            interface.url.clone(),
            interface.binding.clone(),
            interface.version,
        ))
    });
    found
}

/// Reads an entry of `supportedInterfaces`; drafts of 1.0 called the binding `transport`.
pub(crate) fn read_current(entry: &Object, assumed: ProtocolVersion) -> Option<Interface> {
    let binding =
        members::text(entry, "protocolBinding").or_else(|| members::text(entry, "transport"));
    let version = members::text(entry, "protocolVersion").and_then(|text| text.parse().ok());
    Some(Interface {
        url: address(entry)?,
        binding: binding.map_or(InterfaceBinding::JsonRpc, InterfaceBinding::read),
        version: version.unwrap_or(assumed),
        tenant: members::text(entry, "tenant")
            .filter(|tenant| !tenant.is_empty())
            .map(str::to_owned),
    })
}

/// Returns the version of a listed interface that names none: the card's, if it is 1.0 or later.
pub(crate) fn assumed_version(card: &Object) -> ProtocolVersion {
    stated_version(card)
        .filter(|version| !version.is_legacy())
        .unwrap_or(ProtocolVersion::V1_0)
}

fn stated_version(card: &Object) -> Option<ProtocolVersion> {
    members::text(card, "protocolVersion").and_then(|text| text.parse().ok())
}

/// Reads `url` with `preferredTransport`, then `additionalInterfaces`, each with its pointer.
fn read_legacy(card: &Object) -> Vec<(Interface, String)> {
    let version = stated_version(card).unwrap_or(ProtocolVersion::V0_3);
    let interface = |url: String, binding: Option<&str>| Interface {
        url,
        binding: binding.map_or(InterfaceBinding::JsonRpc, InterfaceBinding::read),
        version,
        tenant: None,
    };
    let preferred = address(card).map(|url| {
        let preferred = interface(url, members::text(card, "preferredTransport"));
        (preferred, "/url".to_owned())
    });
    let list = members::pointer(card, "", "additionalInterfaces");
    let additional = members::list(card, "additionalInterfaces")
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| {
            let entry = entry.as_object()?;
            let binding = members::text(entry, "transport")
                .or_else(|| members::text(entry, "protocolBinding"));
            Some((
                interface(address(entry)?, binding),
                format!("{list}/{index}"),
            ))
        });
    preferred.into_iter().chain(additional).collect()
}

fn address(object: &Object) -> Option<String> {
    let url = members::text(object, "url")?.trim();
    (!url.is_empty()).then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn listed(card: &Value) -> Vec<String> {
        read_interfaces(card.as_object().unwrap())
            .iter()
            .map(|interface| {
                format!(
                    "{} {} {}",
                    interface.binding, interface.version, interface.url
                )
            })
            .collect()
    }

    #[test]
    fn preferred_address_of_a_0_3_card_comes_first_and_once() {
        let card = json!({
            "protocolVersion": "0.3.0", "url": "https://a.example/rest", "preferredTransport": "HTTP+JSON",
            "additionalInterfaces": [
                {"url": "https://a.example/rpc", "transport": "JSONRPC"},
                {"url": "https://a.example/rest", "transport": "HTTP+JSON"},
            ],
        });
        assert_eq!(
            listed(&card),
            [
                "HTTP+JSON 0.3 https://a.example/rest",
                "JSONRPC 0.3 https://a.example/rpc"
            ]
        );
    }

    #[test]
    fn transport_of_a_0_3_card_defaults_to_json_rpc() {
        assert_eq!(
            listed(&json!({"url": "https://a.example"})),
            ["JSONRPC 0.3 https://a.example"]
        );
    }

    #[test]
    fn hybrid_adds_only_the_0_3_addresses_that_are_not_listed() {
        let card = json!({
            "supportedInterfaces": [
                {"url": "https://a.example/1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0.1"},
                {"url": "https://a.example/0", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
            ],
            "protocolVersion": "0.3.0", "url": "https://a.example/0",
            "additionalInterfaces": [{"url": "https://a.example/old", "transport": "GRPC"}],
        });
        assert_eq!(
            listed(&card),
            [
                "JSONRPC 1.0 https://a.example/1",
                "JSONRPC 0.3 https://a.example/0",
                "GRPC 0.3 https://a.example/old"
            ]
        );
    }

    #[test]
    fn listed_interface_without_version_is_taken_as_1_0() {
        let card = json!({
            "supported_interfaces": [{"url": "https://a.example", "protocol_binding": "json-rpc", "tenant": "t"}],
        });
        let interfaces = read_interfaces(card.as_object().unwrap());
        assert_eq!(interfaces[0].version, ProtocolVersion::V1_0);
        assert_eq!(interfaces[0].binding, InterfaceBinding::JsonRpc);
        assert_eq!(interfaces[0].tenant.as_deref(), Some("t"));
    }

    #[test]
    fn unknown_binding_keeps_its_name() {
        let name = "https://example.org/bindings/mqtt";
        assert_eq!(
            InterfaceBinding::read(name),
            InterfaceBinding::Other(name.to_owned())
        );
    }
}
