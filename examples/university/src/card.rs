//! What an agent says about itself, and the card that says it in the shape of its protocol version.

use serde_json::{Value, json};

use crate::dialect::Dialect;

/// The university that runs most of the agents.
pub(crate) const UNIVERSITY: Provider = Provider {
    organization: "University of Valdehierro",
    url: "https://www.valdehierro.example",
};

/// Everything a card states except the address, which depends on where the agent runs.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) dialect: Dialect,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) provider: Provider,
    pub(crate) streaming: bool,
    pub(crate) output_modes: &'static [&'static str],
    pub(crate) skills: &'static [Skill],
}

/// Who is answerable for an agent.
#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) organization: &'static str,
    pub(crate) url: &'static str,
}

/// One thing an agent can do.
#[derive(Debug)]
pub(crate) struct Skill {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) tags: &'static [&'static str],
    pub(crate) examples: &'static [&'static str],
}

impl Profile {
    /// Returns the agent card for an agent whose JSON-RPC endpoint is `endpoint`.
    pub(crate) fn card(&self, endpoint: &str) -> Value {
        let mut card = json!({
            "name": self.name,
            "description": self.description,
            "version": env!("CARGO_PKG_VERSION"),
            "provider": {"organization": self.provider.organization, "url": self.provider.url},
            "capabilities": {"streaming": self.streaming, "pushNotifications": false},
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": self.output_modes,
            "skills": self.skills.iter().map(Skill::to_json).collect::<Vec<_>>(),
        });
        match self.dialect {
            Dialect::V03 => {
                card["protocolVersion"] = json!("0.3.0");
                card["url"] = json!(endpoint);
                card["preferredTransport"] = json!("JSONRPC");
            }
            Dialect::V10 => {
                card["supportedInterfaces"] = json!([
                    {"url": endpoint, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
                ]);
            }
        }
        card
    }
}

impl Skill {
    fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "tags": self.tags,
            "examples": self.examples,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Agent;

    #[test]
    fn cards_have_the_shape_of_their_version() {
        for agent in Agent::ALL {
            let card = agent.profile().card("http://a/a2a");
            if agent == Agent::Letters {
                assert_eq!(card["protocolVersion"], "0.3.0");
                assert_eq!(card["url"], "http://a/a2a");
                assert!(card.get("supportedInterfaces").is_none());
            } else {
                assert_eq!(card["supportedInterfaces"][0]["protocolVersion"], "1.0");
                assert_eq!(card["supportedInterfaces"][0]["url"], "http://a/a2a");
                assert!(card.get("protocolVersion").is_none() && card.get("url").is_none());
            }
        }
    }

    #[test]
    fn skill_ids_are_unique_in_the_federation() {
        let mut ids: Vec<_> = Agent::ALL
            .iter()
            .flat_map(|agent| agent.profile().skills)
            .map(|skill| skill.id)
            .collect();
        let total = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), total);
    }
}
