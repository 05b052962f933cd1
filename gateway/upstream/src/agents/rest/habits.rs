//! Which of two forms of a request an agent takes, where agents differ.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use gateway_core::{agent::AgentId, ports::AgentRequest};
use gateway_protocol::{Operation, Version, rest};

use crate::agents::http::{Body, HttpAnswer};

/// Statuses that between them ask for the other form of any request that has one.
const ASKING: [u16; 2] = [405, 422];

/// Remembers the agents that take the other form. Clones share what they know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits(Arc<Mutex<HashSet<Habit>>>);

type Habit = (AgentId, Version, Operation);

impl Habits {
    /// Tells whether the agent took the other form the last time.
    pub(super) fn prefers_other(&self, request: &AgentRequest) -> bool {
        self.known().contains(&habit(request))
    }

    /// Remembers the form that the agent took.
    pub(super) fn remember(&self, request: &AgentRequest, other: bool) {
        if other {
            self.known().insert(habit(request));
        } else {
            self.known().remove(&habit(request));
        }
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Habit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn habit(request: &AgentRequest) -> Habit {
    (
        request.agent.id.clone(),
        request.endpoint.version,
        request.operation,
    )
}

/// Returns the other form of a request, if it has one.
pub(super) fn other_form(usual: &rest::HttpRequest) -> Option<rest::HttpRequest> {
    ASKING
        .into_iter()
        .find_map(|status| usual.alternative(status))
}

/// Tells whether an answer can mean that the agent does not know this form. A 404 that the agent explains is
/// about the task.
pub(super) fn asks_for_other(
    usual: &rest::HttpRequest,
    operation: Operation,
    answer: &HttpAnswer,
) -> bool {
    usual.alternative(answer.status).is_some()
        && !(answer.status == 404 && is_explained(operation, answer))
}

/// Returns the answer that says more: a success, or else the first one that is an error of the protocol.
pub(super) fn more_telling(
    operation: Operation,
    first: HttpAnswer,
    second: HttpAnswer,
) -> HttpAnswer {
    if !second.is_success() && is_explained(operation, &first) {
        first
    } else {
        second
    }
}

fn is_explained(operation: Operation, answer: &HttpAnswer) -> bool {
    match &answer.body {
        Body::Whole(body) => rest::error_from(operation, answer.status, body)
            .malformed
            .is_none(),
        Body::Events(_) => false,
    }
}
