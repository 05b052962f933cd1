//! Relaying: results and events on their way back, ids rewritten, states noted.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use gateway_protocol::{
    IdKind, Operation, TaskState, splice_metadata,
    translate::Dialect,
    view::{ResultKind, ResultView},
};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::{
    Call, Gateway, Payload, RelayItem, ReplyBody,
    affinity::{self, Ids},
    bridge::{self, Bridge, Converted},
    exchange::{Begun, Events},
    lookup::{self, Lookup},
    push::Unbound,
    stream::Relayed,
    usage,
};
use crate::{
    catalog::{CatalogAgent, Endpoint},
    decision::{OutcomeError, RouteDecision},
    failure::Failure,
    ports::{Note, Said},
    route::ROUTING_EXTENSION,
};

/// Passes the results of one call on to its client.
pub(super) struct Relay {
    pub(super) gateway: Arc<Gateway>,
    pub(super) agent: Arc<CatalogAgent>,
    pub(super) ids: Ids,
    pub(super) seen: Seen,
    operation: Operation,
    /// What the client's JSON is in.
    client: Dialect,
    /// What the agent's JSON is in.
    dialect: Dialect,
    bridge: Bridge,
    caller: String,
    decision: Option<Arc<RouteDecision>>,
    /// What has to be on disk before the next result is passed on.
    pub(super) due: Vec<Note>,
    /// Whether the next result still has to name the decision in its metadata.
    announces: bool,
    /// A webhook that came with the message, until its task is known.
    push: Option<Unbound>,
    /// Asks for a task once more, at the same interface.
    lookup: Lookup,
}

/// What goes to the client for one thing the agent said.
pub(super) struct Passed {
    /// A task that must come first.
    pub(super) opening: Option<Payload>,
    pub(super) payload: Payload,
}

