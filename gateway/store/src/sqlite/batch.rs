//! One transaction: however much is in it, it is one statement to SQLite, because each turn to the thread of a
//! connection costs more than most statements do.

use serde::Serialize;
use sqlx::SqliteConnection;

use super::{
    considered::{AgentNumbers, Considered},
    writer::Command,
};
use crate::row::{DecisionRow, NoteRow};

/// What [`WRITE`] inserts into: a view whose triggers say what each record and note changes.
pub(super) const APPLY: &str = include_str!("apply.sql");

/// Takes the entries in JSON and the bodies one after another, so that no JSON has to be escaped within JSON.
/// The entries are parsed once, because they are materialized in SQLite's own form of JSON.
const WRITE: &str = "
    WITH entries (key, entry) AS MATERIALIZED (SELECT key, value FROM jsonb_each($1))
    INSERT INTO inbox
    SELECT entry ->> 'kind', entry ->> 'decision', entry ->> 'at', entry ->> 'caller', entry ->> 'agent',
        entry ->> 'task_id', entry ->> 'context_id', entry ->> 'version', entry ->> 'state',
        entry ->> 'ended', entry ->> 'error', entry ->> 'ms', entry ->> 'finished_at',
        entry ->> 'attempts', entry ->> 'chosen', entry ->> 'outscored', entry ->> 'discarded',
        entry ->> 'skill', entry ->> 'cost', entry ->> 'feedback',
        jsonb_extract(entry, '$.candidates'),
        substr($2, entry ->> 'start', entry ->> 'length')
    FROM entries ORDER BY key";

/// Why nothing of a transaction was written.
pub(super) enum Failure {
    /// Another process holds the file, which no command can be blamed for.
    Held(sqlx::Error),
    /// A command failed, or the commit did.
    Within(sqlx::Error),
}

/// One thing to write, as the statement reads it.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Record {
        kind: &'static str,
        /// Where the body begins, counted from 1 as SQL does.
        start: usize,
        length: usize,
        #[serde(flatten)]
        considered: Considered,
        #[serde(flatten)]
        row: &'a DecisionRow,
    },
    Note(&'a NoteRow),
}

/// Writes the commands in one transaction, in order: all of them or none. New agents get their numbers before it; one
/// that nothing refers to does no harm.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    numbers: &mut AgentNumbers,
    commands: &[Command],
) -> Result<(), Failure> {
    let agents = commands.iter().flat_map(Command::candidates);
    numbers
        .learn(connection, agents)
        .await
        .map_err(Failure::of)?;
    let mut entries = Vec::new();
    let mut bodies = Vec::new();
    for command in commands {
        match command {
            Command::Record { row, .. } => {
                entries.push(Entry::Record {
                    kind: "record",
                    start: bodies.len() + 1,
                    length: row.body.len(),
                    considered: Considered::new(row, numbers).map_err(Failure::Within)?,
                    row,
                });
                bodies.extend_from_slice(&row.body);
            }
            Command::Notes { rows, .. } => entries.extend(rows.iter().map(Entry::Note)),
            // The writer writes these on their own.
            Command::Push { .. } | Command::Pin { .. } => {}
        }
    }
    if entries.is_empty() {
        return Ok(());
    }
    let entries = serde_json::to_string(&entries)
        .map_err(|error| Failure::Within(sqlx::Error::Encode(error.into())))?;
    sqlx::query(WRITE)
        .bind(entries)
        .bind(bodies)
        .execute(connection)
        .await
        .map(drop)
        .map_err(Failure::of)
}

impl Failure {
    /// Tells `SQLITE_BUSY` and `SQLITE_LOCKED` from the rest, see <https://www.sqlite.org/rescode.html>.
    fn of(error: sqlx::Error) -> Self {
        let code = error
            .as_database_error()
            .and_then(|error| error.code()?.parse::<u32>().ok());
        match code.map(|code| code & 0xff) {
            Some(5 | 6) => Self::Held(error),
            _ => Self::Within(error),
        }
    }
}
