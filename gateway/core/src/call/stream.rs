//! One relayed stream: every event as it arrives, and an error where the agent breaks off early.

use bytes::Bytes;
use futures_util::{StreamExt as _, stream::BoxStream};
use gateway_protocol::{
    IdKind,
    jsonrpc::{Outcome, Response},
    sse,
    view::ErrorView,
};
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{
    Payload, RelayItem,
    exchange::{Begun, Events},
    relay::Relay,
    send::outcome_error,
};
use crate::{
    failure::Failure,
    ports::{AttemptError, Note},
    stats::{InFlight, Mode},
};

/// A stream on its way to a client. Dropping it, as when the client leaves, closes the agent's stream
/// and cancels nothing else: the task goes on.
pub(super) struct Relayed {
    relay: Relay,
    items: BoxStream<'static, Result<sse::Item, AttemptError>>,
    begun: Begun,
    started: bool,
    ended: bool,
    _place: InFlight,
}

impl Relayed {
    pub(super) fn new(relay: Relay, events: Events) -> Self {
        let Events {
            items,
            place,
            begun,
        } = events;
        Self {
            relay,
            items,
            begun,
            started: false,
            ended: false,
            _place: place,
        }
    }

    /// Returns the next item for the client; `None` at the proper end.
    pub(super) async fn next(&mut self) -> Option<RelayItem> {
        if self.ended {
            return None;
        }
        match self.items.next().await {
            Some(Ok(sse::Item::Comment(text))) => Some(RelayItem::Comment(text)),
            Some(Ok(sse::Item::Event(event))) => Some(self.event(event).await),
            Some(Err(error)) => self.end(Some(&error)).await,
            None => self.end(None).await,
        }
    }

    async fn event(&mut self, event: sse::Event) -> RelayItem {
        let payload = match Response::parse(&event.data) {
            Ok(response) => {
                self.start().await;
                match response.outcome {
                    Outcome::Result(result) => self.relay.result(result).await,
                    Outcome::Error(error) => self.relay.error(error).await,
                }
            }
            Err(malformed) => match bare_error(&event) {
                Some(error) => self.relay.error(error).await,
                None => {
                    let found = format!("a stream event with {malformed}");
                    let agent = &self.relay.agent.spec.id;
                    self.fail(Failure::malformed(agent, 200, &found)).await
                }
            },
        };
        self.relay
            .gateway
            .observer
            .stream_event(&self.relay.agent.spec.id);
        RelayItem::Event {
            name: event.name,
            id: event.id,
            payload,
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
        self.note_attempt(None).await;
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
        Some(RelayItem::Event {
            name: None,
            id: None,
            payload,
        })
    }

    /// Ends the stream with an error of the gateway's own.
    async fn fail(&mut self, failure: Failure) -> Payload {
        self.ended = true;
        self.relay.agent.stats.failed(Instant::now());
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
            let attempt = self.begun.attempt(&self.relay.agent, "stream", failure);
            self.relay
                .gateway
                .note(Note::Attempt { decision, attempt })
                .await;
        }
    }
}

/// Reads the error object that some agents send bare in an event named `error`.
fn bare_error(event: &sse::Event) -> Option<&RawValue> {
    if event.name.as_deref() != Some("error") {
        return None;
    }
    let error: &RawValue = serde_json::from_slice(&event.data).ok()?;
    ErrorView::read(error).code.map(|_| error)
}
