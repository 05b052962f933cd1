//! Removes what is kept no longer, a little at a time, so that records never wait long behind it.

use jiff::Timestamp;
use sqlx::SqliteConnection;

use super::considered::BLOCK;
use crate::retention::Retention;

/// The most decisions, or contexts, removed in one transaction.
const BATCH: i64 = 200;

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

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
        more = last.ends_batch;
        remove_through(connection, last.number).await?;
        let oldest_block = (last.number + 1) / BLOCK;
        if oldest_block > last.oldest / BLOCK {
            remove_blocks(connection, oldest_block).await?;
        }
    }
    if let Some(oldest_kept) = oldest_kept {
        more |= remove_contexts(connection, oldest_kept).await?;
    }
    if let Some(age) = retention.max_lesson_age {
        let oldest = now.checked_sub(age).unwrap_or(Timestamp::MIN);
        more |= remove_lessons(connection, oldest.as_second().div_euclid(DAY)).await?;
    }
    Ok(more)
}

/// The newest decision to remove now; all before it are removed as well.
struct Last {
    number: i64,
    /// The oldest decision there is.
    oldest: i64,
    /// Whether a batch is full with it, so that there may be more.
    ends_batch: bool,
}

/// Finds the newest decision over a limit, as far as one batch reaches. Numbers have no gaps, because only
/// the oldest decisions are ever removed.
async fn last_to_remove(
    connection: &mut SqliteConnection,
    max_decisions: Option<u64>,
    oldest_kept: Option<i64>,
) -> sqlx::Result<Option<Last>> {
    let ends: (Option<i64>, Option<i64>) = sqlx::query_as(
        "SELECT (SELECT min(number) FROM decisions), (SELECT max(number) FROM decisions)",
    )
    .fetch_one(&mut *connection)
    .await?;
    let (Some(oldest), Some(newest)) = ends else {
        return Ok(None);
    };
    let end_of_batch = oldest + BATCH - 1;
    let mut last = max_decisions.map(|max| newest.saturating_sub_unsigned(max));
    if let Some(oldest_kept) = oldest_kept {
        let aged =
            sqlx::query_scalar("SELECT max(number) FROM decisions WHERE number <= $1 AND at < $2")
                .bind(end_of_batch)
                .bind(oldest_kept)
                .fetch_one(connection)
                .await?;
        last = last.max(aged);
    }
    let last = last.filter(|&last| last >= oldest);
    Ok(last.map(|last| Last {
        number: last.min(end_of_batch),
        oldest,
        ends_batch: last >= end_of_batch,
    }))
}

/// Removes all decisions up to this one; foreign keys take their bodies and lists along. Running tasks stay, because
/// their owner is still asked for. Decisions with rows in `candidates` have their bodies in text.
async fn remove_through(connection: &mut SqliteConnection, last: i64) -> sqlx::Result<()> {
    for statement in [
        "DELETE FROM tasks WHERE ended = 1 AND last_decision <= $1 AND (agent, task_id) IN
             (SELECT task_agent, outcome_task FROM decisions WHERE number <= $1)",
        "UPDATE tasks SET last_decision = NULL WHERE last_decision <= $1 AND (agent, task_id) IN
             (SELECT task_agent, outcome_task FROM decisions WHERE number <= $1)",
        "DELETE FROM candidates WHERE (agent, decision) IN
             (SELECT value ->> 'agent', decision
              FROM decision_bodies, json_each(iif(typeof(body) = 'text' AND json_valid(body), body, '{}'), '$.candidates')
              WHERE decision <= $1)",
        "DELETE FROM decisions WHERE number <= $1",
    ] {
        sqlx::query(statement)
            .bind(last)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Removes the blocks before one, agent by agent, because they are sorted by it.
async fn remove_blocks(connection: &mut SqliteConnection, oldest: i64) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM considered_blocks
         WHERE agent IN (SELECT number FROM agents) AND block < $1",
    )
    .bind(oldest)
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

/// Removes the lessons of days before one. The newest change stays, since revisions count on from it.
async fn remove_lessons(connection: &mut SqliteConnection, oldest_day: i64) -> sqlx::Result<bool> {
    let removed = sqlx::query(
        "DELETE FROM lessons WHERE (agent, skill, day) IN
             (SELECT agent, skill, day FROM lessons
              WHERE day < $1 AND revision < (SELECT max(revision) FROM lessons) ORDER BY day LIMIT $2)",
    )
    .bind(oldest_day)
    .bind(BATCH)
    .execute(connection)
    .await?;
    Ok(i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX) == BATCH)
}
