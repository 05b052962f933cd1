//! Whole cards through the public API.

mod arbitrary;
mod public;
mod published;
mod reading;
mod signed;
mod tampered;

use agent_cards::Card;
use agent_cards::publish::{Publish, PublishedInterface, ServedShape};
use agent_cards::{Extension, InterfaceBinding, ProtocolVersion, Security, SecurityScheme};

/// The cards of `tests/cards`, each with its name.
const CARDS: [(&str, &str); 4] = [
    ("v03", include_str!("../cards/v03.json")),
    ("v1", include_str!("../cards/v1.json")),
    ("hybrid", include_str!("../cards/hybrid.json")),
    ("sloppy", include_str!("../cards/sloppy.json")),
];

fn card(name: &str) -> Card {
    let (_, text) = CARDS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("the card is listed");
    Card::parse(text.as_bytes()).expect("the card is readable")
}

/// What a gateway offers for an agent reached over JSON-RPC in the versions given.
fn offered(shape: ServedShape, versions: &[ProtocolVersion]) -> Publish {
    let interface = |version: &ProtocolVersion| PublishedInterface {
        url: "https://gateway.example/agents/it".to_owned(),
        binding: InterfaceBinding::JsonRpc,
        version: *version,
        tenant: None,
    };
    Publish {
        interfaces: versions.iter().map(interface).collect(),
        shape,
        streaming: true,
        push_notifications: false,
        extended_card: false,
        extensions: vec![Extension {
            uri: "urn:example:routing:1".to_owned(),
            description: Some("Hints for the choice of an agent.".to_owned()),
            required: false,
        }],
        security: Security::one("token", SecurityScheme::bearer(Some("JWT"))),
        original: None,
    }
}
