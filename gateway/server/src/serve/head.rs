//! Tells a slow request head from a connection that is kept for later.
//!
//! The HTTP library has one limit for both. Closing idle connections as fast as slow heads would break requests that
//! proxies in front send on connections they believe to be open.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};

use super::stream::Received;

/// How long a connection may be idle: longer than common proxies keep theirs, so that the side that sends next is
/// the one that closes. Google's load balancers keep them the longest, for 10 minutes.
const IDLE: Duration = Duration::from_secs(620);

/// Runs out when a head takes too long, from the first byte after the last request.
#[derive(Debug, Clone)]
pub(super) struct HeadTimer(pub(super) Received);

impl Timer for HeadTimer {
    fn sleep(&self, limit: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(Waiting {
            received: self.0.clone(),
            before: Some(self.0.bytes()),
            limit,
            sleep: Box::pin(tokio::time::sleep(IDLE)),
        })
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        self.sleep(deadline.saturating_duration_since(self.now()))
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

struct Waiting {
    received: Received,
    /// What was received before the head; absent once more has arrived.
    before: Option<u64>,
    limit: Duration,
    sleep: Pin<Box<tokio::time::Sleep>>,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Waiting")
            .field(&self.before)
            .finish()
    }
}

impl Future for Waiting {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let received = self.received.bytes();
        if self.before.is_some_and(|before| before != received) {
            self.before = None;
            let deadline = tokio::time::Instant::now() + self.limit;
            self.sleep.as_mut().reset(deadline);
        }
        self.sleep.as_mut().poll(context)
    }
}

impl Sleep for Waiting {}
