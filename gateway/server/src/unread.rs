//! Streams whose client does not read: closed after a while, so that they do not hold a place at the agent for good.

use std::time::Duration;

use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use gateway_core::RelayItem;
use tokio::sync::mpsc;

/// Events that are read ahead of the client. More would only be memory; what is on its way is buffered below.
const AHEAD: usize = 1;

/// Passes a stream on until an event has waited for longer than `limit`. It then ends without a last word, as whoever
/// does not read would not read that either.
pub(crate) fn limited(
    items: BoxStream<'static, RelayItem>,
    limit: Duration,
) -> BoxStream<'static, RelayItem> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::spawn(pass(items, sender, limit));
    stream::unfold(receiver, |mut receiver| async move {
        let item = receiver.recv().await?;
        Some((item, receiver))
    })
    .boxed()
}

async fn pass(
    mut items: BoxStream<'static, RelayItem>,
    sender: mpsc::Sender<RelayItem>,
    limit: Duration,
) {
    loop {
        let item = tokio::select! {
            item = items.next() => item,
            // The client has left.
            () = sender.closed() => return,
        };
        let Some(item) = item else { return };
        match sender.send_timeout(item, limit).await {
            Ok(()) => {}
            Err(mpsc::error::SendTimeoutError::Closed(_)) => return,
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => {
                tracing::debug!("a stream was closed because its client does not read it");
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    /// Tells when it is dropped, as the place at an agent does.
    struct Place(Arc<AtomicBool>);

    impl Drop for Place {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn endless() -> (BoxStream<'static, RelayItem>, Arc<AtomicBool>) {
        let freed = Arc::default();
        let place = Place(Arc::clone(&freed));
        let items = stream::repeat_with(move || {
            let _held = &place;
            RelayItem::Comment(String::new())
        });
        (items.boxed(), freed)
    }

    async fn settle() {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_nobody_reads_frees_its_place_after_the_limit() {
        let (items, freed) = endless();
        let unread = limited(items, LIMIT);
        settle().await;
        tokio::time::sleep(LIMIT / 2).await;
        assert!(!freed.load(Ordering::SeqCst));
        tokio::time::sleep(LIMIT).await;
        assert!(freed.load(Ordering::SeqCst));
        assert_eq!(unread.take(AHEAD + 2).count().await, AHEAD);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_leaves_frees_its_place_at_once() {
        let (items, freed) = endless();
        let unread = limited(items, LIMIT);
        settle().await;
        drop(unread);
        settle().await;
        assert!(freed.load(Ordering::SeqCst));
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_may_last_and_slow_readers_get_everything() {
        let items = stream::iter(0..5).then(|number| async move {
            tokio::time::sleep(LIMIT * 2).await;
            RelayItem::Comment(number.to_string())
        });
        let read = limited(items.boxed(), LIMIT).then(|item| async {
            tokio::time::sleep(LIMIT / 2).await;
            item
        });
        assert_eq!(read.count().await, 5);
    }
}
