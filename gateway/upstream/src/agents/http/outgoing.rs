//! A request body that remembers whether a connection began to take it.
//!
//! Only then may the agent have seen the request: before, the gateway was still connecting, and another try
//! is safe.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Tells whether a request began to leave. Clones share the answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentFlag(Arc<AtomicBool>);

impl SentFlag {
    /// Tells whether the agent may have received the request.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The bytes of a request body.
#[derive(Debug)]
pub(super) struct Outgoing {
    bytes: Option<Bytes>,
    sent: SentFlag,
}

impl Outgoing {
    /// Creates a body that sets `sent` when it is first asked for its bytes.
    pub(super) fn new(bytes: Bytes, sent: SentFlag) -> Self {
        Self {
            bytes: Some(bytes),
            sent,
        }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.sent.set();
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        let Some(bytes) = &self.bytes else {
            return true;
        };
        if bytes.is_empty() {
            // Nobody polls an empty body: the connection asks this instead, as it begins with the request.
            self.sent.set();
        }
        bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.bytes.as_ref().map_or(0, Bytes::len);
        SizeHint::with_exact(u64::try_from(left).unwrap_or(u64::MAX))
    }
}
