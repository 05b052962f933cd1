//! Push configurations and their outbox.

mod change;
mod read;

use gateway_core::{
    agent::AgentId,
    ports::{
        ClaimedPush, ConfirmedPush, PushConfig, PushNotification, PushStore, StoreError, ToldState,
    },
};
use jiff::Timestamp;
use tokio::sync::oneshot;

use super::{SqliteStore, closed, writer::Command};
use crate::push::{ClaimedRow, ConfigRow};

pub(super) use change::{PushWrite, release_claims};

/// The columns of a configuration.
const COLUMNS: &str = "callback, bearer, agent, task_id, caller, version, sealed, agent_config_id, \
                       config_id, url, token, scheme, credentials, created_at";

#[async_trait::async_trait]
impl PushStore for SqliteStore {
    async fn add_push_config(&self, config: PushConfig) -> Result<(), StoreError> {
        self.change(PushWrite::Add(Box::new(config.into()))).await
    }

    async fn confirm_push_config(
        &self,
        confirmed: ConfirmedPush,
    ) -> Result<Vec<ToldState>, StoreError> {
        let callback = confirmed.callback.clone();
        self.change(PushWrite::Confirm(confirmed)).await?;
        read::told_states(&self.readers, &callback)
            .await
            .map_err(|error| unread(&error))
    }

    async fn push_config(&self, callback: &str) -> Result<Option<(PushConfig, u64)>, StoreError> {
        let row = read::config(&self.readers, callback)
            .await
            .map_err(|error| unread(&error))?;
        let Some(row) = row else { return Ok(None) };
        let waiting = read::waiting(&self.readers, callback)
            .await
            .map_err(|error| unread(&error))?;
        Ok(Some((row.decode()?, waiting)))
    }

    async fn push_configs(
        &self,
        agent: &AgentId,
        task_id: &str,
        caller: &str,
    ) -> Result<Vec<PushConfig>, StoreError> {
        let of = (agent.as_str(), task_id, caller);
        let rows = read::configs(&self.readers, of)
            .await
            .map_err(|error| unread(&error))?;
        rows.into_iter().map(ConfigRow::decode).collect()
    }

    async fn remove_push_config(&self, callback: &str) -> Result<(), StoreError> {
        self.change(PushWrite::Remove(callback.to_owned())).await
    }

    async fn expire_push_configs(
        &self,
        ended_before: Timestamp,
        silent_before: Timestamp,
    ) -> Result<(), StoreError> {
        let expire = PushWrite::Expire {
            ended_before: ended_before.as_microsecond(),
            silent_before: silent_before.as_microsecond(),
        };
        self.change(expire).await
    }

    async fn enqueue_push(&self, notification: PushNotification) -> Result<(), StoreError> {
        self.change(PushWrite::Enqueue(notification)).await
    }

    async fn claim_pushes(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<ClaimedPush>, StoreError> {
        let now = now.as_microsecond();
        let rows = read::due(&self.readers, now, limit)
            .await
            .map_err(|error| unread(&error))?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let ids = rows.iter().map(|row| row.id).collect();
        let until = until.as_microsecond();
        self.change(PushWrite::Claim { ids, until }).await?;
        let readable = |row: ClaimedRow| {
            row.decode()
                .inspect_err(|error| tracing::error!(%error, "a push notification is left out"))
                .ok()
        };
        Ok(rows.into_iter().filter_map(readable).collect())
    }

    async fn finish_push(&self, id: i64) -> Result<(), StoreError> {
        self.change(PushWrite::Finish(id)).await
    }

    async fn postpone_push(&self, id: i64, due_at: Timestamp) -> Result<(), StoreError> {
        let due_at = due_at.as_microsecond();
        self.change(PushWrite::Postpone { id, due_at }).await
    }
}

impl SqliteStore {
    /// Hands a change to the writer and waits until it is on disk.
    async fn change(&self, write: PushWrite) -> Result<(), StoreError> {
        let (done, written) = oneshot::channel();
        self.send(Command::Push { write, done }).await?;
        written.await.map_err(|_| closed())?
    }
}

fn unread(error: &sqlx::Error) -> StoreError {
    StoreError(format!("cannot read push configurations: {error}"))
}
