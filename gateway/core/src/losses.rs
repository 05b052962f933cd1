//! What the conversions of one call lose: counted where it happens, and written to the record of its decision.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use gateway_protocol::translate::Losses;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::ports::{Note, Observer, Store};

/// Counts what one call loses, on both of its legs. Clones count together.
///
/// What is not in the record when the last clone goes is written then: the legs may lose something until the last
/// byte of a stream is out. A default one counts and tells nobody.
#[derive(Clone, Default)]
pub struct LossLedger(Arc<Shared>);

#[derive(Default)]
struct Shared {
    counted: Mutex<Counted>,
    told: Option<Told>,
}

/// Who is told of losses.
struct Told {
    observer: Arc<dyn Observer>,
    store: Arc<dyn Store>,
    work: TaskTracker,
}

#[derive(Debug, Default)]
struct Counted {
    losses: Losses,
    noted: Losses,
    /// The decision whose attempt is in the record.
    decision: Option<String>,
}

impl LossLedger {
    pub(crate) fn new(
        observer: Arc<dyn Observer>,
        store: Arc<dyn Store>,
        work: TaskTracker,
    ) -> Self {
        Self(Arc::new(Shared {
            counted: Mutex::default(),
            told: Some(Told {
                observer,
                store,
                work,
            }),
        }))
    }

    /// Counts what was lost.
    pub fn add(&self, losses: &Losses) {
        if let Some(told) = &self.0.told {
            for (loss, count) in losses.iter() {
                told.observer.lost(loss, count);
            }
        }
        self.0.counted().losses.merge(losses);
    }

    /// Returns what was lost so far.
    #[must_use]
    pub fn so_far(&self) -> Losses {
        self.0.counted().losses.clone()
    }

    /// Returns what is to be noted of a decision whose attempt has been; `None` when nothing is new.
    pub(crate) fn note(&self, decision: &str) -> Option<Note> {
        let mut counted = self.0.counted();
        counted.decision = Some(decision.to_owned());
        counted.news()
    }
}

impl Counted {
    fn news(&mut self) -> Option<Note> {
        if self.losses == self.noted {
            return None;
        }
        let decision = self.decision.clone()?;
        self.noted = self.losses.clone();
        Some(Note::Losses {
            decision,
            losses: self.losses.clone(),
        })
    }
}

impl Shared {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let news = self.counted().news();
        let (Some(note), Some(told)) = (news, &self.told) else {
            return;
        };
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let store = Arc::clone(&told.store);
        let write = async move {
            if let Err(error) = store.note(note).await {
                tracing::error!(error = %error, "what a call lost could not be recorded");
            }
        };
        told.work.spawn_on(write, &runtime);
    }
}

impl fmt::Debug for LossLedger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = self.0.counted();
        formatter.debug_tuple("LossLedger").field(&counted).finish()
    }
}
