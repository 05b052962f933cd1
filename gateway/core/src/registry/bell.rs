//! How the watcher of an agent is asked to fetch before its time.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

/// An agent is doubted once in this time at most: calls may fail a thousand times a second, and a card that
/// was just confirmed will say the same again.
const DOUBT_PAUSE: Duration = Duration::from_secs(60);

/// Wakes one watcher.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Notify,
    approved: Mutex<Option<String>>,
    doubted_at: Mutex<Option<Instant>>,
}

impl Bell {
    /// Asks for a fetch. Several before it begins are one.
    pub(super) fn ring(&self) {
        self.rung.notify_one();
    }

    /// Accepts the card of a fingerprint and asks for a fetch.
    pub(super) fn approve(&self, fingerprint: &str) {
        *self.approved.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(fingerprint.to_owned());
        self.ring();
    }

    /// Takes what was accepted; it is good for one card that arrives.
    pub(super) fn take_approval(&self) -> Option<String> {
        self.approved
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Asks for a fetch because calls say that the card is wrong; returns whether it was time to.
    pub(super) fn doubt(&self, now: Instant) -> bool {
        let mut doubted_at = self
            .doubted_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if doubted_at.is_some_and(|last| now.duration_since(last) < DOUBT_PAUSE) {
            return false;
        }
        *doubted_at = Some(now);
        self.ring();
        true
    }

    /// Waits until a fetch is asked for.
    pub(super) async fn rings(&self) {
        self.rung.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn many_doubts_are_one_until_the_pause_is_over() {
        let (bell, start) = (Bell::default(), Instant::now());
        let doubts = [0, 1, 59, 60, 61, 119, 120].map(|second| {
            let now = start + Duration::from_secs(second);
            bell.doubt(now)
        });
        assert_eq!(doubts, [true, false, false, true, false, false, true]);
        bell.rings().await;
    }
}
