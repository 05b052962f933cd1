//! The extended card of an agent, as the caller who may see it sees it: at the gateway's addresses, like all cards.

use agent_cards::{Card, publish::ServedShape};
use axum::http::Extensions;
use bytes::Bytes;
use gateway_core::{AgentId, Call, Failure, Payload, Reply, ReplyBody, Target};
use gateway_protocol::{Operation, Version};

use super::{
    aside::aside,
    contents::{self, Offer},
    keys,
};
use crate::{State, base::PublicBase, edge};

/// A call for an extended card.
#[derive(Debug)]
pub(crate) struct Extended {
    agent: AgentId,
    version: Version,
    base: PublicBase,
}

impl Extended {
    /// Notes what a card needs to know of its call; `None` for calls of other operations.
    pub(crate) fn of(call: &Call, about: &Extensions) -> Option<Self> {
        match (&call.target, call.operation) {
            (Target::Agent(agent), Operation::GetExtendedAgentCard) => Some(Self {
                agent: agent.clone(),
                version: call.version,
                base: about.get::<PublicBase>()?.clone(),
            }),
            _ => None,
        }
    }

    /// Publishes the agent's card in its place.
    pub(crate) async fn publish(self, state: &State, reply: Reply) -> Result<Reply, Failure> {
        let ReplyBody::One(Payload::Result(card)) = &reply.body else {
            return Ok(reply);
        };
        let (card, state) = (card.clone(), state.clone());
        let written = aside(move || self.written(&state, &card)).await;
        let written =
            written.unwrap_or_else(|| Err(Failure::internal("the card could not be written")))?;
        Ok(Reply {
            body: ReplyBody::One(Payload::Result(written)),
            ..reply
        })
    }

    fn written(&self, state: &State, card: &[u8]) -> Result<Bytes, Failure> {
        let card = Card::parse(card).map_err(|error| edge::unreadable(&error.to_string()))?;
        let catalog = state.gateway.registry.catalog();
        let agent = catalog.agent(&self.agent);
        let agent = agent.ok_or_else(|| Failure::unknown_agent(self.agent.as_str()))?;
        let offer = Offer {
            base: self.base.as_str(),
            shape: match self.version {
                Version::V03 => ServedShape::Hybrid,
                Version::V1 => ServedShape::V1,
            },
            relays_push: state.gateway.push.is_available(),
        };
        let card = match self.version {
            Version::V03 => contents::extended_in_v03(&agent.spec, &card, offer),
            Version::V1 => contents::extended(&agent.spec, &card, offer),
        };
        let card = keys::signed(state, self.base.as_str(), card);
        Ok(Bytes::from(card.to_string()))
    }
}

#[cfg(test)]
pub(crate) mod tests;
