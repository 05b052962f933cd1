use std::path::Path;

use sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions};
use tokio::sync::oneshot;

use super::*;
use crate::{
    row::{DecisionRow, OutcomeColumns},
    sqlite::open,
};

fn row(id: &str) -> Box<DecisionRow> {
    Box::new(DecisionRow {
        id: id.to_owned(),
        at: 0,
        caller: "ana".to_owned(),
        attempts: String::new(),
        outcome: OutcomeColumns::default(),
        teaches: None,
        skill: String::new(),
        candidates: Vec::new(),
        body: vec![b'x'; 10_000],
    })
}

async fn writer(path: &Path) -> (Writer, mpsc::Sender<Command>) {
    let open::Opened {
        lock,
        connection,
        readers,
    } = open::open(path).await.unwrap();
    let (queue, commands) = mpsc::channel(64);
    let (stop, retention) = (CancellationToken::new(), Retention::default());
    (
        Writer {
            connection,
            numbers: AgentNumbers::default(),
            readers,
            commands,
            stop,
            retention,
            lock,
        },
        queue,
    )
}

/// Writes decisions in one batch and returns who got which answer.
async fn write(writer: &mut Writer, ids: &[String]) -> Vec<Result<(), String>> {
    let (mut batch, mut answers) = (Vec::new(), Vec::new());
    for id in ids {
        let (done, answer) = oneshot::channel();
        batch.push(Command::Record { row: row(id), done });
        answers.push(answer);
    }
    writer.write(&mut batch).await;
    let mut results = Vec::new();
    for answer in answers {
        results.push(answer.await.unwrap().map_err(|error| error.to_string()));
    }
    results
}

async fn execute(writer: &mut Writer, statement: &'static str) {
    sqlx::raw_sql(statement)
        .execute(&mut writer.connection)
        .await
        .unwrap();
}

fn ids(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{prefix}-{n}")).collect()
}

#[tokio::test]
async fn full_disk_fails_what_does_not_fit_and_nothing_after() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, _queue) = writer(&folder.path().join("store.db")).await;
    execute(&mut writer, "PRAGMA max_page_count = 60").await;
    let answers = write(&mut writer, &ids("many", 50)).await;
    let failed: Vec<_> = answers
        .iter()
        .filter_map(|answer| answer.as_ref().err())
        .collect();
    assert!(
        !failed.is_empty() && failed.len() < 50,
        "{} failed",
        failed.len()
    );
    assert!(
        failed.iter().all(|error| error.contains("full")),
        "{failed:?}"
    );
    execute(&mut writer, "PRAGMA max_page_count = 10000").await;
    assert!(
        write(&mut writer, &ids("later", 50))
            .await
            .iter()
            .all(Result::is_ok)
    );
}

#[tokio::test]
async fn file_held_by_another_process_fails_the_batch_at_once_and_nothing_after() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let (mut writer, _queue) = writer(&path).await;
    let other = SqliteConnectOptions::new().filename(&path);
    let mut other = other.connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    execute(&mut writer, "PRAGMA busy_timeout = 200").await;
    let begun = tokio::time::Instant::now();
    for answer in write(&mut writer, &ids("held", 50)).await {
        let error = answer.unwrap_err();
        assert!(
            error.starts_with("cannot record decision `held-") && error.contains("locked"),
            "{error}"
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "one wait for all, not one for each"
    );
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    assert!(
        write(&mut writer, &ids("later", 50))
            .await
            .iter()
            .all(Result::is_ok)
    );
}

fn note(done: Option<oneshot::Sender<Result<(), gateway_core::ports::StoreError>>>) -> Command {
    let rows = Vec::new();
    Command::Notes { rows, done }
}

/// Returns how long a note waits for company, when the rest comes after it, and how much it gets.
async fn gather(rest: Vec<Command>) -> (Duration, usize) {
    let (mut writer, queue) = writer(Path::new(":memory:")).await;
    for command in rest {
        queue.send(command).await.unwrap();
    }
    let mut batch = vec![note(None)];
    let begun = tokio::time::Instant::now();
    writer.gather(&mut batch).await;
    (begun.elapsed(), batch.len())
}

#[tokio::test(start_paused = true)]
async fn notes_wait_for_company_and_for_nobody_in_a_hurry() {
    assert_eq!(gather(vec![]).await, (PATIENCE, 1));
    assert_eq!(gather(vec![note(None), note(None)]).await, (PATIENCE, 3));
    let (done, _waiting) = oneshot::channel();
    let hurry = vec![note(None), note(Some(done))];
    assert_eq!(gather(hurry).await, (Duration::ZERO, 3));
}
