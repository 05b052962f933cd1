//! Streams of events, out of whatever they arrive in.

use std::collections::VecDeque;

use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use gateway_core::ports::{AgentEvent, AttemptError};

/// Reads each item of a stream up to the first that cannot be read, which ends it and closes the connection.
/// One item may stand for several events.
pub(super) fn read<T: Send + 'static>(
    items: BoxStream<'static, Result<T, AttemptError>>,
    read: impl FnMut(T) -> Result<Vec<AgentEvent>, AttemptError> + Send + 'static,
) -> BoxStream<'static, Result<AgentEvent, AttemptError>> {
    let reading = Reading {
        items: Some(items),
        read,
        ready: VecDeque::new(),
    };
    stream::unfold(reading, async |mut reading| {
        reading.next().await.map(|event| (event, reading))
    })
    .boxed()
}

struct Reading<T, F> {
    /// Absent once the stream has ended.
    items: Option<BoxStream<'static, Result<T, AttemptError>>>,
    read: F,
    ready: VecDeque<AgentEvent>,
}

impl<T, F: FnMut(T) -> Result<Vec<AgentEvent>, AttemptError>> Reading<T, F> {
    async fn next(&mut self) -> Option<Result<AgentEvent, AttemptError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            match self.items.as_mut()?.next().await?.and_then(&mut self.read) {
                Ok(events) => self.ready.extend(events),
                Err(error) => {
                    self.items = None;
                    return Some(Err(error));
                }
            }
        }
    }
}
