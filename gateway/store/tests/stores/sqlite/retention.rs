//! What is over the limits goes, and nothing else does.

use std::{path::Path, sync::Arc, time::Duration};

use futures_util::future::join_all;
use gateway_core::ports::{Note, Store};
use gateway_store::{Retention, SqliteStore};
use jiff::Timestamp;
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::open;
use crate::suite::samples::{
    agent, decision, everything, matching, millis, record, second, state, task,
};

/// The decisions that lists of candidates are kept of.
pub(super) const LISTED: &str = "SELECT CAST(decision AS TEXT) FROM considered ORDER BY decision";

/// Waits until so many decisions are left; removal runs in the background.
pub(super) async fn until_left(store: &SqliteStore, count: usize) -> Vec<String> {
    for _ in 0..200 {
        let left = matching(store, everything()).await;
        if left.len() == count {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!(
        "{} decisions are left, not {count}",
        matching(store, everything()).await.len()
    );
}

async fn reopen(path: &Path, retention: Retention) -> SqliteStore {
    SqliteStore::open(path, retention).await.unwrap()
}

pub(super) async fn rows(path: &Path, query: &'static str) -> Vec<String> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query_scalar(query)
        .fetch_all(&mut connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn oldest_decisions_over_the_number_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    for n in 0..450 {
        record(&store, decision(n)).await;
    }
    let all = matching(&store, everything()).await;
    store.close().await;

    let store = reopen(
        &path,
        Retention {
            max_decisions: Some(30),
            ..Retention::default()
        },
    )
    .await;
    assert_eq!(until_left(&store, 30).await, all[..30]);
    for table in [LISTED, "SELECT CAST(decision AS TEXT) FROM decision_bodies"] {
        assert_eq!(rows(&path, table).await.len(), 30, "{table}");
    }
}

#[tokio::test]
async fn blocks_go_with_the_last_of_their_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let recorded = (0..2100).map(|n| store.record(Arc::new(decision(n))));
    assert!(join_all(recorded).await.iter().all(Result::is_ok));
    store.close().await;
    const BLOCKS: &str =
        "SELECT DISTINCT CAST(block AS TEXT) FROM considered_blocks ORDER BY block";
    assert_eq!(rows(&path, BLOCKS).await, ["0", "1", "2"]);
    // Decisions are numbered from 1, so number 1024 is the first of block 1.
    for (max, blocks) in [
        (1077, &["1", "2"][..]),
        (1076, &["1", "2"]),
        (53, &["2"]),
        (1, &["2"]),
    ] {
        let retention = Retention {
            max_decisions: Some(max),
            ..Retention::default()
        };
        let store = reopen(&path, retention).await;
        until_left(&store, usize::try_from(max).unwrap()).await;
        assert_eq!(rows(&path, BLOCKS).await, blocks, "{max}");
        store.close().await;
    }
}

#[tokio::test]
async fn decisions_and_contexts_over_the_age_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let now = Timestamp::now();
    for n in 0..5 {
        let mut old = decision(n);
        old.at = now - Duration::from_secs(7200);
        record(&store, old).await;
    }
    let mut young = decision(10);
    young.at = now - Duration::from_secs(60);
    let young = record(&store, young).await;
    for (context_id, at) in [("old", now - Duration::from_secs(7200)), ("young", now)] {
        let (caller, context_id) = ("0:ana".to_owned(), context_id.to_owned());
        store
            .note(Note::Context {
                caller,
                context_id,
                agent: agent("becas"),
                at,
            })
            .await
            .unwrap();
    }
    store.close().await;

    let max_age = Some(Duration::from_secs(3600));
    let store = reopen(
        &path,
        Retention {
            max_age,
            ..Retention::default()
        },
    )
    .await;
    assert_eq!(until_left(&store, 1).await, [young]);
    assert_eq!(store.context_agent("0:ana", "old").await.unwrap(), None);
    assert_eq!(
        store.context_agent("0:ana", "young").await.unwrap(),
        Some(agent("becas"))
    );
}

#[tokio::test]
async fn tasks_go_once_they_have_ended_and_their_decisions_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    for (n, task_id) in [(0, "ended"), (1, "running"), (2, "shared"), (3, "shared")] {
        let id = record(&store, decision(n)).await;
        task(&store, &id, task_id, "working", second(n)).await;
    }
    state(&store, "ended", "completed", millis(9000)).await;
    state(&store, "shared", "completed", millis(9000)).await;
    store.close().await;

    let store = reopen(
        &path,
        Retention {
            max_decisions: Some(1),
            ..Retention::default()
        },
    )
    .await;
    until_left(&store, 1).await;
    const TASKS: &str = "SELECT task_id FROM tasks ORDER BY task_id";
    assert_eq!(rows(&path, TASKS).await, ["running", "shared"]);
    state(&store, "running", "completed", millis(9500)).await;
    until_left(&store, 1).await;
    assert_eq!(rows(&path, TASKS).await, ["shared"]);
}

#[tokio::test]
async fn lessons_outlive_their_decisions_and_go_by_their_own_age() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    let now = Timestamp::now();
    for (n, days) in [(1, 40), (2, 20), (3, 0)] {
        let mut taught = decision(n);
        taught.at = now - Duration::from_secs(days * 86_400);
        let id = record(&store, taught).await;
        let name = format!("t-{n}");
        task(&store, &id, &name, "working", now).await;
        state(&store, &name, "completed", now).await;
    }
    store.close().await;

    let retention = Retention {
        max_age: Some(Duration::from_secs(10 * 86_400)),
        max_lesson_age: Some(Duration::from_secs(30 * 86_400)),
        ..Retention::default()
    };
    let store = reopen(&path, retention).await;
    until_left(&store, 1).await;
    let today = now.as_second() / 86_400;
    for _ in 0..200 {
        let lessons = store.lessons(0).await.unwrap();
        let days: Vec<_> = lessons.iter().map(|lesson| today - lesson.day).collect();
        if days == [20, 0] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", store.lessons(0).await);
}
