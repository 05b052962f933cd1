//! The list of all agents' cards as an AI Catalog, for readers that look for agents rather than for one agent.
//!
//! The format is version 0.9 of the AI Catalog specification. An entry repeats nothing that its card says, as the
//! specification asks for.

use gateway_core::{AgentId, AgentState, Catalog};
use serde_json::{Value, json};
use url::{Host, Url};

/// The media type of the list.
pub(super) const MEDIA_TYPE: &str = "application/ai-catalog+json";

/// Lists the agents that can get new tasks.
pub(super) fn list(catalog: &Catalog, base: &str) -> Value {
    let entries = catalog
        .agents()
        .iter()
        .filter(|agent| agent.status.state != AgentState::Quarantined)
        .filter(|agent| {
            let accepted = agent.status.accepted.as_ref();
            accepted.is_some_and(|accepted| !accepted.endpoints.is_empty())
        })
        .map(|agent| entry(&agent.spec.id, base));
    json!({
        "specVersion": "0.9",
        "host": { "displayName": "A2A federation gateway" },
        "entries": entries.collect::<Vec<_>>(),
    })
}

fn entry(agent: &AgentId, base: &str) -> Value {
    let url = format!("{base}/agents/{agent}/.well-known/agent-card.json");
    let identifier = match publisher(base) {
        Some(domain) => format!("urn:air:{domain}:{agent}:a2a"),
        None => url.clone(),
    };
    json!({
        "identifier": identifier,
        "type": "application/a2a-agent-card+json",
        "url": url,
    })
}

/// Returns the domain that vouches for the entries; an address without one has none.
fn publisher(base: &str) -> Option<String> {
    match Url::parse(base).ok()?.host()? {
        Host::Domain(domain) if domain.contains('.') => Some(domain.to_owned()),
        Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_named_by_domain_or_else_by_address() {
        let agent = AgentId::parse("becas").unwrap();
        assert_eq!(
            entry(&agent, "https://pub.example/edge"),
            json!({
                "identifier": "urn:air:pub.example:becas:a2a",
                "type": "application/a2a-agent-card+json",
                "url": "https://pub.example/edge/agents/becas/.well-known/agent-card.json",
            })
        );
        for local in [
            "http://127.0.0.1:8080",
            "http://localhost",
            "http://[::1]:80",
        ] {
            let entry = entry(&agent, local);
            assert_eq!(entry["identifier"], entry["url"], "{local}");
        }
    }
}
