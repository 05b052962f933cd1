//! The record of a message: the decision when it is made, and notes of what becomes of it.

use gateway_protocol::view::ErrorView;
use jiff::Timestamp;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Call, Gateway, course::Course};
use crate::{
    catalog::Catalog,
    decision::{Attempt, Outcome, OutcomeError, RequestSummary, RouteDecision, Versions},
    failure::Failure,
    ports::Note,
    route::{Choice, Features},
};

/// Longest message of an agent's error that is kept in a record, in characters.
const MAX_ERROR: usize = 1024;

impl Gateway {
    /// Queues a note. A store that has stopped is logged: the answer itself is already safe.
    pub(crate) async fn note(&self, note: Note) {
        if let Err(error) = self.store.note(note).await {
            tracing::error!(error = %error, "what became of a decision could not be recorded");
        }
    }

    /// Writes notes, and all that was handed in before, before it returns. Notes that cannot be written are
    /// logged: the agent has done the work, and its answer is worth more than what is said of it.
    pub(super) async fn settle(&self, notes: Vec<Note>) {
        if let Err(error) = self.store.settle(notes).await {
            tracing::error!(error = %error, "what became of a decision could not be recorded");
        }
    }

    /// Builds the record of a choice.
    pub(super) fn decision(
        &self,
        call: &Call,
        with: (&Catalog, Course<'_>),
        features: &Features,
        choice: &Choice,
    ) -> RouteDecision {
        let (catalog, course) = with;
        let profile = course.profile;
        let request = RequestSummary {
            text: self.record_text.then(|| features.text.clone()),
            binding: Some(call.binding),
            ..features.summary()
        };
        RouteDecision {
            id: Uuid::now_v7().to_string(),
            at: Timestamp::now(),
            kind: choice.kind,
            caller: call.caller.clone(),
            operation: call.operation.name().to_owned(),
            client_version: call.version,
            request,
            rule: course.verdict.record(),
            versions: Versions {
                config: self.config_version.clone(),
                catalog: catalog.version().to_owned(),
                profile: profile.version().to_owned(),
                fit: self.fit.version(),
            },
            weights: profile.weights,
            trace_id: Some(call.trace.trace_id().to_owned()),
            candidates: choice.candidates.clone(),
            unlisted: choice.unlisted.clone(),
            margin: choice.margin,
            propensity: choice.propensity,
            exploration: choice.exploration.clone(),
            ambiguity: choice.ambiguity.clone(),
            shadow: choice.shadow.clone(),
            attempts: Vec::new(),
            outcome: None,
            feedback: None,
        }
    }
}

/// Returns the outcome of a message that went to nobody.
pub(super) fn not_sent(at: Timestamp) -> Outcome {
    Outcome {
        state: "not_sent".to_owned(),
        task_id: None,
        error: None,
        cost: None,
        ms: 0,
        finished_at: Some(at),
    }
}

pub(super) fn attempted(decision: &RouteDecision, attempt: Attempt) -> Note {
    Note::Attempt {
        decision: decision.id.clone(),
        attempt,
    }
}

pub(super) fn ended(
    decision: &RouteDecision,
    state: &'static str,
    error: Option<OutcomeError>,
) -> Note {
    Note::Ended {
        decision: decision.id.clone(),
        state,
        error,
        cost: None,
        at: Timestamp::now(),
    }
}

pub(super) fn outcome_error(failure: &Failure) -> OutcomeError {
    OutcomeError {
        code: failure.error.code().into(),
        message: failure.error.message.clone(),
    }
}

pub(super) fn agent_error(error: &RawValue) -> OutcomeError {
    let view = ErrorView::read(error);
    OutcomeError {
        code: view.code.unwrap_or_default(),
        message: view
            .message
            .unwrap_or_default()
            .chars()
            .take(MAX_ERROR)
            .collect(),
    }
}
