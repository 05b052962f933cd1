//! The queries about webhooks and the outbox.

use gateway_core::ports::ToldState;
use gateway_protocol::TaskState;
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqlitePool};

use super::COLUMNS;
use crate::push::{ClaimedRow, ConfigRow};

pub(super) async fn config(
    readers: &SqlitePool,
    callback: &str,
) -> sqlx::Result<Option<ConfigRow>> {
    QueryBuilder::<Sqlite>::new("SELECT ")
        .push(COLUMNS)
        .push(" FROM push_configs WHERE callback = ")
        .push_bind(callback)
        .build_query_as()
        .fetch_optional(readers)
        .await
}

pub(super) async fn waiting(readers: &SqlitePool, callback: &str) -> sqlx::Result<u64> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM push_outbox WHERE callback = $1")
        .bind(callback)
        .fetch_one(readers)
        .await?;
    Ok(u64::try_from(count).unwrap_or_default())
}

pub(super) async fn configs(
    readers: &SqlitePool,
    (agent, task_id, caller): (&str, &str, &str),
) -> sqlx::Result<Vec<ConfigRow>> {
    QueryBuilder::<Sqlite>::new("SELECT ")
        .push(COLUMNS)
        .push(" FROM push_configs WHERE confirmed = 1 AND agent = ")
        .push_bind(agent)
        .push(" AND task_id = ")
        .push_bind(task_id)
        .push(" AND caller = ")
        .push_bind(caller)
        .push(" ORDER BY created_at, callback")
        .build_query_as()
        .fetch_all(readers)
        .await
}

pub(super) async fn told_states(
    readers: &SqlitePool,
    callback: &str,
) -> sqlx::Result<Vec<ToldState>> {
    let told: Vec<(String, i64)> = sqlx::query_as(
        "SELECT state, at FROM push_outbox WHERE callback = $1 AND state IS NOT NULL ORDER BY id",
    )
    .bind(callback)
    .fetch_all(readers)
    .await?;
    let read = |(state, at): (String, i64)| {
        Some(ToldState {
            state: TaskState::from_wire(&state)?,
            at: Timestamp::from_microsecond(at).ok()?,
        })
    };
    Ok(told.into_iter().filter_map(read).collect())
}

/// Returns the notifications that are due and the oldest of their callback, those first that wait longest.
pub(super) async fn due(
    readers: &SqlitePool,
    now: i64,
    limit: usize,
) -> sqlx::Result<Vec<ClaimedRow>> {
    sqlx::query_as(
        "SELECT o.id, o.payload, o.failures, o.at, c.callback, c.bearer, c.agent, c.task_id, c.caller,
             c.version, c.sealed, c.agent_config_id, c.config_id, c.url, c.token, c.scheme,
             c.credentials, c.created_at
         FROM (SELECT min(id) AS id FROM push_outbox GROUP BY callback) oldest
         JOIN push_outbox o ON o.id = oldest.id
         JOIN push_configs c ON c.callback = o.callback
         WHERE o.due_at <= $1 AND o.claimed_until <= $1
         ORDER BY o.due_at, o.id LIMIT $2",
    )
    .bind(now)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(readers)
    .await
}
