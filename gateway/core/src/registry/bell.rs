//! How the watcher of an agent is asked to fetch before its time, and to accept a card.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::Instant,
};

use super::acceptance::{Approval, NotAccepted};

/// An agent is doubted once in this time at most: calls may fail a thousand times a second, and a card that
/// was just confirmed will say the same again.
const DOUBT_PAUSE: Duration = Duration::from_secs(60);

/// Wakes one watcher.
#[derive(Debug)]
pub(super) struct Bell {
    rung: Notify,
    approvals: mpsc::Sender<Approval>,
    /// Until the watcher takes it.
    inbox: Mutex<Option<mpsc::Receiver<Approval>>>,
    doubted_at: Mutex<Option<Instant>>,
}

impl Default for Bell {
    fn default() -> Self {
        let (approvals, inbox) = mpsc::channel(1);
        Self {
            rung: Notify::default(),
            approvals,
            inbox: Mutex::new(Some(inbox)),
            doubted_at: Mutex::default(),
        }
    }
}

impl Bell {
    /// Asks for a fetch. Several before it begins are one.
    pub(super) fn ring(&self) {
        self.rung.notify_one();
    }

    /// Has the watcher accept the card of a fingerprint, and waits until it has.
    pub(super) async fn approve(&self, fingerprint: &str) -> Result<(), NotAccepted> {
        let (answer, answered) = oneshot::channel();
        let approval = Approval {
            fingerprint: fingerprint.to_owned(),
            answer,
        };
        self.approvals
            .send(approval)
            .await
            .map_err(|_| NotAccepted::Stopping)?;
        answered.await.map_err(|_| NotAccepted::Stopping)?
    }

    /// Takes where approvals arrive. There is one watcher, so the second time there is nothing.
    pub(super) fn take_inbox(&self) -> Option<mpsc::Receiver<Approval>> {
        self.inbox
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
