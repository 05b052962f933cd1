//! Removes what is kept no longer, a little at a time, so that records never wait long behind it.

use jiff::Timestamp;
use sqlx::SqliteConnection;

use crate::retention::Retention;

/// The most decisions, or contexts, removed in one transaction.
const BATCH: i64 = 200;

/// Removes the oldest decisions over the limits, and returns whether there may be more to remove.
pub(super) async fn prune(
    connection: &mut SqliteConnection,
    retention: Retention,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let oldest_kept = retention.max_age.map(|age| {
        now.checked_sub(age)
            .unwrap_or(Timestamp::MIN)
            .as_microsecond()
    });
    let mut more = false;
    if let Some(last) = last_to_remove(connection, retention.max_decisions, oldest_kept).await? {
        let end_of_batch = end_of_batch(connection, &last).await?;
        more = end_of_batch.is_some();
        remove_through(connection, &end_of_batch.unwrap_or(last)).await?;
    }
    if let Some(oldest_kept) = oldest_kept {
        more |= remove_contexts(connection, oldest_kept).await?;
    }
    Ok(more)
}

/// Returns the newest decision that is over a limit; all before it are as well.
async fn last_to_remove(
    connection: &mut SqliteConnection,
    max_decisions: Option<u64>,
    oldest_kept: Option<i64>,
) -> sqlx::Result<Option<String>> {
    let mut last = None;
    if let Some(max) = max_decisions {
        last = sqlx::query_scalar("SELECT id FROM decisions ORDER BY id DESC LIMIT 1 OFFSET $1")
            .bind(i64::try_from(max).unwrap_or(i64::MAX))
            .fetch_optional(&mut *connection)
            .await?;
    }
    if let Some(oldest_kept) = oldest_kept {
        let aged: Option<String> = sqlx::query_scalar(
            "SELECT id FROM decisions WHERE at < $1 ORDER BY at DESC, id DESC LIMIT 1",
        )
        .bind(oldest_kept)
        .fetch_optional(connection)
        .await?;
        last = last.max(aged);
    }
    Ok(last)
}

/// Returns the last decision of a full batch, if there are more than fit one.
async fn end_of_batch(
    connection: &mut SqliteConnection,
    last: &str,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT id FROM decisions WHERE id < $1 ORDER BY id LIMIT 1 OFFSET $2")
        .bind(last)
        .bind(BATCH - 1)
        .fetch_optional(connection)
        .await
}

/// Removes all decisions up to this one; the foreign keys take their candidates and links along. Running
/// tasks stay, because their owner is still asked for.
async fn remove_through(connection: &mut SqliteConnection, last: &str) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM tasks WHERE ended = 1
             AND (agent, task_id) IN (SELECT agent, task_id FROM task_decisions WHERE decision_id <= $1)
             AND NOT EXISTS (SELECT 1 FROM task_decisions link WHERE link.agent = tasks.agent
                 AND link.task_id = tasks.task_id AND link.decision_id > $1)",
    )
    .bind(last)
    .execute(&mut *connection)
    .await?;
    sqlx::query("DELETE FROM decisions WHERE id <= $1")
        .bind(last)
        .execute(connection)
        .await
        .map(drop)
}

async fn remove_contexts(
    connection: &mut SqliteConnection,
    oldest_kept: i64,
) -> sqlx::Result<bool> {
    let removed = sqlx::query(
        "DELETE FROM contexts WHERE (caller, context_id) IN
             (SELECT caller, context_id FROM contexts WHERE at < $1 ORDER BY at LIMIT $2)",
    )
    .bind(oldest_kept)
    .bind(BATCH)
    .execute(connection)
    .await?;
    Ok(i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX) == BATCH)
}
