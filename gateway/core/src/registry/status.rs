//! How the state of an agent follows from what fetching its card brought.

use std::sync::Arc;

use jiff::Timestamp;

use super::judge::{Judgement, judge};
use crate::{
    agent::AgentSpec,
    catalog::{AcceptedCard, AgentState, CardStatus},
    ports::CardFetch,
};

impl CardStatus {
    /// Returns the status after a fetch; when the next one is due is not known here.
    pub(super) fn after(&self, spec: &AgentSpec, fetch: CardFetch, now: Timestamp) -> Self {
        let mut tried = fetch.tried;
        let last = self.accepted.as_deref();
        let judged = fetch.result.map(|fetched| judge(spec, &fetched, last, now));
        let (state, accepted, problem) = match judged {
            Ok(Judgement::Accept(card)) => (AgentState::Ready, Some(Arc::new(card)), None),
            Ok(Judgement::Refuse(problem)) => {
                if let Some(place) = tried.last_mut() {
                    "a card, which is refused".clone_into(&mut place.outcome);
                }
                self.without_card(problem, now)
            }
            Err(problem) => self.without_card(problem, now),
        };
        log_change(spec, self.state, state, problem.as_deref());
        Self {
            state,
            accepted,
            problem,
            tried,
            checked_at: Some(now),
            next_fetch_at: None,
        }
    }

    /// The last good card goes on while it may.
    fn without_card(
        &self,
        problem: String,
        now: Timestamp,
    ) -> (AgentState, Option<Arc<AcceptedCard>>, Option<String>) {
        let usable = |card: &Arc<AcceptedCard>| now <= card.usable_until();
        let kept = self.accepted.clone().filter(usable);
        let state = match kept {
            Some(_) => AgentState::Stale,
            None => AgentState::Unavailable,
        };
        (state, kept, Some(problem))
    }
}

fn log_change(spec: &AgentSpec, last: AgentState, state: AgentState, problem: Option<&str>) {
    if last == state {
        return;
    }
    let (id, state) = (&spec.id, state.as_str());
    match problem {
        None => tracing::info!(agent.id = %id, agent.state = state, "agent `{id}` is {state}"),
        Some(problem) => {
            tracing::warn!(agent.id = %id, agent.state = state, "agent `{id}` is {state}: {problem}");
        }
    }
}
