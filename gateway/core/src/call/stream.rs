//! One relayed stream: every event as it arrives, and an error where the agent breaks off early.
//!
//! Some agents end their streams in order and leave the last state of the task out; it is asked for then.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use gateway_protocol::IdKind;
use tokio::time::Instant;

use super::{
    Payload, RelayItem, doubt,
    exchange::{Begun, Events},
    record::outcome_error,
    relay::Relay,
};
use crate::{
    decision::Attempt,
    failure::Failure,
    ports::{AgentEvent, AttemptError, Note, Said},
    stats::{InFlight, Mode},
};

/// A stream on its way to a client. Dropping it, as when the client leaves, closes the agent's stream
/// and cancels nothing else: the task goes on.
pub(super) struct Relayed {
    relay: Relay,
    items: BoxStream<'static, Result<AgentEvent, AttemptError>>,
    begun: Begun,
    waiting: VecDeque<RelayItem>,
    started: bool,
    ended: bool,
    /// What the record says of the stream.
    attempt: Option<Attempt>,
    place: Option<InFlight>,
}

impl Relayed {
    pub(super) fn new(relay: Relay, events: Events, begun: Begun) -> Self {
        let Events { items, place } = events;
        Self {
            relay,
            items,
            begun,
            waiting: VecDeque::new(),
            started: false,
            ended: false,
            attempt: None,
            place: Some(place),
        }
    }

    /// Returns the next item for the client; `None` at the proper end.
    pub(super) async fn next(&mut self) -> Option<RelayItem> {
        if let Some(waiting) = self.waiting.pop_front() {
            return Some(waiting);
        }
        if self.ended {
            return None;
        }
        match self.items.next().await {
            Some(Ok(AgentEvent::Comment(text))) => Some(RelayItem::Comment(text)),
            Some(Ok(AgentEvent::Event { name, id, said })) => {
                let payload = self.event(&said).await;
                self.waiting
                    .push_back(RelayItem::Event { name, id, payload });
                self.waiting.pop_front()
            }
            Some(Err(error)) => self.end(Some(&error)).await,
            None => self.finish().await,
        }
    }

    /// Passes an event on; what must come before it is put in line.
    async fn event(&mut self, said: &Said) -> Payload {
        self.start().await;
        let observer = &self.relay.gateway.observer;
        observer.stream_event(&self.relay.agent.spec.id);
        doubt::after_answer(&self.relay.gateway.registry, &self.relay.agent, said);
        match self.relay.pass(said).await {
            Ok(passed) => {
                self.waiting.extend(passed.opening.map(RelayItem::unnamed));
                passed.payload
            }
            Err(failure) => self.fail(failure).await,
        }
    }

    /// Measures the first event.
    async fn start(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let took = self.begun.instant.elapsed();
        self.relay
            .agent
            .stats
            .answered(Mode::Stream, took, Instant::now());
        if let Some(skill) = self.relay.skill() {
            let stats = &self.relay.agent.stats;
            stats.answered_by(skill, Mode::Stream, took);
        }
        self.note_attempt(None).await;
    }

    /// Ends a stream that the agent has ended in order.
    async fn finish(&mut self) -> Option<RelayItem> {
        if !self.relay.seen.settled {
            // The stream takes its place no more, which may have been the only one.
            self.items = stream::empty().boxed();
            self.place = None;
            if let Some(last) = self.relay.last_event(!self.started).await {
                let payload = self.event(&last).await;
                self.ended = true;
                self.waiting.push_back(RelayItem::unnamed(payload));
                return self.waiting.pop_front();
            }
        }
        self.end(None).await
    }

    async fn end(&mut self, cause: Option<&AttemptError>) -> Option<RelayItem> {
        self.ended = true;
        let proper = if cause.is_some() {
            self.relay.seen.over
        } else {
            self.relay.seen.settled
        };
        if proper {
            return None;
        }
        let task_id = self.relay.seen.task_id.as_deref();
        let shown = task_id.map(|id| {
            self.relay
                .ids
                .outward(IdKind::Task, id)
                .unwrap_or_else(|| id.to_owned())
        });
        let failure = Failure::truncated(&self.relay.agent.spec.id, shown.as_deref(), cause);
        let payload = self.fail(failure).await;
        Some(RelayItem::unnamed(payload))
    }

    /// Ends the stream with an error of the gateway's own.
    async fn fail(&mut self, failure: Failure) -> Payload {
        self.ended = true;
        self.relay.agent.stats.failed(Instant::now());
        tracing::warn!(
            agent.id = %self.relay.agent.spec.id,
            decision.id = self.relay.decision_id().as_deref().unwrap_or("-"),
            "a stream was cut: {}",
            failure.error.message
        );
        self.note_attempt(Some(&failure)).await;
        self.relay
            .note_end(failure.kind, Some(outcome_error(&failure)))
            .await;
        let failure = match self.relay.decision_id() {
            Some(id) => failure.of_decision(&id),
            None => failure,
        };
        Payload::Error(Bytes::from(serde_json::json!(failure.error).to_string()))
    }

    async fn note_attempt(&mut self, failure: Option<&Failure>) {
        if let Some(decision) = self.relay.decision_id() {
            let mut attempt = self.begun.attempt(&self.relay.agent, "stream", failure);
            if let Some(first) = &self.attempt {
                attempt.ms = first.ms;
            }
            self.attempt = Some(attempt.clone());
            self.relay
                .gateway
                .note(Note::Attempt { decision, attempt })
                .await;
        }
    }
}
