//! What one record or note changes in the tables. Runs inside the writer's transaction.

use gateway_core::{
    decision::{Attempt, OutcomeError},
    ports::Note,
};
use gateway_protocol::TaskState;
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::row::{self, CandidateRow, DecisionRow};

/// Candidates in one statement; SQLite takes 32,766 values and each candidate needs four.
const CANDIDATES: usize = 1000;

/// The one state of a decision that says nothing about whether its task has ended.
const TRUNCATED: &str = "truncated";

pub(super) async fn record(
    connection: &mut SqliteConnection,
    row: &DecisionRow,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO decisions (id, at, kind, caller, tenant, operation, agent, attempts,
             outcome, outcome_task, outcome_error, outcome_ms, finished_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(&row.id)
    .bind(row.at)
    .bind(row.kind)
    .bind(&row.caller)
    .bind(&row.tenant)
    .bind(&row.operation)
    .bind(&row.agent)
    .bind(&row.attempts)
    .bind(&row.outcome.state)
    .bind(&row.outcome.task_id)
    .bind(&row.outcome.error)
    .bind(row.outcome.ms)
    .bind(row.outcome.finished_at)
    .execute(&mut *connection)
    .await?;
    sqlx::query("INSERT INTO decision_bodies (decision_id, body) VALUES ($1, $2)")
        .bind(&row.id)
        .bind(&row.body)
        .execute(&mut *connection)
        .await?;
    for some in row.candidates.chunks(CANDIDATES) {
        candidates(connection, &row.id, some).await?;
    }
    Ok(())
}

async fn candidates(
    connection: &mut SqliteConnection,
    id: &str,
    rows: &[CandidateRow],
) -> sqlx::Result<()> {
    QueryBuilder::<Sqlite>::new("INSERT INTO candidates (agent, decision_id, verdict, reason) ")
        .push_values(rows, |mut values, row| {
            values
                .push_bind(&row.agent)
                .push_bind(id)
                .push_bind(row.verdict)
                .push_bind(row.reason);
        })
        .build()
        .execute(connection)
        .await
        .map(drop)
}

pub(super) async fn note(connection: &mut SqliteConnection, note: &Note) -> sqlx::Result<()> {
    match note {
        Note::Attempt { decision, attempt } => self::attempt(connection, decision, attempt).await,
        Note::Ended {
            decision,
            state,
            error,
            at,
        } => ended(connection, decision, (*state, error.as_ref()), *at).await,
        Note::Task {
            decision,
            agent,
            task_id,
            context_id,
            caller,
            version,
            state,
            at,
        } => {
            let sighting = Sighting::new(agent.as_str(), task_id, state, is_terminal(state), *at);
            let origin = Origin {
                context_id: context_id.as_deref(),
                caller,
                version: version.as_str(),
            };
            sighting.opened(connection, &origin).await?;
            sighting.link(connection, decision).await
        }
        Note::State {
            agent,
            task_id,
            state,
            terminal,
            at,
        } => {
            let sighting = Sighting::new(agent.as_str(), task_id, state, *terminal, *at);
            sighting.seen(connection).await?;
            sighting.forget(connection).await
        }
        Note::Context {
            caller,
            context_id,
            agent,
            at,
        } => context(connection, (caller, context_id), agent.as_str(), *at).await,
    }
}

fn is_terminal(state: &str) -> bool {
    TaskState::from_wire(state).is_some_and(TaskState::is_terminal)
}

async fn attempt(
    connection: &mut SqliteConnection,
    decision: &str,
    attempt: &Attempt,
) -> sqlx::Result<()> {
    let line = row::attempt_line(attempt).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query("UPDATE decisions SET attempts = attempts || $2 WHERE id = $1")
        .bind(decision)
        .bind(line)
        .execute(connection)
        .await
        .map(drop)
}

/// A broken stream does not tell how its task ends, so that outcome stays open for what is seen later.
async fn ended(
    connection: &mut SqliteConnection,
    decision: &str,
    (state, error): (&str, Option<&OutcomeError>),
    at: Timestamp,
) -> sqlx::Result<()> {
    let error = error.map(serde_json::to_string).transpose();
    sqlx::query(
        "UPDATE decisions SET outcome = $2, outcome_error = $3, finished_at = $4,
             outcome_ms = CASE WHEN $5 > at THEN ($5 - at) / 1000 ELSE 0 END
         WHERE id = $1 AND finished_at IS NULL",
    )
    .bind(decision)
    .bind(state)
    .bind(error.map_err(|error| sqlx::Error::Encode(error.into()))?)
    .bind((state != TRUNCATED).then(|| at.as_microsecond()))
    .bind(at.as_microsecond())
    .execute(connection)
    .await
    .map(drop)
}

async fn context(
    connection: &mut SqliteConnection,
    (caller, context_id): (&str, &str),
    agent: &str,
    at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO contexts (caller, context_id, agent, at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (caller, context_id) DO UPDATE SET agent = excluded.agent, at = excluded.at",
    )
    .bind(caller)
    .bind(context_id)
    .bind(agent)
    .bind(at.as_microsecond())
    .execute(connection)
    .await
    .map(drop)
}

/// A task seen in a state.
struct Sighting<'a> {
    agent: &'a str,
    task_id: &'a str,
    state: &'a str,
    terminal: bool,
    at: i64,
}

