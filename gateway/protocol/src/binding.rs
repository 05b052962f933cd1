//! Transport bindings under the names that cards use.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Version;
use crate::translate::Dialect;

/// Names one of the three bindings of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Binding {
    /// JSON-RPC 2.0 over HTTP POST.
    #[serde(rename = "JSONRPC")]
    JsonRpc,
    /// REST-like HTTP with JSON bodies.
    #[serde(rename = "HTTP+JSON")]
    HttpJson,
    /// gRPC over HTTP/2.
    #[serde(rename = "GRPC")]
    Grpc,
}

impl Binding {
    /// Returns the name used in cards (`protocolBinding`, or `transport` in 0.3).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JsonRpc => "JSONRPC",
            Self::HttpJson => "HTTP+JSON",
            Self::Grpc => "GRPC",
        }
    }

    /// Returns the JSON dialect of its objects in a version: only 0.3 over JSON-RPC has one of its own.
    pub const fn dialect(self, version: Version) -> Dialect {
        match (self, version) {
            (Self::JsonRpc, Version::V03) => Dialect::V03,
            (Self::HttpJson | Self::Grpc, Version::V03) => Dialect::V03Proto,
            (_, Version::V1) => Dialect::V1,
        }
    }

    /// Reads a card's name; custom bindings, which are URIs, are `None`.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::JsonRpc, Self::HttpJson, Self::Grpc]
            .into_iter()
            .find(|binding| binding.as_str() == text)
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_binding_is_its_wire_name() {
        for binding in [Binding::JsonRpc, Binding::HttpJson, Binding::Grpc] {
            assert_eq!(Binding::parse(binding.as_str()), Some(binding));
            let json = serde_json::to_string(&binding).unwrap();
            assert_eq!(json, format!("\"{binding}\""));
        }
        assert_eq!(Binding::parse("https://example.org/soap"), None);
        assert_eq!(Binding::parse("jsonrpc"), None);
    }
}
