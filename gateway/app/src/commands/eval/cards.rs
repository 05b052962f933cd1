//! The cards that cases are decided by: from the agents, or from a folder.

use std::{path::Path, sync::Arc, time::Duration};

use agent_cards::{Card, verify};
use futures_util::future::join_all;
use gateway_core::{
    AgentId, AgentSpec, FitEngine, Gateway,
    ports::{CardFetch, CardSource as _, FetchedCard},
};
use gateway_upstream::{CardFetcher, guard::Clients};
use tokio_util::sync::CancellationToken;

use crate::{command::CommandError, files};

/// Longer than any evaluation takes.
const FRESH_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the sentence encoder may read cards.
const LONGEST_READING: Duration = Duration::from_secs(300);
/// How often is looked whether all cards were read.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Returns what came of looking for each agent's card.
///
/// # Errors
/// When a file of the folder is missing or is no card. An agent that cannot be reached is no error, but has no card.
pub(super) async fn all(
    agents: &[AgentSpec],
    folder: Option<&Path>,
) -> Result<Vec<(AgentId, CardFetch)>, CommandError> {
    if let Some(folder) = folder {
        return agents.iter().map(|agent| of_file(agent, folder)).collect();
    }
    let fetcher = CardFetcher::new(Clients::new());
    let fetch = async |agent: &AgentSpec| (agent.id.clone(), fetcher.fetch(agent, true).await);
    Ok(join_all(agents.iter().map(fetch)).await)
}

fn of_file(agent: &AgentSpec, folder: &Path) -> Result<(AgentId, CardFetch), CommandError> {
    let path = folder.join(format!("{}.json", agent.id));
    let shown = path.display();
    let bytes = files::read(&path, agent.card.max_bytes).map_err(|error| {
        CommandError::failed(format!(
            "no card of agent `{}`: cannot read {shown}: {error}",
            agent.id
        ))
    })?;
    let card = Card::parse(&bytes)
        .map_err(|error| CommandError::failed(format!("{shown} is no card: {error}")))?;
    let fetched = FetchedCard {
        verification: verify(&card, &agent.card.trust.keys),
        missing_keys: Vec::new(),
        card,
        location: agent.url.clone(),
        fresh_for: FRESH_FOR,
        stale_while_revalidate: Duration::ZERO,
        stale_if_error: None,
    };
    let fetch = CardFetch {
        result: Ok(fetched),
        tried: Vec::new(),
        retry_after: None,
    };
    Ok((agent.id.clone(), fetch))
}

/// Waits until the sentence encoder has read every card, if fit looks at meaning.
///
/// # Errors
/// When that takes too long.
pub(super) async fn understood(gateway: &Gateway) -> Result<(), CommandError> {
    let FitEngine::Hybrid(semantics) = &gateway.fit else {
        return Ok(());
    };
    let stop = CancellationToken::new();
    let registry = Arc::clone(&gateway.registry);
    let reading = tokio::spawn(registry.understand(Arc::clone(semantics), stop.clone()));
    let is_complete = || {
        let catalog = gateway.registry.catalog();
        let agents = catalog.agents().iter();
        let with_card = agents
            .filter(|agent| agent.status.accepted.is_some())
            .count();
        catalog.meanings().known() >= with_card
    };
    let completing = async {
        while !is_complete() {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    let completed = tokio::time::timeout(LONGEST_READING, completing).await;
    stop.cancel();
    reading.abort();
    completed.map_err(|_| CommandError::failed("the sentence encoder could not read every card"))
}

/// Names the agents without a usable card, with the reason.
pub(super) fn missing(gateway: &Gateway) -> Vec<String> {
    let catalog = gateway.registry.catalog();
    let without = catalog
        .agents()
        .iter()
        .filter(|agent| agent.status.accepted.is_none());
    let named = without.map(|agent| {
        let problem = agent.status.problem.as_deref().unwrap_or("no card came");
        format!("{}: {problem}", agent.spec.id)
    });
    named.collect()
}
