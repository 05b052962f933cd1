//! Relaying: results and events on their way back, ids rewritten, states noted.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use gateway_protocol::{
    Operation, TaskState, Version, splice_metadata,
    view::{ResultKind, ResultView},
};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::{
    Call, Gateway, Payload, RelayItem, ReplyBody,
    affinity::{self, Ids},
    exchange::Events,
    stream::Relayed,
};
use crate::{
    catalog::CatalogAgent,
    decision::{OutcomeError, RouteDecision},
    ports::Note,
    route::ROUTING_EXTENSION,
};

/// Passes the results of one call on to its client.
pub(super) struct Relay {
    pub(super) gateway: Arc<Gateway>,
    pub(super) agent: Arc<CatalogAgent>,
    pub(super) ids: Ids,
    pub(super) seen: Seen,
    operation: Operation,
    version: Version,
    caller: String,
    decision: Option<Arc<RouteDecision>>,
    /// What has to be on disk before the next result is passed on.
    pub(super) due: Vec<Note>,
    /// Whether the next result still has to name the decision in its metadata.
    announces: bool,
}

/// What the results so far have said.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) task_id: Option<String>,
    state: Option<TaskState>,
    context_checked: bool,
    linked: bool,
    kept: bool,
    /// Whether an end of the stream is a proper end: after a message, an error, a task that has ended or
    /// waits for its client.
    pub(super) settled: bool,
    /// Whether the task has ended, so that nothing that happens to the stream afterwards matters.
    pub(super) over: bool,
}

impl Relay {
    pub(super) fn new(
        gateway: &Arc<Gateway>,
        call: &Call,
        agent: &Arc<CatalogAgent>,
        ids: Ids,
    ) -> Self {
        Self {
            gateway: Arc::clone(gateway),
            agent: Arc::clone(agent),
            ids,
            seen: Seen::default(),
            operation: call.operation,
            version: call.version,
            caller: call.caller.binding(),
            decision: None,
            due: Vec::new(),
            announces: false,
        }
    }

    /// Notes what the results say as the outcome of a decision. A client that activated the routing
    /// extension is told the decision in the first result's metadata.
    pub(super) fn for_decision(self, decision: &Arc<RouteDecision>, call: &Call) -> Self {
        // A send knows from its request whether the client made the context.
        let seen = Seen {
            context_checked: true,
            ..self.seen
        };
        Self {
            decision: Some(Arc::clone(decision)),
            announces: call.extensions.iter().any(|uri| uri == ROUTING_EXTENSION),
            seen,
            ..self
        }
    }

    /// Passes a single result on; a client that asked for a stream gets it as the only event.
    pub(super) async fn one(mut self, result: &RawValue) -> ReplyBody {
        let payload = self.result(result).await;
        if self.operation.is_streaming() {
            let event = RelayItem::Event {
                name: None,
                id: None,
                payload,
            };
            ReplyBody::Events(stream::iter([event]).boxed())
        } else {
            ReplyBody::One(payload)
        }
    }

    /// Passes a stream on, event by event.
    pub(super) fn stream(self, events: Events) -> BoxStream<'static, RelayItem> {
        let relayed = Relayed::new(self, events);
        stream::unfold(relayed, |mut relayed| async move {
            Some((relayed.next().await?, relayed))
        })
        .boxed()
    }

    /// Notes what a result says and rewrites its ids.
    pub(super) async fn result(&mut self, result: &RawValue) -> Payload {
        let view = ResultView::read(self.version, result);
        if let Some(context) = view
            .context_id
            .as_deref()
            .filter(|_| !self.seen.context_checked)
        {
            self.seen.context_checked = true;
            affinity::recognise_context(&self.gateway, &self.caller, context, &mut self.ids).await;
        }
        let news = self.news(&view);
        self.keep(news).await;
        let shown = self.ids.result(self.operation, self.version, result);
        Payload::Result(Bytes::from(match self.announcement() {
            Some(json) => splice_metadata(&shown, view.path, ROUTING_EXTENSION, &json),
            None => shown,
        }))
    }

    fn announcement(&mut self) -> Option<String> {
        let decision = self.decision.as_ref().filter(|_| self.announces)?;
        self.announces = false;
        Some(serde_json::json!({ "decisionId": decision.id }).to_string())
    }

    /// Rewrites the ids in an agent's error and notes it as the end.
    pub(super) async fn error(&mut self, error: &RawValue) -> Payload {
        self.seen.settled = true;
        self.seen.over = true;
        self.note_end("error", Some(super::send::agent_error(error)))
            .await;
        Payload::Error(Bytes::from(self.ids.error(error)))
    }

    /// Notes the end of a decision that is no state of a task.
    pub(super) async fn note_end(&self, state: &'static str, error: Option<OutcomeError>) {
        if let Some(note) = self.end(state, error) {
            self.gateway.note(note).await;
        }
    }

    fn end(&self, state: &'static str, error: Option<OutcomeError>) -> Option<Note> {
        let decision = self.decision.as_ref()?.id.clone();
        Some(Note::Ended {
            decision,
            state,
            error,
            at: Timestamp::now(),
        })
    }

    /// Returns the id of the decision behind the results.
    pub(super) fn decision_id(&self) -> Option<String> {
        self.decision.as_ref().map(|decision| decision.id.clone())
    }

    /// Writes what the first result says before that result is passed on, so that a killed gateway knows of
    /// every task that its clients know. What later results add is queued.
    async fn keep(&mut self, news: Option<Note>) {
        let first = self.decision.is_some() && !std::mem::replace(&mut self.seen.kept, true);
        if first || matches!(news, Some(Note::Task { .. })) {
            let mut notes = std::mem::take(&mut self.due);
            notes.extend(news);
            self.gateway.settle(notes).await;
        } else if let Some(note) = news {
            self.gateway.note(note).await;
        }
    }

    /// Takes in what a result says, and returns what is to be noted of it.
    fn news(&mut self, view: &ResultView<'_>) -> Option<Note> {
        let message = view.kind == Some(ResultKind::Message);
        self.seen.over |= view.is_terminal();
        self.seen.settled |= message || view.is_final;
        if let Some(state) = view.state {
            self.seen.settled =
                message || view.is_final || state.is_terminal() || state.is_interrupted();
        }
        if message && view.task_id.is_none() {
            return self.end("message", None);
        }
        let task_id = view.task_id.as_deref()?;
        self.seen.task_id = Some(task_id.to_owned());
        self.next_note(task_id, view)
    }

    /// Returns what is new about the task: its link to the decision at first, then each change of state.
    fn next_note(&mut self, task_id: &str, view: &ResultView<'_>) -> Option<Note> {
        let changed = view.state.is_some() && view.state != self.seen.state;
        self.seen.state = view.state.or(self.seen.state);
        let state = self.seen.state.unwrap_or(TaskState::Unknown);
        let (agent, task_id) = (self.agent.spec.id.clone(), task_id.to_owned());
        let at = Timestamp::now();
        match &self.decision {
            Some(decision) if !self.seen.linked => {
                self.seen.linked = true;
                Some(Note::Task {
                    decision: decision.id.clone(),
                    agent,
                    task_id,
                    context_id: view.context_id.as_deref().map(str::to_owned),
                    caller: self.caller.clone(),
                    version: self.version,
                    state: state.as_str().to_owned(),
                    at,
                })
            }
            _ if changed => Some(Note::State {
                agent,
                task_id,
                state: state.as_str().to_owned(),
                terminal: state.is_terminal(),
                at,
            }),
            _ => None,
        }
    }
}
