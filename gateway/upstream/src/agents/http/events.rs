//! Relays a stream of events as it arrives, at the pace of whoever reads it.

mod boundary;

use bytes::BytesMut;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use gateway_core::ports::AttemptError;
use gateway_protocol::sse::{Event, Item, Parser};
use reqwest::Response;
use tokio::time::timeout;

use self::boundary::Boundary;
use super::body::BYTE_ORDER_MARK;
use crate::agents::exchange::Exchange;

/// Returns the events of a response of which `start` was read before.
///
/// Nothing is read ahead of the reader, and dropping the stream closes the connection. Complete events come
/// before the error that ends a broken stream.
pub(super) fn relay(
    response: Response,
    start: &[u8],
    exchange: Exchange,
) -> BoxStream<'static, Result<Item, AttemptError>> {
    let mut relay = Relay {
        response: Some(response),
        opening: Some(BytesMut::new()),
        parser: Parser::new(exchange.limits().max_event_bytes),
        boundary: Boundary::default(),
        exchange,
    };
    relay.take(start);
    stream::unfold(relay, async |mut relay| {
        relay.next().await.map(|item| (item, relay))
    })
    .boxed()
}

/// Tells whether a body begins like JSON or HTML, as no event does, or has not begun yet.
fn is_document(opening: &[u8]) -> bool {
    let text = opening
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(opening)
        .trim_ascii_start();
    matches!(text.first(), None | Some(b'{' | b'[' | b'<'))
}

struct Relay {
    /// Absent once the stream has ended.
    response: Option<Response>,
    /// The first bytes, while they do not tell yet whether these are events at all.
    opening: Option<BytesMut>,
    parser: Parser,
    boundary: Boundary,
    exchange: Exchange,
}

impl Relay {
    async fn next(&mut self) -> Option<Result<Item, AttemptError>> {
        loop {
            match self.parser.next_item() {
                Some(Ok(item)) => return Some(Ok(item)),
                Some(Err(_)) => return self.break_off(|exchange| exchange.event_too_large()),
                None => {}
            }
            let response = self.response.as_mut()?;
            match timeout(self.exchange.limits().stream_idle, response.chunk()).await {
                Err(_) => return self.break_off(Exchange::idle),
                Ok(Err(error)) => return self.break_off(|exchange| exchange.failed(&error)),
                Ok(Ok(Some(chunk))) => self.take(&chunk),
                Ok(Ok(None)) => return self.end(),
            }
        }
    }

    fn take(&mut self, chunk: &[u8]) {
        let Some(opening) = &mut self.opening else {
            self.parser.push(chunk);
            self.boundary.pass(chunk);
            return;
        };
        opening.extend_from_slice(chunk);
        if opening.len() > self.exchange.limits().max_event_bytes || !is_document(opening) {
            let opening = std::mem::take(opening);
            self.opening = None;
            if !opening.is_empty() {
                self.take(&opening);
            }
        }
    }

    /// Takes a body that calls itself a stream and is a document for a single event: agents answer a stream
    /// with a plain JSON error so.
    fn document(&mut self) -> Option<Item> {
        let data = self
            .opening
            .take()
            .filter(|opening| !opening.trim_ascii().is_empty())?;
        Some(Item::Event(Event {
            data: data.freeze(),
            ..Event::default()
        }))
    }

    /// Ends where the agent ended: between events, or after a last one without its blank line.
    fn end(&mut self) -> Option<Result<Item, AttemptError>> {
        self.response = None;
        if let Some(document) = self.document() {
            return Some(Ok(document));
        }
        match self.parser.finish() {
            Some(event) => Some(Ok(Item::Event(event))),
            None if self.boundary.is_inside_event() => Some(Err(self.exchange.cut())),
            None => None,
        }
    }

    /// Reports an error and ends the stream, if it has not ended before.
    fn break_off(
        &mut self,
        error: impl FnOnce(&Exchange) -> AttemptError,
    ) -> Option<Result<Item, AttemptError>> {
        self.response.take()?;
        Some(Err(error(&self.exchange)))
    }
}
