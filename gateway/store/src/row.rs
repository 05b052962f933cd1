//! A decision as columns, and back. Nothing here depends on one database.

use gateway_core::{
    decision::{Attempt, Candidate, Discard, Outcome, RouteDecision},
    ports::StoreError,
};
use jiff::Timestamp;
use serde_json::Deserializer;

/// A decision ready to be written. It is made by the caller, so that the writer does nothing but SQL.
#[derive(Debug)]
pub(crate) struct DecisionRow {
    pub(crate) id: String,
    /// Microseconds since 1970, like all times in the tables.
    pub(crate) at: i64,
    pub(crate) kind: &'static str,
    pub(crate) caller: String,
    pub(crate) tenant: Option<String>,
    pub(crate) operation: String,
    pub(crate) agent: Option<String>,
    pub(crate) attempts: String,
    pub(crate) outcome: OutcomeColumns,
    pub(crate) body: String,
    pub(crate) candidates: Vec<CandidateRow>,
}

/// What the filters need of a candidate.
#[derive(Debug)]
pub(crate) struct CandidateRow {
    pub(crate) agent: String,
    pub(crate) verdict: &'static str,
    pub(crate) reason: Option<&'static str>,
}

/// An outcome as columns; all absent while nothing is known.
#[derive(Debug, Default, sqlx::FromRow)]
pub(crate) struct OutcomeColumns {
    #[sqlx(rename = "outcome")]
    pub(crate) state: Option<String>,
    #[sqlx(rename = "outcome_task")]
    pub(crate) task_id: Option<String>,
    #[sqlx(rename = "outcome_error")]
    pub(crate) error: Option<String>,
    #[sqlx(rename = "outcome_ms")]
    pub(crate) ms: Option<i64>,
    pub(crate) finished_at: Option<i64>,
}

/// A decision as read.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct StoredDecision {
    pub(crate) id: String,
    body: String,
    attempts: String,
    #[sqlx(flatten)]
    outcome: OutcomeColumns,
}

impl DecisionRow {
    pub(crate) fn new(decision: &RouteDecision) -> Result<Self, StoreError> {
        let encoded = || -> serde_json::Result<_> {
            let attempts = decision
                .attempts
                .iter()
                .map(attempt_line)
                .collect::<Result<_, _>>()?;
            let outcome = decision
                .outcome
                .as_ref()
                .map(OutcomeColumns::new)
                .transpose()?;
            Ok((attempts, outcome, serde_json::to_string(decision)?))
        };
        let (attempts, outcome, body) = encoded().map_err(|error| {
            StoreError(format!(
                "decision `{}` cannot be written as JSON: {error}",
                decision.id
            ))
        })?;
        let candidate = |candidate: &Candidate| CandidateRow {
            agent: candidate.agent.to_string(),
            verdict: candidate.verdict.as_str(),
            reason: candidate.reason.map(Discard::as_str),
        };
        Ok(Self {
            id: decision.id.clone(),
            at: decision.at.as_microsecond(),
            kind: decision.kind.as_str(),
            caller: decision.caller.subject.clone(),
            tenant: decision.caller.tenant.clone(),
            operation: decision.operation.clone(),
            agent: decision.chosen().map(|chosen| chosen.agent.to_string()),
            attempts,
            outcome: outcome.unwrap_or_default(),
            body,
            candidates: decision.candidates.iter().map(candidate).collect(),
        })
    }
}

impl OutcomeColumns {
    fn new(outcome: &Outcome) -> serde_json::Result<Self> {
        Ok(Self {
            state: Some(outcome.state.clone()),
            task_id: outcome.task_id.clone(),
            error: outcome
                .error
                .as_ref()
                .map(serde_json::to_string)
                .transpose()?,
            ms: Some(i64::try_from(outcome.ms).unwrap_or(i64::MAX)),
            finished_at: outcome.finished_at.map(Timestamp::as_microsecond),
        })
    }

    fn decode(self) -> Result<Option<Outcome>, String> {
        let Some(state) = self.state else {
            return Ok(None);
        };
        let error = self.error.as_deref().map(serde_json::from_str).transpose();
        let finished_at = self
            .finished_at
            .map(Timestamp::from_microsecond)
            .transpose();
        Ok(Some(Outcome {
            state,
            task_id: self.task_id,
            error: error.map_err(|error| error.to_string())?,
            ms: self.ms.unwrap_or_default().unsigned_abs(),
            finished_at: finished_at.map_err(|error| error.to_string())?,
        }))
    }
}

impl StoredDecision {
    /// Returns the decision with its attempts and outcome filled in.
    pub(crate) fn decode(self) -> Result<RouteDecision, StoreError> {
        let unreadable = |error: String| {
            StoreError(format!(
                "stored decision `{}` is not readable: {error}",
                self.id
            ))
        };
        let mut decision: RouteDecision =
            serde_json::from_str(&self.body).map_err(|error| unreadable(error.to_string()))?;
        decision.attempts = Deserializer::from_str(&self.attempts)
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|error| unreadable(error.to_string()))?;
        decision.outcome = self.outcome.decode().map_err(unreadable)?;
        Ok(decision)
    }
}

/// Returns an attempt as one line of the `attempts` column, which grows by plain concatenation.
pub(crate) fn attempt_line(attempt: &Attempt) -> serde_json::Result<String> {
    Ok(serde_json::to_string(attempt)? + "\n")
}
