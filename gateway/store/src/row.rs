//! Decisions and notes as columns, and decisions back. Nothing here depends on one database.

mod attempts;
mod body;
mod note;

use std::fmt::Display;

use gateway_core::{
    decision::{Candidate, DecisionKind, Outcome, RouteDecision, Verdict},
    ports::StoreError,
};
use jiff::Timestamp;
use serde::Serialize;

use attempts::attempt_line;
pub(crate) use note::NoteRow;

/// A decision ready to be written. It is made by the caller, so that the writer does nothing but SQL.
#[derive(Debug, Serialize)]
pub(crate) struct DecisionRow {
    #[serde(rename = "decision")]
    pub(crate) id: String,
    /// Microseconds since 1970, like all times in the tables.
    pub(crate) at: i64,
    pub(crate) caller: String,
    pub(crate) attempts: String,
    #[serde(flatten)]
    pub(crate) outcome: OutcomeColumns,
    /// The agent it teaches about.
    #[serde(rename = "agent")]
    pub(crate) teaches: Option<String>,
    /// Of that agent; empty where none was named.
    pub(crate) skill: String,
    /// The verdict of each agent.
    #[serde(skip)]
    pub(crate) candidates: Vec<(String, Verdict)>,
    /// The decision as made, in the form that [`body`] gives it.
    #[serde(skip)]
    pub(crate) body: Vec<u8>,
}

/// An outcome as columns; all absent while nothing is known.
#[derive(Debug, Default, Serialize, sqlx::FromRow)]
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
    pub(crate) cost: Option<f64>,
}

/// A decision as read.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct StoredDecision {
    pub(crate) id: String,
    body: Vec<u8>,
    attempts: String,
    #[sqlx(flatten)]
    outcome: OutcomeColumns,
    feedback: Option<String>,
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
            Ok((attempts, outcome, serde_json::to_vec(decision)?))
        };
        let failed = |how: &str, error: &dyn Display| {
            StoreError(format!(
                "decision `{}` cannot be {how}: {error}",
                decision.id
            ))
        };
        let (attempts, outcome, json) =
            encoded().map_err(|error| failed("written as JSON", &error))?;
        let body = body::encode(json).map_err(|error| failed("compressed", &error))?;
        let candidate = |candidate: &Candidate| (candidate.agent.to_string(), candidate.verdict);
        // What continues a task says nothing that the decision which began it does not learn as well.
        let teacher = decision
            .chosen()
            .filter(|_| decision.kind != DecisionKind::Owner);
        Ok(Self {
            id: decision.id.clone(),
            at: decision.at.as_microsecond(),
            caller: decision.caller.subject.clone(),
            attempts,
            outcome: outcome.unwrap_or_default(),
            teaches: teacher.map(|chosen| chosen.agent.to_string()),
            skill: teacher
                .and_then(|chosen| chosen.skill.clone())
                .unwrap_or_default(),
            candidates: decision.candidates.iter().map(candidate).collect(),
            body,
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
            cost: outcome.cost,
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
            cost: self.cost,
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
        let json = body::decode(&self.body).map_err(unreadable)?;
        let mut decision: RouteDecision =
            serde_json::from_slice(&json).map_err(|error| unreadable(error.to_string()))?;
        decision.attempts =
            attempts::read(&self.attempts).map_err(|error| unreadable(error.to_string()))?;
        decision.outcome = self.outcome.decode().map_err(unreadable)?;
        let feedback = self.feedback.as_deref().map(serde_json::from_str);
        decision.feedback = feedback
            .transpose()
            .map_err(|error| unreadable(error.to_string()))?;
        Ok(decision)
    }
}
