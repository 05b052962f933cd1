//! The only task that writes. It takes what is queued, writes it in one transaction and answers whoever
//! waits, so that all calls of a moment share one flush to disk.

use std::time::Duration;

use gateway_core::ports::{Note, StoreError};
use jiff::Timestamp;
use sqlx::{Connection, SqliteConnection, SqlitePool};
use tokio::{
    select,
    sync::{mpsc, oneshot},
    time::{Interval, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

use super::{apply, prune};
use crate::{retention::Retention, row::DecisionRow};

/// The most commands in one transaction.
const BATCH: usize = 512;

/// How often the store looks for decisions to remove.
const PRUNE_EVERY: Duration = Duration::from_secs(60);

/// The pause between two removals while there is more to remove; records go first.
const PRUNE_PAUSE: Duration = Duration::from_millis(50);

/// What the writer is asked to do.
#[derive(Debug)]
pub(super) enum Command {
    /// Write a decision and say when it is on disk.
    Record {
        row: Box<DecisionRow>,
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    /// Write what became of something.
    Note(Note),
    /// Say when all that came before is written.
    Flush(oneshot::Sender<()>),
}

/// Why nothing of a transaction was written.
enum Failure {
    /// It could not begin, which no command of it can be blamed for.
    Begin(sqlx::Error),
    /// A command in it failed, or the commit did.
    Within(sqlx::Error),
}

/// The task that owns the writing connection.
pub(super) struct Writer {
    pub(super) connection: SqliteConnection,
    pub(super) readers: SqlitePool,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) stop: CancellationToken,
    pub(super) retention: Retention,
}

impl Writer {
    /// Writes until told to stop, or until the store is dropped, and everything queued is written.
    pub(super) async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH);
        let mut prune = interval(PRUNE_EVERY);
        prune.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            select! {
                () = self.stop.cancelled(), if !self.commands.is_closed() => self.commands.close(),
                taken = self.commands.recv_many(&mut batch, BATCH) => {
                    if taken == 0 {
                        break;
                    }
                    self.write(&mut batch).await;
                }
                _ = prune.tick(), if !self.retention.keeps_everything() => self.prune(&mut prune).await,
            }
        }
        // The readers first: the last connection to close folds the write-ahead log into the file, and
        // theirs may not write.
        self.readers.close().await;
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "the store did not close cleanly; nothing is lost");
        }
    }

    async fn write(&mut self, batch: &mut Vec<Command>) {
        match transact(&mut self.connection, batch).await {
            Ok(()) => batch.drain(..).for_each(Command::succeeded),
            Err(Failure::Begin(error)) => {
                batch.drain(..).for_each(|command| command.failed(&error));
            }
            Err(Failure::Within(error)) if batch.len() == 1 => {
                batch.drain(..).for_each(|command| command.failed(&error));
            }
            Err(Failure::Within(_)) => self.write_each(batch).await,
        }
    }

    /// Writes each command in a transaction of its own, so that a bad one fails alone.
    async fn write_each(&mut self, batch: &mut Vec<Command>) {
        let mut blocked = None;
        for command in batch.drain(..) {
            if let Some(error) = &blocked {
                command.failed(error);
                continue;
            }
            match transact(&mut self.connection, std::slice::from_ref(&command)).await {
                Ok(()) => command.succeeded(),
                Err(Failure::Within(error)) => command.failed(&error),
                Err(Failure::Begin(error)) => {
                    command.failed(&error);
                    // Waiting for the file again for each of them would stall every caller for minutes.
                    blocked = Some(error);
                }
            }
        }
    }

    async fn prune(&mut self, interval: &mut Interval) {
        let connection = &mut self.connection;
        let pruned = async {
            begin(connection).await?;
            let pruned = prune::prune(connection, self.retention, Timestamp::now()).await;
            end(connection, pruned).await
        };
        match pruned.await {
            Ok(true) => interval.reset_after(PRUNE_PAUSE),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot remove old decisions; trying again in a minute");
            }
        }
    }
}

impl Command {
    /// Answers whoever waits. A caller that is gone needs no answer.
    fn succeeded(self) {
        match self {
            Self::Record { done, .. } => drop(done.send(Ok(()))),
            Self::Note(_) => {}
            Self::Flush(done) => drop(done.send(())),
        }
    }

    fn failed(self, error: &sqlx::Error) {
        match self {
            Self::Record { row, done } => {
                let error = StoreError(format!("cannot record decision `{}`: {error}", row.id));
                drop(done.send(Err(error)));
            }
            Self::Note(note) => tracing::error!(%error, "cannot write {}", subject(&note)),
            Self::Flush(done) => drop(done.send(())),
        }
    }
}

/// Returns what a note is about, by ids only: the errors in notes hold text from agents.
fn subject(note: &Note) -> String {
    match note {
        Note::Attempt { decision, .. } => format!("an attempt of decision `{decision}`"),
        Note::Ended { decision, .. } => format!("the end of decision `{decision}`"),
        Note::Task {
            decision,
            agent,
            task_id,
            ..
        } => {
            format!("task `{task_id}` of agent `{agent}` for decision `{decision}`")
        }
        Note::State {
            agent,
            task_id,
            state,
            ..
        } => {
            format!("state `{state}` of task `{task_id}` of agent `{agent}`")
        }
        Note::Context {
            context_id, agent, ..
        } => format!("context `{context_id}` of agent `{agent}`"),
    }
}

/// Writes the commands in one transaction: all of them or none.
async fn transact(connection: &mut SqliteConnection, commands: &[Command]) -> Result<(), Failure> {
    if commands
        .iter()
        .all(|command| matches!(command, Command::Flush(_)))
    {
        return Ok(());
    }
    begin(connection).await.map_err(Failure::Begin)?;
    let applied = apply_all(connection, commands).await;
    end(connection, applied).await.map_err(Failure::Within)
}

async fn apply_all(connection: &mut SqliteConnection, commands: &[Command]) -> sqlx::Result<()> {
    for command in commands {
        match command {
            Command::Record { row, .. } => apply::record(connection, row).await?,
            Command::Note(note) => apply::note(connection, note).await?,
            Command::Flush(_) => {}
        }
    }
    Ok(())
}

/// Begins by hand: sqlx counts open transactions and loses count when SQLite rolls one back by itself, as
/// it does on a full disk, and no later one would begin.
async fn begin(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    sqlx::query("BEGIN IMMEDIATE")
        .execute(connection)
        .await
        .map(drop)
}

async fn end<T>(connection: &mut SqliteConnection, result: sqlx::Result<T>) -> sqlx::Result<T> {
    let committed = match result {
        Ok(value) => sqlx::query("COMMIT")
            .execute(&mut *connection)
            .await
            .map(|_| value),
        Err(error) => Err(error),
    };
    if committed.is_err() {
        // Fails when SQLite has rolled back already, which is all the same.
        let _rolled_back = sqlx::query("ROLLBACK").execute(connection).await;
    }
    committed
}

#[cfg(test)]
mod tests;
