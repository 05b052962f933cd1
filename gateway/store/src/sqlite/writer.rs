//! The only task that writes. It takes what is queued, writes it in one transaction and answers everybody who
//! waits, so that all calls of a moment share one flush to disk.

mod command;

use std::time::Duration;

use jiff::Timestamp;
use sqlx::{Connection, SqliteConnection, SqlitePool};
use tokio::{
    select,
    sync::mpsc,
    time::{Interval, MissedTickBehavior, interval, sleep},
};
use tokio_util::sync::CancellationToken;

pub(super) use self::command::Command;
use super::{
    batch::{self, Failure},
    considered::AgentNumbers,
    lock::Lock,
    prune,
};
use crate::retention::Retention;

/// The most commands in one transaction.
const BATCH: usize = 512;

/// How long a command waits for company when nobody is in a hurry for it.
const PATIENCE: Duration = Duration::from_millis(20);

/// How often the store looks for decisions to remove.
const PRUNE_EVERY: Duration = Duration::from_secs(60);

/// The pause between two removals while there is more to remove; records go first.
const PRUNE_PAUSE: Duration = Duration::from_millis(50);

/// The task that owns the writing connection.
pub(super) struct Writer {
    pub(super) connection: SqliteConnection,
    pub(super) numbers: AgentNumbers,
    pub(super) readers: SqlitePool,
    pub(super) commands: mpsc::Receiver<Command>,
    pub(super) stop: CancellationToken,
    pub(super) retention: Retention,
    /// Given back last; a store in memory has none.
    pub(super) lock: Option<Lock>,
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
                    self.gather(&mut batch).await;
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
        drop(self.lock);
    }

    /// Lets a batch grow for a moment, unless somebody is in a hurry or it is full.
    async fn gather(&mut self, batch: &mut Vec<Command>) {
        let end = sleep(PATIENCE);
        tokio::pin!(end);
        let mut seen = 0;
        while batch.len() < BATCH && !batch[seen..].iter().any(Command::is_urgent) {
            seen = batch.len();
            select! {
                () = &mut end => return,
                () = self.stop.cancelled() => return,
                taken = self.commands.recv_many(batch, BATCH - seen) => if taken == 0 { return },
            }
        }
    }

    /// Writes a batch in order: what lies between two changes about push notifications in one transaction. Accepted
    /// cards go last and together, since many agents are accepted at once and nothing waits for them.
    async fn write(&mut self, batch: &mut Vec<Command>) {
        let mut run = Vec::new();
        let mut pins = Vec::new();
        for command in batch.drain(..) {
            if command.pin().is_some() {
                pins.push(command);
            } else if command.push().is_none() {
                run.push(command);
            } else {
                self.write_run(&mut run).await;
                self.write_push(command).await;
            }
        }
        self.write_run(&mut run).await;
        self.write_pins(pins).await;
    }

    async fn write_pins(&mut self, pins: Vec<Command>) {
        if pins.is_empty() {
            return;
        }
        let connection = &mut self.connection;
        let written = async {
            begin(connection).await?;
            let written = async {
                for row in pins.iter().filter_map(Command::pin) {
                    row.write(connection).await?;
                }
                Ok(())
            };
            let written = written.await;
            end(connection, written).await
        };
        match written.await {
            Ok(()) => pins.into_iter().for_each(Command::succeeded),
            Err(error) => pins.into_iter().for_each(|pin| pin.failed(&error)),
        }
    }

    async fn write_push(&mut self, command: Command) {
        let Some(write) = command.push() else { return };
        let connection = &mut self.connection;
        let written = async {
            begin(connection).await?;
            let written = write.apply(connection).await;
            end(connection, written).await
        };
        match written.await {
            Ok(()) => command.succeeded(),
            Err(error) => command.failed(&error),
        }
    }

    async fn write_run(&mut self, batch: &mut Vec<Command>) {
        match batch::write(&mut self.connection, &mut self.numbers, batch).await {
            Ok(()) => batch.drain(..).for_each(Command::succeeded),
            Err(Failure::Held(error)) => {
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
        let mut held = None;
        for command in batch.drain(..) {
            if let Some(error) = &held {
                command.failed(error);
                continue;
            }
            let alone = std::slice::from_ref(&command);
            match batch::write(&mut self.connection, &mut self.numbers, alone).await {
                Ok(()) => command.succeeded(),
                Err(Failure::Within(error)) => command.failed(&error),
                Err(Failure::Held(error)) => {
                    command.failed(&error);
                    // Waiting for the file again for each of them would stall every caller for minutes.
                    held = Some(error);
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
