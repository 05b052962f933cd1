//! What served cards say: the agents' own words, at the gateway's addresses.

use agent_cards::{
    Card, Extension, Security,
    publish::{
        self, FederatedCard, Federation, Offer as Offered, OriginalCard, Publish,
        PublishedInterface, ServedShape, SkillLimits,
    },
};
use gateway_core::{
    AgentId, AgentSpec, AgentState, Catalog, ServeCard, catalog::AcceptedCard,
    route::ROUTING_EXTENSION,
};
use serde_json::Value;

use super::interfaces;

/// What the gateway offers with a card, and to whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer<'a> {
    /// The public address.
    pub(super) base: &'a str,
    /// What the reader understands.
    pub(super) shape: ServedShape,
    /// Whether notifications can pass the gateway.
    pub(super) relays_push: bool,
}

impl Offer<'_> {
    fn publish(self, interfaces: Vec<PublishedInterface>) -> Publish {
        Publish {
            interfaces,
            shape: self.shape,
            streaming: false,
            push_notifications: false,
            extended_card: false,
            extensions: Vec::new(),
            // Everybody may call, so there is nothing to tell.
            security: Security::default(),
            original: None,
        }
    }
}

/// Returns the card of one agent.
pub(super) fn of_agent(spec: &AgentSpec, accepted: &AcceptedCard, offer: Offer<'_>) -> Value {
    let original = (spec.card.serve != ServeCard::Rewritten).then(|| OriginalCard {
        url: format!(
            "{}/agents/{}/.well-known/original-agent-card.json",
            offer.base, spec.id
        ),
        digest: accepted.received.fingerprint().to_owned(),
    });
    let interfaces = interfaces::of_agent(offer.base, &spec.id);
    let options = Publish {
        original,
        ..options(interfaces, &accepted.shown, offer)
    };
    publish::agent(&accepted.shown, &options)
}

/// Returns the extended card of one agent.
pub(super) fn extended(spec: &AgentSpec, card: &Card, offer: Offer<'_>) -> Value {
    let interfaces = interfaces::of_agent(offer.base, &spec.id);
    rewritten(spec, card, interfaces, offer)
}

/// Returns the extended card of one agent for readers that know nothing but 0.3.
pub(super) fn extended_in_v03(spec: &AgentSpec, card: &Card, offer: Offer<'_>) -> Value {
    let mut interfaces = interfaces::of_agent(offer.base, &spec.id);
    interfaces.retain(|interface| interface.version.is_legacy());
    rewritten(spec, card, interfaces, offer)
}

fn rewritten(
    spec: &AgentSpec,
    card: &Card,
    interfaces: Vec<PublishedInterface>,
    offer: Offer<'_>,
) -> Value {
    let card = publish::conceal(card, &spec.inner_hosts()).card;
    publish::agent(&card, &options(interfaces, &card, offer))
}

fn options(interfaces: Vec<PublishedInterface>, card: &Card, offer: Offer<'_>) -> Publish {
    let capabilities = card.capabilities();
    Publish {
        streaming: capabilities.streaming,
        push_notifications: capabilities.push_notifications && offer.relays_push,
        extended_card: capabilities.extended_card,
        ..offer.publish(interfaces)
    }
}

/// Returns the card of all agents together, which can what at least one of them can.
pub(super) fn federated(catalog: &Catalog, offer: Offer<'_>) -> FederatedCard {
    let cards: Vec<(&AgentId, &AcceptedCard)> = catalog
        .agents()
        .iter()
        .filter(|agent| agent.status.state != AgentState::Quarantined)
        .filter_map(|agent| Some((&agent.spec.id, agent.status.accepted.as_deref()?)))
        .filter(|(_, accepted)| !accepted.endpoints.is_empty())
        .collect();
    let capabilities = || {
        cards
            .iter()
            .map(|(_, accepted)| accepted.card.capabilities())
    };
    let options = Publish {
        streaming: capabilities().any(|known| known.streaming),
        push_notifications: offer.relays_push
            && capabilities().any(|known| known.push_notifications),
        extensions: vec![Extension {
            uri: ROUTING_EXTENSION.to_owned(),
            description: Some(
                "hints in metadata about which agent or skill a message is for".to_owned(),
            ),
            required: false,
        }],
        ..offer.publish(interfaces::federated(offer.base))
    };
    let skills = cards
        .iter()
        .flat_map(|(id, accepted)| skills(id, &accepted.card));
    publish::federated(&federation(cards.len()), skills, &options)
}

fn skills<'a>(agent: &'a AgentId, card: &'a Card) -> impl Iterator<Item = Offered<'a>> {
    card.skills().iter().map(move |skill| Offered {
        agent: agent.as_str(),
        card,
        skill,
    })
}

fn federation(agents: usize) -> Federation {
    Federation {
        name: "A2A federation gateway".to_owned(),
        description: format!(
            "Routes each message to the best of {agents} agents and keeps the task with it."
        ),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        provider: None,
        documentation_url: None,
        limits: SkillLimits::default(),
    }
}
