//! What decisions have taught, as it is read; it is written by the triggers of `apply.sql`.

use gateway_core::{
    agent::AgentId,
    learning::{Counts, Forget, Lesson},
    ports::StoreError,
};
use jiff::Timestamp;
use sqlx::SqlitePool;

#[derive(sqlx::FromRow)]
struct LessonRow {
    agent: String,
    skill: String,
    day: i64,
    completed: f64,
    failed: f64,
    messages: f64,
    accepted: f64,
    refused: f64,
    costs: f64,
    cost: f64,
    revision: i64,
}

impl LessonRow {
    fn decode(self) -> Result<Lesson, String> {
        Ok(Lesson {
            revision: self.revision,
            agent: AgentId::parse(&self.agent).map_err(|error| error.to_string())?,
            skill: Some(self.skill).filter(|skill| !skill.is_empty()),
            day: self.day,
            counts: Counts {
                completed: self.completed,
                failed: self.failed,
                messages: self.messages,
                accepted: self.accepted,
                refused: self.refused,
                costs: self.costs,
                cost: self.cost,
            },
        })
    }
}

pub(super) async fn lessons(readers: &SqlitePool, after: i64) -> Result<Vec<Lesson>, StoreError> {
    let rows: Vec<LessonRow> =
        sqlx::query_as("SELECT * FROM lessons WHERE revision > $1 ORDER BY revision")
            .bind(after)
            .fetch_all(readers)
            .await
            .map_err(|error| StoreError(format!("cannot read what was learned: {error}")))?;
    let readable = |row: LessonRow| {
        row.decode()
            .inspect_err(|error| tracing::error!(%error, "a lesson is left out"))
            .ok()
    };
    Ok(rows.into_iter().filter_map(readable).collect())
}

pub(super) async fn forgotten(readers: &SqlitePool) -> Result<Vec<Forget>, StoreError> {
    let rows: Vec<(String, Option<String>, i64)> =
        sqlx::query_as("SELECT agent, skill, at FROM forgotten")
            .fetch_all(readers)
            .await
            .map_err(|error| StoreError(format!("cannot read what was forgotten: {error}")))?;
    let readable = |(agent, skill, at): (String, Option<String>, i64)| {
        Some(Forget {
            agent: AgentId::parse(&agent).ok()?,
            skill,
            at: Timestamp::from_microsecond(at).ok()?,
        })
    };
    Ok(rows.into_iter().filter_map(readable).collect())
}
