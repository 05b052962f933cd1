//! `/v1/decisions`: the records, newest first.

use axum::{
    Json,
    extract::{
        Path, Query, State as Shared,
        rejection::{JsonRejection, QueryRejection},
    },
};
use gateway_core::{
    AgentId, Feedback, RouteDecision,
    call::FeedbackError,
    moment,
    ports::DecisionFilter,
    route::counterfactual::{self, Explanation},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::problem::Problem;
use crate::State;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;
const VERDICTS: [&str; 3] = ["chosen", "outscored", "discarded"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filter {
    agent: Option<String>,
    verdict: Option<String>,
    since: Option<String>,
    caller: Option<String>,
    outcome: Option<String>,
    before: Option<String>,
    limit: Option<usize>,
}

pub(crate) async fn list(
    Shared(state): Shared<State>,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Result<Json<Value>, Problem> {
    let Query(filter) = filter.map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let filter = filter.check(Timestamp::now())?;
    let decisions = state
        .gateway
        .store
        .decisions(&filter)
        .await
        .map_err(unreadable)?;
    let next = decisions
        .last()
        .filter(|_| decisions.len() == filter.limit)
        .map(|last| last.id.clone());
    Ok(Json(json!({ "decisions": decisions, "next_before": next })))
}

pub(crate) async fn show(
    Shared(state): Shared<State>,
    Path(id): Path<String>,
) -> Result<Json<RouteDecision>, Problem> {
    find(&state, &id).await.map(Json)
}

/// Says why the choice came out as it did, and what would have turned it.
pub(crate) async fn explanation(
    Shared(state): Shared<State>,
    Path(id): Path<String>,
) -> Result<Json<Explanation>, Problem> {
    let decision = find(&state, &id).await?;
    let profiles = state.gateway.profiles.values();
    Ok(Json(counterfactual::explain(&decision, profiles)))
}

async fn find(state: &State, id: &str) -> Result<RouteDecision, Problem> {
    let found = state.gateway.store.decision(id).await;
    found.map_err(unreadable)?.ok_or_else(|| {
        Problem::not_found(format!(
            "there is no decision `{id}`; it may be past its retention"
        ))
    })
}

pub(crate) async fn feedback(
    Shared(state): Shared<State>,
    Path(id): Path<String>,
    feedback: Result<Json<Feedback>, JsonRejection>,
) -> Result<Json<RouteDecision>, Problem> {
    let Json(feedback) = feedback?;
    let taken = state.gateway.take_feedback(&id, feedback).await;
    taken.map(Json).map_err(|error| match error {
        FeedbackError::UnknownDecision(_) => Problem::not_found(error.to_string()),
        FeedbackError::Invalid(_) => Problem::bad_request(error.to_string()),
        FeedbackError::Store(error) => {
            tracing::error!(error = %error, "feedback could not be kept");
            Problem::internal("the feedback could not be kept; the log says why")
        }
    })
}

#[expect(clippy::needless_pass_by_value, reason = "maps an error away")]
fn unreadable(error: gateway_core::ports::StoreError) -> Problem {
    tracing::error!(error = %error, "decisions could not be read");
    Problem::internal("the store could not be read; the log says why")
}

impl Filter {
    fn check(self, now: Timestamp) -> Result<DecisionFilter, Problem> {
        let agent = self.agent.as_deref().map(AgentId::parse).transpose();
        if let Some(verdict) = self
            .verdict
            .as_deref()
            .filter(|verdict| !VERDICTS.contains(verdict))
        {
            let known = VERDICTS.join(", ");
            return Err(Problem::bad_request(format!(
                "there is no verdict `{verdict}`; use {known}"
            )));
        }
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(Problem::bad_request(format!(
                "limit {limit} is not within 1 to {MAX_LIMIT}"
            )));
        }
        Ok(DecisionFilter {
            agent: agent.map_err(|error| Problem::bad_request(error.to_string()))?,
            verdict: self.verdict,
            since: self.since.map(|text| since(&text, now)).transpose()?,
            caller: self.caller,
            outcome: self.outcome,
            before: self.before,
            limit,
        })
    }
}

fn since(text: &str, now: Timestamp) -> Result<Timestamp, Problem> {
    moment::parse(text, now).ok_or_else(|| {
        Problem::bad_request(format!(
            "`{text}` is no time; use one like 2026-11-30T10:00:00Z, or how long ago like 2h or 7d"
        ))
    })
}