/// What the results so far have said.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) task_id: Option<String>,
    state: Option<TaskState>,
    cost: Option<f64>,
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
        from: (&Endpoint, Bridge),
    ) -> Self {
        let (endpoint, bridge) = from;
        Self {
            gateway: Arc::clone(gateway),
            agent: Arc::clone(agent),
            ids,
            seen: Seen::default(),
            operation: call.operation,
            client: call.dialect,
            dialect: endpoint.dialect(),
            bridge,
            caller: call.caller.binding(),
            decision: None,
            due: Vec::new(),
            announces: false,
            push: None,
            lookup: Lookup::new(call, agent, endpoint),
        }
    }

    /// Names the task that all results are about, as its agent knows it.
    pub(super) fn about(mut self, task_id: String) -> Self {
        self.seen.task_id = Some(task_id);
        self
    }

    /// Binds a webhook that came with the message to the task that results name.
    pub(super) fn with_push(self, push: Option<Unbound>) -> Self {
        Self { push, ..self }
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

    /// Passes a single answer on; a client that asked for a stream gets a result as the only event.
    pub(super) async fn one(mut self, said: &Said) -> Result<ReplyBody, Failure> {
        let passed = self.pass(said).await?;
        match passed.payload {
            payload @ Payload::Result(_) if self.operation.is_streaming() => {
                let events = passed.opening.into_iter().chain([payload]);
                let items: Vec<_> = events.map(RelayItem::unnamed).collect();
                Ok(ReplyBody::Events(stream::iter(items).boxed()))
            }
            payload => Ok(ReplyBody::One(payload)),
        }
    }

    /// Passes a stream on, event by event.
    pub(super) fn stream(self, events: Events, begun: Begun) -> BoxStream<'static, RelayItem> {
        let relayed = Relayed::new(self, events, begun);
        stream::unfold(relayed, |mut relayed| async move {
            Some((relayed.next().await?, relayed))
        })
        .boxed()
    }

    /// Notes what an agent says, shows its ids as the client knows them and speaks the client's version.
    ///
    /// # Errors
    /// When the agent's result has no form in the client's version.
    pub(super) async fn pass(&mut self, said: &Said) -> Result<Passed, Failure> {
        match said {
            Said::Result(result) => self.result(result).await,
            Said::Error(error) => Ok(self.error(error).await),
        }
    }

    async fn result(&mut self, result: &RawValue) -> Result<Passed, Failure> {
        let view = ResultView::read(self.dialect, result);
        if let Some(context) = view
            .context_id
            .as_deref()
            .filter(|_| !self.seen.context_checked)
        {
            self.seen.context_checked = true;
            affinity::recognise_context(&self.gateway, &self.caller, context, &mut self.ids).await;
        }
        // What is lost is known before anything is written, and what is written is so whatever becomes of the result.
        let converted = self.converted(result);
        let news = self.news(&view, result);
        self.keep(news).await;
        self.bind_push(&view).await;
        let Converted { opening, event } = converted?;
        Ok(Passed {
            opening: opening.map(|task| Payload::Result(task.into())),
            payload: Payload::Result(self.announced(event).into()),
        })
    }

    /// Shows a result with the ids and in the words that the client knows.
    fn converted(&mut self, result: &RawValue) -> Result<Converted, Failure> {
        let shown = self.ids.result(self.operation, self.dialect, result);
        let agent = &self.agent.spec.id;
        if self.operation.is_streaming() {
            return self.bridge.event(agent, shown);
        }
        let event = self.bridge.result(agent, self.operation, shown)?;
        Ok(Converted {
            opening: None,
            event,
        })
    }

    /// Names the decision in the metadata of the first result, for a client that asked for it.
    fn announced(&mut self, shown: Vec<u8>) -> Vec<u8> {
        let Some(decision) = self.decision.as_ref().filter(|_| self.announces) else {
            return shown;
        };
        self.announces = false;
        let path = bridge::raw(&shown).map(|raw| ResultView::read(self.client, raw).path);
        let json = serde_json::json!({ "decisionId": decision.id }).to_string();
        splice_metadata(&shown, path.unwrap_or_default(), ROUTING_EXTENSION, &json)
    }

    async fn error(&mut self, error: &RawValue) -> Passed {
        self.seen.settled = true;
        self.seen.over = true;
        self.forget_push().await;
        let end = self.end("error", Some(super::record::agent_error(error)), None);
        self.keep(end).await;
        let shown = self.ids.error(error);
        let shown = self.bridge.error(&shown);
        Passed {
            opening: None,
            payload: Payload::Error(Bytes::from(shown.into_owned())),
        }
    }

    /// Asks the agent what became of a task whose stream has ended without saying so. Returns the event that says it,
    /// which is the task itself where nothing came before; `None` while the task goes on or cannot be got.
    pub(super) async fn last_event(&self, is_first: bool) -> Option<Said> {
        let task_id = self.seen.task_id.as_deref()?;
        let task = self.lookup.task(&self.gateway, task_id).await?;
        let state = ResultView::read(self.dialect, &task).state?;
        if !state.is_terminal() && !state.is_interrupted() {
            return None;
        }
        let event = if is_first {
            lookup::as_event(self.dialect, &task)
        } else {
            lookup::closing_event(self.dialect, &task, self.client)?
        };
        Some(Said::Result(event))
    }

    /// Notes the end of a decision that is no state of a task.
    pub(super) async fn note_end(&self, state: &'static str, error: Option<OutcomeError>) {
        if let Some(note) = self.end(state, error, None) {
            self.gateway.note(note).await;
        }
    }

    fn end(
        &self,
        state: &'static str,
        error: Option<OutcomeError>,
        cost: Option<f64>,
    ) -> Option<Note> {
        let decision = self.decision.as_ref()?.id.clone();
        Some(Note::Ended {
            decision,
            state,
            error,
            cost,
            at: Timestamp::now(),
        })
    }

    /// Returns the skill that the agent was chosen for.
    pub(super) fn skill(&self) -> Option<&str> {
        self.decision.as_ref()?.chosen()?.skill.as_deref()
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
            let decision = self.decision.as_ref();
            notes.extend(decision.and_then(|decision| self.bridge.losses_of(&decision.id)));
            notes.extend(news);
            self.gateway.settle(notes).await;
        } else if let Some(note) = news {
            self.gateway.note(note).await;
        }
    }

    /// Takes in what a result says, and returns what is to be noted of it.
    fn news(&mut self, view: &ResultView<'_>, result: &RawValue) -> Option<Note> {
        let spec = &self.agent.spec;
        let cost = usage::cost(&spec.id, &spec.cost, (view, result));
        let message = view.kind == Some(ResultKind::Message);
        self.seen.over |= view.is_terminal();
        self.seen.settled |= message || view.is_final;
        if let Some(state) = view.state {
            self.seen.settled =
                message || view.is_final || state.is_terminal() || state.is_interrupted();
        }
        if message && view.task_id.is_none() {
            return self.end("message", None, cost);
        }
        let task_id = view.task_id.as_deref()?;
        self.seen.task_id = Some(task_id.to_owned());
        self.next_note(task_id, view, cost)
    }

    /// Binds the webhook that came with the message to its task, or drops it when no task came of it.
    async fn bind_push(&mut self, view: &ResultView<'_>) {
        let Some(task_id) = view.task_id.as_deref() else {
            if view.kind == Some(ResultKind::Message) {
                self.forget_push().await;
            }
            return;
        };
        if let Some(push) = self.push.take() {
            let shown = self.ids.outward(IdKind::Task, task_id);
            let shown = shown.unwrap_or_else(|| task_id.to_owned());
            let agent = &self.agent.spec.id;
            push.bind(&self.gateway, agent, (task_id, shown)).await;
        }
    }

    async fn forget_push(&mut self) {
        if let Some(push) = self.push.take() {
            push.forget(&self.gateway).await;
        }
    }

    /// Returns what is new about the task: its link to the decision at first, then each change of state.
    fn next_note(
        &mut self,
        task_id: &str,
        view: &ResultView<'_>,
        cost: Option<f64>,
    ) -> Option<Note> {
        let moved = view.state.is_some() && view.state != self.seen.state;
        let priced = cost.is_some() && cost != self.seen.cost && self.seen.state.is_some();
        self.seen.cost = cost.or(self.seen.cost);
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
                    version: self.dialect.version(),
                    state: state.as_str().to_owned(),
                    cost,
                    at,
                })
            }
            _ if moved || priced => Some(Note::State {
                agent,
                task_id,
                state: state.as_str().to_owned(),
                terminal: state.is_terminal(),
                cost,
                at,
            }),
            _ => None,
        }
    }
}
