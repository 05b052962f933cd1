//! Keeps what agents have taught current: reads new lessons from the store and hands them to the agents.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{Learning, lessons::Lessons, recall::recall};
use crate::{
    call::Gateway,
    catalog::Catalog,
    ports::{Store, StoreError},
};

/// How often new lessons are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Reads lessons from a store and folds them.
#[derive(Debug)]
pub struct Learner {
    learning: Learning,
    known: Mutex<Lessons>,
}

impl Learner {
    /// Creates a learner that knows nothing yet.
    #[must_use]
    pub fn new(learning: Learning) -> Self {
        Self {
            learning,
            known: Mutex::default(),
        }
    }

    /// Returns how fast is learned.
    #[must_use]
    pub fn learning(&self) -> Learning {
        self.learning
    }

    /// Takes in what the store has counted since the last time. All of it is in the signals when this returns.
    ///
    /// # Errors
    /// [`StoreError`] when the lessons could not be read.
    pub async fn refresh(
        &self,
        store: &dyn Store,
        catalog: &Catalog,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // Held over the reading, so that an older reading is never taken in after a newer one.
        let mut known = self.known.lock().await;
        let lessons = store.lessons(known.revision).await?;
        for agent in known.take_in(lessons) {
            let Some(registered) = catalog.agent(&agent) else {
                continue;
            };
            let learned = known.fold(&agent, self.learning, now);
            registered.stats.learned.store(Arc::new(learned));
        }
        Ok(())
    }
}

impl Gateway {
    /// Takes in what decisions teach until stopped, after what earlier runs have left.
    pub async fn learn(self: Arc<Self>, stop: CancellationToken) {
        let learning = async {
            if let Err(error) = recall(&self).await {
                tracing::warn!(%error, "latencies are measured anew");
            }
            let mut failed = false;
            loop {
                match self.refresh_signals().await {
                    Ok(()) => failed = false,
                    Err(error) if !std::mem::replace(&mut failed, true) => {
                        tracing::error!(%error, "nothing is learned until the store can be read again");
                    }
                    Err(_) => {}
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        // Stopping is the only end.
        let _stopped: Option<()> = stop.run_until_cancelled(learning).await;
    }
}
