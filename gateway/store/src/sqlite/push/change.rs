//! What each change does to the tables. Runs inside the writer's transaction.

use gateway_core::ports::{ConfirmedPush, PushNotification};
use gateway_protocol::TaskState;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::COLUMNS;
use crate::push::ConfigRow;

/// Finds those that a configuration takes the place of; `$1` is its callback.
const REPLACED: &str = "SELECT older.callback FROM push_configs older
    JOIN push_configs newer ON newer.callback = $1 AND newer.agent = older.agent
        AND newer.task_id = older.task_id AND newer.caller = older.caller
        AND newer.config_id = older.config_id
    WHERE older.callback <> $1 AND older.confirmed = 1";

/// One change.
#[derive(Debug)]
pub(in crate::sqlite) enum PushWrite {
    Add(Box<ConfigRow>),
    Confirm(ConfirmedPush),
    Remove(String),
    Expire {
        ended_before: i64,
        silent_before: i64,
    },
    Enqueue(PushNotification),
    Claim {
        ids: Vec<i64>,
        until: i64,
    },
    Finish(i64),
    Postpone {
        id: i64,
        due_at: i64,
    },
}

impl PushWrite {
    /// Returns what it does, without what is in it.
    pub(in crate::sqlite) fn name(&self) -> &'static str {
        match self {
            Self::Add(_) => "add a push configuration",
            Self::Confirm(_) => "confirm a push configuration",
            Self::Remove(_) => "remove a push configuration",
            Self::Expire { .. } => "remove old push configurations",
            Self::Enqueue(_) => "queue a push notification",
            Self::Claim { .. } => "claim push notifications",
            Self::Finish(_) => "remove a push notification",
            Self::Postpone { .. } => "postpone a push notification",
        }
    }

    pub(in crate::sqlite) async fn apply(
        &self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<()> {
        match self {
            Self::Add(row) => add(connection, row).await,
            Self::Confirm(confirmed) => confirm(connection, confirmed).await,
            Self::Remove(callback) => remove(connection, callback).await,
            Self::Expire {
                ended_before,
                silent_before,
            } => expire(connection, *ended_before, *silent_before).await,
            Self::Enqueue(notification) => enqueue(connection, notification).await,
            Self::Claim { ids, until } => claim(connection, ids, *until).await,
            Self::Finish(id) => finish(connection, *id).await,
            Self::Postpone { id, due_at } => postpone(connection, *id, *due_at).await,
        }
    }
}

async fn add(connection: &mut SqliteConnection, row: &ConfigRow) -> sqlx::Result<()> {
    QueryBuilder::<Sqlite>::new("INSERT INTO push_configs (")
        .push(COLUMNS)
        .push(", heard_at) ")
        .push_values([row], |mut values, row| {
            values
                .push_bind(&row.callback)
                .push_bind(&row.bearer)
                .push_bind(&row.agent)
                .push_bind(&row.task_id)
                .push_bind(&row.caller)
                .push_bind(&row.version)
                .push_bind(row.sealed)
                .push_bind(&row.agent_config_id)
                .push_bind(&row.config_id)
                .push_bind(&row.url)
                .push_bind(&row.token)
                .push_bind(&row.scheme)
                .push_bind(&row.credentials)
                .push_bind(row.created_at)
                .push_bind(row.created_at);
        })
        .build()
        .execute(connection)
        .await
        .map(drop)
}

async fn confirm(connection: &mut SqliteConnection, confirmed: &ConfirmedPush) -> sqlx::Result<()> {
    let at = confirmed.at.as_microsecond();
    sqlx::query(
        "UPDATE push_configs SET task_id = $2, config_id = coalesce(config_id, $3),
             agent_config_id = coalesce($4, agent_config_id), confirmed = 1, heard_at = $5,
             ended_at = (SELECT $5 FROM tasks WHERE tasks.agent = push_configs.agent
                 AND tasks.task_id = $2 AND tasks.ended = 1)
         WHERE callback = $1",
    )
    .bind(&confirmed.callback)
    .bind(&confirmed.task_id)
    .bind(&confirmed.default_id)
    .bind(&confirmed.agent_config_id)
    .bind(at)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "UPDATE push_outbox SET due_at = $2 WHERE callback = $1 AND due_at > $2 AND failures = 0",
    )
    .bind(&confirmed.callback)
    .bind(at)
    .execute(&mut *connection)
    .await?;
    replace(connection, &confirmed.callback).await
}

async fn replace(connection: &mut SqliteConnection, callback: &str) -> sqlx::Result<()> {
    let older: Vec<String> = sqlx::query_scalar(REPLACED)
        .bind(callback)
        .fetch_all(&mut *connection)
        .await?;
    for older in older {
        sqlx::query("UPDATE push_outbox SET callback = $1 WHERE callback = $2")
            .bind(callback)
            .bind(&older)
            .execute(&mut *connection)
            .await?;
        remove(connection, &older).await?;
    }
    Ok(())
}

async fn remove(connection: &mut SqliteConnection, callback: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM push_configs WHERE callback = $1")
        .bind(callback)
        .execute(connection)
        .await
        .map(drop)
}

async fn expire(
    connection: &mut SqliteConnection,
    ended_before: i64,
    silent_before: i64,
) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM push_configs
             WHERE (ended_at < $1 OR (confirmed = 0 AND heard_at < $1) OR heard_at < $2)
             AND NOT EXISTS (SELECT 1 FROM push_outbox WHERE push_outbox.callback = push_configs.callback)",
    )
    .bind(ended_before)
    .bind(silent_before)
    .execute(connection)
    .await
    .map(drop)
}

async fn enqueue(
    connection: &mut SqliteConnection,
    notification: &PushNotification,
) -> sqlx::Result<()> {
    let at = notification.at.as_microsecond();
    sqlx::query(
        "INSERT INTO push_outbox (callback, payload, state, at, due_at)
         SELECT callback, $2, $3, $4, CASE WHEN task_id IS NULL THEN $5 ELSE $4 END
         FROM push_configs WHERE callback = $1",
    )
    .bind(&notification.callback)
    .bind(&notification.payload)
    .bind(notification.state.map(TaskState::as_str))
    .bind(at)
    .bind(notification.held_until.as_microsecond())
    .execute(&mut *connection)
    .await?;
    sqlx::query("UPDATE push_configs SET heard_at = $2 WHERE callback = $1")
        .bind(&notification.callback)
        .bind(at)
        .execute(connection)
        .await
        .map(drop)
}

async fn claim(connection: &mut SqliteConnection, ids: &[i64], until: i64) -> sqlx::Result<()> {
    for id in ids {
        sqlx::query("UPDATE push_outbox SET claimed_until = $2 WHERE id = $1")
            .bind(id)
            .bind(until)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn finish(connection: &mut SqliteConnection, id: i64) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM push_outbox WHERE id = $1")
        .bind(id)
        .execute(connection)
        .await
        .map(drop)
}

async fn postpone(connection: &mut SqliteConnection, id: i64, due_at: i64) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE push_outbox SET failures = failures + 1, due_at = $2, claimed_until = 0 WHERE id = $1",
    )
    .bind(id)
    .bind(due_at)
    .execute(connection)
    .await
    .map(drop)
}

/// Gives back what a process that is gone had claimed.
pub(in crate::sqlite) async fn release_claims(
    connection: &mut SqliteConnection,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE push_outbox SET claimed_until = 0 WHERE claimed_until > 0")
        .execute(connection)
        .await
        .map(drop)
}
