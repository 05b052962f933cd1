//! The store in one SQLite file: a single writer with group commit, and readers beside it.

mod batch;
mod considered;
mod lessons;
mod lock;
mod open;
mod pins;
mod prune;
mod push;
mod read;
mod writer;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use gateway_core::{
    agent::AgentId,
    decision::RouteDecision,
    learning::{Forget, Lesson},
    ports::{DecisionFilter, Note, Store, StoreError, TaskFilter, TaskPage},
};
use sqlx::SqlitePool;
use tokio::sync::{mpsc, oneshot};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    considered::AgentNumbers,
    writer::{Command, Writer},
};
use crate::{
    retention::Retention,
    row::{DecisionRow, NoteRow},
};

/// The path of a store that is gone when closed.
const IN_MEMORY: &str = ":memory:";

/// How many records and notes may wait to be written before callers have to.
const QUEUE: usize = 1024;

/// Decisions and tasks in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    queue: mpsc::Sender<Command>,
    readers: SqlitePool,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl SqliteStore {
    /// Opens the store at a path, creating the file (mode 0600) or bringing its tables up to date as
    /// needed. The path `:memory:` gives a store of its own that is gone when closed.
    ///
    /// # Errors
    /// [`StoreError`] names the path, what is wrong with it and what to do.
    pub async fn open(path: &Path, retention: Retention) -> Result<Self, StoreError> {
        let open::Opened {
            lock,
            connection,
            readers,
        } = open::open(path).await?;
        let (queue, commands) = mpsc::channel(QUEUE);
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let writer = Writer {
            connection,
            numbers: AgentNumbers::default(),
            readers: readers.clone(),
            commands,
            stop: stop.clone(),
            retention,
            lock,
        };
        tasks.spawn(writer.run());
        tasks.close();
        Ok(Self {
            queue,
            readers,
            stop,
            tasks,
        })
    }

    async fn send(&self, command: Command) -> Result<(), StoreError> {
        self.queue.send(command).await.map_err(|_| closed())
    }

    /// Writes rows and everything handed in before.
    async fn hurry(&self, rows: Vec<NoteRow>) -> Result<Result<(), StoreError>, StoreError> {
        let (done, written) = oneshot::channel();
        let done = Some(done);
        self.send(Command::Notes { rows, done }).await?;
        written.await.map_err(|_| closed())
    }

    /// Waits until everything handed in so far is written, so that a read sees it. What could not be
    /// written is the concern of whoever handed it in.
    async fn written(&self) -> Result<(), StoreError> {
        self.hurry(Vec::new()).await.map(drop)
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn record(&self, decision: Arc<RouteDecision>) -> Result<(), StoreError> {
        let row = Box::new(DecisionRow::new(&decision)?);
        let (done, written) = oneshot::channel();
        self.send(Command::Record { row, done }).await?;
        written.await.map_err(|_| closed())?
    }

    async fn note(&self, note: Note) -> Result<(), StoreError> {
        let rows = vec![NoteRow::new(note)?];
        self.send(Command::Notes { rows, done: None }).await
    }

    async fn settle(&self, notes: Vec<Note>) -> Result<(), StoreError> {
        let rows = notes.into_iter().map(NoteRow::new);
        self.hurry(rows.collect::<Result<_, _>>()?).await?
    }

    async fn decision(&self, id: &str) -> Result<Option<RouteDecision>, StoreError> {
        self.written().await?;
        read::decision(&self.readers, id).await
    }

    async fn decisions(&self, filter: &DecisionFilter) -> Result<Vec<RouteDecision>, StoreError> {
        self.written().await?;
        read::decisions(&self.readers, filter).await
    }

    async fn context_agent(
        &self,
        caller: &str,
        context_id: &str,
    ) -> Result<Option<AgentId>, StoreError> {
        self.written().await?;
        read::context_agent(&self.readers, caller, context_id).await
    }

    async fn tasks(&self, filter: &TaskFilter) -> Result<TaskPage, StoreError> {
        self.written().await?;
        read::tasks(&self.readers, filter).await
    }

    async fn task_decision(
        &self,
        caller: &str,
        agent: &AgentId,
        task_id: &str,
    ) -> Result<Option<String>, StoreError> {
        self.written().await?;
        read::task_decision(&self.readers, caller, agent, task_id).await
    }

    async fn lessons(&self, after: i64) -> Result<Vec<Lesson>, StoreError> {
        self.written().await?;
        lessons::lessons(&self.readers, after).await
    }

    async fn forgotten(&self) -> Result<Vec<Forget>, StoreError> {
        self.written().await?;
        lessons::forgotten(&self.readers).await
    }

    async fn close(&self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

fn closed() -> StoreError {
    StoreError("the store is closed".to_owned())
}
