//! The agent that a call about something of it goes to, and the interface it is called at.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Call, Gateway, SETTLE_LIMIT, Target, send::supported_versions};
use crate::{
    agent::AgentId,
    catalog::{Catalog, CatalogAgent},
    decision::DecisionKind,
    failure::Failure,
    route::{Chosen, Features, Question, follow},
};

/// An agent that was looked up for a call, in the catalog of that moment.
pub(super) struct Reached {
    catalog: Arc<Catalog>,
    pub(super) agent: Arc<CatalogAgent>,
}

impl Reached {
    /// Waits until somebody has looked for the card of an agent, and looks the agent up.
    ///
    /// # Errors
    /// On the federated endpoint, where clients do not know of agents, their tasks are unknown.
    pub(super) async fn wait(
        gateway: &Gateway,
        call: &Call,
        id: &AgentId,
    ) -> Result<Self, Failure> {
        gateway.registry.settled(id, SETTLE_LIMIT).await;
        let catalog = gateway.registry.catalog();
        let agent = catalog.agent(id).map(Arc::clone);
        let agent = agent.ok_or_else(|| match call.target {
            Target::Agent(_) => Failure::unknown_agent(id.as_str()),
            Target::Federated => Failure::task_not_found(),
        })?;
        Ok(Self { catalog, agent })
    }

    /// Chooses the interface, if the agent can do what is asked at all.
    pub(super) fn choose(
        &self,
        gateway: &Gateway,
        call: &Call,
        features: &Features,
    ) -> Result<Chosen, Failure> {
        let question = Question {
            catalog: &self.catalog,
            profile: gateway.profile()?,
            rule: None,
            features,
            meaning: None,
            version: call.version,
            binding: call.binding,
            now: Instant::now(),
            at: jiff::Timestamp::now(),
        };
        let choice = follow(question, &self.agent, DecisionKind::Owner);
        choice
            .chosen
            .ok_or_else(|| match choice.candidates.first() {
                Some(candidate) => Failure::ruled_out(
                    candidate,
                    call.version,
                    &supported_versions(&self.catalog, &self.agent.spec.id),
                ),
                None => Failure::task_not_found(),
            })
    }
}
