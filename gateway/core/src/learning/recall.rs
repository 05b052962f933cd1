//! Latency after a restart: what the latest stored decisions have measured counts until newer answers push it out.

use std::time::Duration;

use jiff::Timestamp;

use super::Forget;
use crate::{
    agent::AgentId,
    call::Gateway,
    catalog::CatalogAgent,
    decision::{RouteDecision, Verdict},
    ports::{DecisionFilter, StoreError},
    stats::Mode,
};

/// How many decisions of each agent are looked at.
const DECISIONS: usize = 32;

/// Takes over the latencies of all agents. Those of an agent that cannot be read are measured anew.
pub(super) async fn recall(gateway: &Gateway) -> Result<(), StoreError> {
    let forgotten = gateway.store.forgotten().await?;
    for agent in gateway.registry.catalog().agents() {
        recall_agent(gateway, agent, &forgotten).await?;
    }
    Ok(())
}

async fn recall_agent(
    gateway: &Gateway,
    agent: &CatalogAgent,
    forgotten: &[Forget],
) -> Result<(), StoreError> {
    let id = &agent.spec.id;
    let filter = DecisionFilter {
        agent: Some(id.clone()),
        verdict: Some(Verdict::Chosen.as_str().to_owned()),
        since: forgotten_at(forgotten, id, None),
        limit: DECISIONS,
        ..DecisionFilter::default()
    };
    let decisions = gateway.store.decisions(&filter).await?;
    for decision in decisions.iter().rev() {
        let Some(took) = answered_in(decision) else {
            continue;
        };
        let mode = if decision.request.streaming {
            Mode::Stream
        } else {
            Mode::Unary
        };
        let skill = decision.chosen().and_then(|chosen| chosen.skill.as_deref());
        let skill = skill.filter(|skill| {
            forgotten_at(forgotten, id, Some(skill)).is_none_or(|at| decision.at > at)
        });
        agent.stats.recall(skill, mode, took);
    }
    Ok(())
}

fn forgotten_at(forgotten: &[Forget], agent: &AgentId, skill: Option<&str>) -> Option<Timestamp> {
    let same = |forget: &&Forget| forget.agent == *agent && forget.skill.as_deref() == skill;
    forgotten.iter().filter(same).map(|forget| forget.at).max()
}

/// Returns the time of the first attempt that was answered.
fn answered_in(decision: &RouteDecision) -> Option<Duration> {
    let answered = decision
        .attempts
        .iter()
        .find(|attempt| attempt.outcome == "ok")?;
    Some(Duration::from_millis(answered.ms))
}