/// What is known of a task only when a message led to it.
struct Origin<'a> {
    context_id: Option<&'a str>,
    caller: &'a str,
    version: &'a str,
}

impl<'a> Sighting<'a> {
    fn new(
        agent: &'a str,
        task_id: &'a str,
        state: &'a str,
        terminal: bool,
        at: Timestamp,
    ) -> Self {
        Self {
            agent,
            task_id,
            state,
            terminal,
            at: at.as_microsecond(),
        }
    }

    fn finished_at(&self) -> Option<i64> {
        self.terminal.then_some(self.at)
    }

    /// Writes the task that an agent answered a message with.
    async fn opened(
        &self,
        connection: &mut SqliteConnection,
        origin: &Origin<'_>,
    ) -> sqlx::Result<()> {
        if !self.terminal {
            // Ended tasks never start again (A2A §3.4), so a running one under the same id is another
            // task of an agent that counts anew after a restart.
            sqlx::query("DELETE FROM tasks WHERE agent = $1 AND task_id = $2 AND ended = 1")
                .bind(self.agent)
                .bind(self.task_id)
                .execute(&mut *connection)
                .await?;
        }
        sqlx::query(
            "INSERT INTO tasks (agent, task_id, context_id, caller, version, state, ended, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
             ON CONFLICT (agent, task_id) DO NOTHING",
        )
        .bind(self.agent)
        .bind(self.task_id)
        .bind(origin.context_id)
        .bind(origin.caller)
        .bind(origin.version)
        .bind(self.state)
        .bind(i64::from(self.terminal))
        .bind(self.at)
        .execute(&mut *connection)
        .await?;
        self.seen(connection).await
    }

    /// Links the task to a decision, which takes its state over.
    async fn link(&self, connection: &mut SqliteConnection, decision: &str) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT INTO task_decisions (agent, task_id, decision_id) VALUES ($1, $2, $3)
             ON CONFLICT (agent, task_id, decision_id) DO NOTHING",
        )
        .bind(self.agent)
        .bind(self.task_id)
        .bind(decision)
        .execute(&mut *connection)
        .await?;
        sqlx::query(
            "UPDATE decisions SET outcome = $2, outcome_task = $3, outcome_error = NULL, finished_at = $4,
                 outcome_ms = CASE WHEN $5 > at THEN ($5 - at) / 1000 ELSE 0 END
             WHERE id = $1 AND finished_at IS NULL",
        )
        .bind(decision)
        .bind(self.state)
        .bind(self.task_id)
        .bind(self.finished_at())
        .bind(self.at)
        .execute(connection)
        .await
        .map(drop)
    }

    /// Moves the task, and the decisions that led to it, to the state. A state seen again changes nothing,
    /// so that polling costs no writes and times say when a state was first seen.
    async fn seen(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        sqlx::query(
            "UPDATE tasks SET state = $3, ended = $4, updated_at = $5
             WHERE agent = $1 AND task_id = $2 AND ended = 0 AND state <> $3",
        )
        .bind(self.agent)
        .bind(self.task_id)
        .bind(self.state)
        .bind(i64::from(self.terminal))
        .bind(self.at)
        .execute(&mut *connection)
        .await?;
        sqlx::query(
            "UPDATE decisions SET outcome = $3, outcome_task = $2, outcome_error = NULL, finished_at = $4,
                 outcome_ms = CASE WHEN $5 > at THEN ($5 - at) / 1000 ELSE 0 END
             WHERE finished_at IS NULL AND outcome IS DISTINCT FROM $3 AND id IN
                 (SELECT decision_id FROM task_decisions WHERE agent = $1 AND task_id = $2)",
        )
        .bind(self.agent)
        .bind(self.task_id)
        .bind(self.state)
        .bind(self.finished_at())
        .bind(self.at)
        .execute(connection)
        .await
        .map(drop)
    }

    /// Removes the task if it has ended and the decisions that led to it are gone, see [`super::prune`].
    async fn forget(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        if !self.terminal {
            return Ok(());
        }
        sqlx::query(
            "DELETE FROM tasks WHERE agent = $1 AND task_id = $2 AND NOT EXISTS
                 (SELECT 1 FROM task_decisions WHERE agent = $1 AND task_id = $2)",
        )
        .bind(self.agent)
        .bind(self.task_id)
        .execute(connection)
        .await
        .map(drop)
    }
}
