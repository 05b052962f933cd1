//! The file: whose it is, what is refused, and that it keeps everything.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc, time::Duration};

use futures_util::future::join_all;
use gateway_core::ports::{Note, Store};
use gateway_store::{Retention, SqliteStore};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{
    open,
    retention::{LISTED, rows, until_left},
};
use crate::suite::samples::{
    agent, attempt, decision, everything, matching, millis, outcome, read, record, state, task,
};

async fn refusal(path: &Path) -> String {
    let error = SqliteStore::open(path, Retention::default())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(&format!("cannot open the store `{}`: ", path.display())),
        "{error}"
    );
    error
}

pub(super) async fn execute(path: &Path, statement: &'static str) {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn reopened_store_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let id = record(&store, decision(0)).await;
    store
        .note(Note::Attempt {
            decision: id.clone(),
            attempt: attempt(7),
        })
        .await
        .unwrap();
    task(&store, &id, "t-1", "working", millis(20)).await;
    let (caller, context_id) = ("0:ana".to_owned(), "c-1".to_owned());
    store
        .note(Note::Context {
            caller,
            context_id,
            agent: agent("becas"),
            at: millis(0),
        })
        .await
        .unwrap();
    let before = read(&store, &id).await;
    store.close().await;

    let store = open(&path).await;
    assert_eq!(read(&store, &id).await, before);
    assert_eq!(
        store.context_agent("0:ana", "c-1").await.unwrap(),
        Some(agent("becas"))
    );
    state(&store, "t-1", "completed", millis(500)).await;
    assert_eq!(outcome(&store, &id).await.state, "completed");
}

#[tokio::test]
async fn acknowledged_records_are_in_the_file_before_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let handed_in = (0..500).map(|n| store.record(Arc::new(decision(n))));
    assert!(join_all(handed_in).await.iter().all(Result::is_ok));
    // As it would be found by the next process, if this one died now.
    let found = folder.path().join("found.db");
    for end in ["", "-wal"] {
        let copied = |path: &Path| format!("{}{end}", path.display());
        fs::copy(copied(&path), copied(&found)).unwrap();
    }
    assert_eq!(matching(&open(&found).await, everything()).await.len(), 500);
}

#[tokio::test]
async fn close_writes_what_is_queued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let id = record(&store, decision(0)).await;
    for ms in 0..900 {
        store
            .note(Note::Attempt {
                decision: id.clone(),
                attempt: attempt(ms),
            })
            .await
            .unwrap();
    }
    store.close().await;
    assert!(
        !path.with_extension("db-wal").exists(),
        "the file alone must be a whole copy"
    );
    assert_eq!(read(&open(&path).await, &id).await.attempts.len(), 900);
}

#[tokio::test]
async fn dropped_store_writes_what_is_queued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let id = record(&store, decision(0)).await;
    store
        .note(Note::Attempt {
            decision: id.clone(),
            attempt: attempt(1),
        })
        .await
        .unwrap();
    drop(store);
    let store = open(&path).await;
    for _ in 0..100 {
        if !read(&store, &id).await.attempts.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the note was lost");
}

#[tokio::test]
async fn a_file_in_use_is_refused_to_a_second_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let first = open(&path).await;
    let refused = refusal(&path).await;
    assert!(
        refused.contains("another gateway uses it; stop that one"),
        "{refused}"
    );
    first.close().await;
    open(&path).await.close().await;
}

#[tokio::test]
async fn file_is_for_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    record(&store, decision(0)).await;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{:?}",
            entry.path()
        );
    }
}

#[tokio::test]
async fn missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(&folder.path().join("missing/store.db")).await;
    let named = format!(
        "there is no folder `{}`; create it",
        folder.path().join("missing").display()
    );
    assert!(error.contains(&named), "{error}");
}

#[tokio::test]
async fn folder_is_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(folder.path()).await;
    assert!(
        error.ends_with("it is a folder; name a file inside it"),
        "{error}"
    );
}

#[tokio::test]
async fn file_of_another_kind_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "remember the milk\n".repeat(100);
    fs::write(&path, &text).unwrap();
    let error = refusal(&path).await;
    assert!(
        error.ends_with("it is not an SQLite database; choose another path"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn database_of_another_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    execute(&path, "CREATE TABLE bookmarks (url TEXT)").await;
    let before = fs::read(&path).unwrap();
    let error = refusal(&path).await;
    assert!(
        error.ends_with("it is a database of another program; choose another path"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    open(&path).await.close().await;
    execute(
        &path,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', 1, x'00', 0)",
    )
    .await;
    let error = refusal(&path).await;
    assert!(
        error.contains("it has schema 9999 and this version knows schemas up to "),
        "{error}"
    );
    assert!(
        error.ends_with("start a newer version or choose another path"),
        "{error}"
    );
}

#[tokio::test]
async fn a_damaged_decision_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(record(&store, decision(n)).await);
    }
    execute(
        &path,
        "UPDATE decision_bodies SET body = substr(body, 1, 100) WHERE decision = 2;
         UPDATE decision_bodies SET body = x'ff0102' WHERE decision = 3",
    )
    .await;
    let left = [ids[3].clone(), ids[0].clone()];
    assert_eq!(matching(&store, everything()).await, left);
    for damaged in &ids[1..3] {
        let error = store.decision(damaged).await.unwrap_err().to_string();
        let named = format!("stored decision `{damaged}` is not readable: it");
        assert!(error.starts_with(&named), "{error}");
    }
    store.close().await;
    let retention = Retention {
        max_decisions: Some(1),
        ..Retention::default()
    };
    let store = SqliteStore::open(&path, retention).await.unwrap();
    let left = until_left(&store, 1).await;
    assert_eq!(left, [ids[3].clone()]);
    assert_eq!(rows(&path, LISTED).await, ["4"]);
}

#[tokio::test]
async fn memory_stores_are_apart() {
    let one = open(Path::new(":memory:")).await;
    let other = open(Path::new(":memory:")).await;
    let id = record(&one, decision(0)).await;
    assert_eq!(other.decision(&id).await.unwrap(), None);
    assert!(!Path::new(":memory:").exists());
}
