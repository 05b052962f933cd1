//! `/v1/signals`: what was learned and measured of each agent and skill, and how it is forgotten.

use std::collections::BTreeSet;

use axum::{
    Json,
    extract::{Path, Query, State as Shared, rejection::QueryRejection},
};
use gateway_core::{
    AgentId, Learning,
    catalog::CatalogAgent,
    learning::{MIN_COSTS, Quality},
    ports::StoreError,
    stats::{AgentStats, Mode},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::problem::Problem;
use crate::State;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    agent: Option<String>,
}

pub(crate) async fn list(
    Shared(state): Shared<State>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Value>, Problem> {
    let Query(which) = which.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let gateway = &state.gateway;
    gateway
        .refresh_signals()
        .await
        .map_err(|error| failed(&error))?;
    let catalog = gateway.registry.catalog();
    let now = Timestamp::now();
    let agents: Vec<Value> = match &which.agent {
        Some(id) => {
            let found = AgentId::parse(id)
                .ok()
                .and_then(|id| catalog.agent(&id).cloned());
            vec![describe(&*found.ok_or_else(|| unknown(id))?, now)]
        }
        None => catalog
            .agents()
            .iter()
            .map(|agent| describe(agent, now))
            .collect(),
    };
    let Learning {
        prior_strength,
        half_life,
    } = gateway.learner.learning();
    Ok(Json(json!({
        "learning": {
            "prior_strength": prior_strength,
            "half_life_seconds": half_life.as_secs(),
            "min_costs": MIN_COSTS,
        },
        "agents": agents,
    })))
}

pub(crate) async fn forget_agent(
    Shared(state): Shared<State>,
    Path(agent): Path<String>,
) -> Result<Json<Value>, Problem> {
    forget(&state, &agent, None).await
}

pub(crate) async fn forget_skill(
    Shared(state): Shared<State>,
    Path((agent, skill)): Path<(String, String)>,
) -> Result<Json<Value>, Problem> {
    forget(&state, &agent, Some(&skill)).await
}

async fn forget(state: &State, agent: &str, skill: Option<&str>) -> Result<Json<Value>, Problem> {
    let gateway = &state.gateway;
    let id = AgentId::parse(agent).map_err(|_| unknown(agent))?;
    if gateway.registry.catalog().agent(&id).is_none() {
        return Err(unknown(agent));
    }
    gateway
        .forget_signals(&id, skill)
        .await
        .map_err(|error| failed(&error))?;
    tracing::info!(
        agent.id = agent,
        skill,
        "the operator resets what was learned"
    );
    Ok(Json(
        json!({ "agent": agent, "skill": skill, "reset": true }),
    ))
}

fn unknown(id: &str) -> Problem {
    Problem::not_found(format!("there is no agent `{id}`; `agents` lists all"))
}

fn failed(error: &StoreError) -> Problem {
    tracing::error!(error = %error, "what was learned could not be read or written");
    Problem::internal("the store could not be used; the log says why")
}

fn describe(agent: &CatalogAgent, now: Timestamp) -> Value {
    let (spec, stats) = (&agent.spec, &agent.stats);
    let skills: Vec<_> = skills(agent)
        .iter()
        .map(|skill| describe_skill(agent, skill, now))
        .collect();
    json!({
        "agent": spec.id,
        "in_flight": stats.in_flight(),
        "max_in_flight": spec.limits.max_in_flight,
        "answer_ratio": stats.answer_ratio(Instant::now()),
        "answers": stats.successes(),
        "latency_ms": latency(stats, None),
        "latency_prior_ms": spec.latency.map(|latency| latency.as_millis()),
        "currency": spec.cost.currency,
        "skills": skills,
    })
}

/// Names the skills of the card and those that something is known of; the empty name stands for decisions without one.
fn skills(agent: &CatalogAgent) -> BTreeSet<String> {
    let accepted = agent.status.accepted.as_ref();
    let of_card = accepted
        .into_iter()
        .flat_map(|accepted| accepted.card.skills());
    let mut names: BTreeSet<String> = of_card.map(|skill| skill.id.clone()).collect();
    names.extend(agent.stats.learned.load().names().map(str::to_owned));
    names.extend(agent.stats.measured_skills());
    names
}

fn describe_skill(agent: &CatalogAgent, skill: &str, now: Timestamp) -> Value {
    let named = Some(skill).filter(|skill| !skill.is_empty());
    let spec = &agent.spec;
    let prior = spec.quality_of(named);
    let learned = agent.stats.learned.load();
    let learned = learned.of(named);
    let quality = learned.map_or(Quality::of_prior(prior), |learned| {
        learned.quality(prior, now)
    });
    let (successes, failures) = learned.map_or((0.0, 0.0), |learned| learned.evidence(now));
    let cost = learned.and_then(|learned| learned.cost());
    let prior_cost = spec.cost_of(named);
    json!({
        "skill": named,
        "quality": {
            "value": quality.value,
            "prior": prior,
            "mean": quality.mean,
            "weight": quality.weight,
            "decisions": quality.decisions,
            "successes": successes,
            "failures": failures,
        },
        "cost": {
            "value": cost.filter(|cost| cost.suffices()).map_or(prior_cost, |cost| cost.mean),
            "prior": prior_cost,
            "mean": cost.map(|cost| cost.mean),
            "known": cost.map_or(0, |cost| cost.known),
        },
        "latency_ms": named.map(|skill| latency(&agent.stats, Some(skill))),
    })
}

fn latency(stats: &AgentStats, skill: Option<&str>) -> Value {
    let mode = |mode| {
        stats.measured_latency(skill, mode).map(|measured| {
            json!({ "median": measured.median.as_millis(), "answers": measured.answers })
        })
    };
    json!({ "unary": mode(Mode::Unary), "first_event": mode(Mode::Stream) })
}
