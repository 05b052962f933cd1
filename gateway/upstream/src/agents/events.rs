//! Streams of events, out of whatever they arrive in.

use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use gateway_core::ports::{AgentEvent, AttemptError};

/// Reads each item of a stream up to the first that cannot be read, which ends it and closes the connection.
pub(super) fn read<T: Send + 'static>(
    items: BoxStream<'static, Result<T, AttemptError>>,
    read: impl FnMut(T) -> Result<AgentEvent, AttemptError> + Send + 'static,
) -> BoxStream<'static, Result<AgentEvent, AttemptError>> {
    stream::unfold((Some(items), read), async |(items, mut read)| {
        let mut items = items?;
        let event = items.next().await?.and_then(&mut read);
        let rest = event.is_ok().then_some(items);
        Some((event, (rest, read)))
    })
    .boxed()
}
