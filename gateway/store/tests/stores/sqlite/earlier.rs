//! A file of an earlier schema opens as it is: its decisions are read, found, changed and removed beside new ones.

use std::path::{Path, PathBuf};

use gateway_core::{
    decision::{RouteDecision, Verdict},
    ports::{DecisionFilter, Store},
};
use gateway_store::{Retention, SqliteStore};
use tempfile::TempDir;

use super::{
    file::execute,
    open,
    retention::{rows, until_left},
};
use crate::suite::samples::{
    agent, attempt, candidate, decision, everything, matching, millis, outcome, read, record,
    second, state,
};

/// What the last version with schema 6 wrote, as SQL: decisions 0 to 3, tasks `t-0` (ended) and `t-1` of the first two.
const SCHEMA_6: &str = include_str!("schema-6.sql");

async fn file_of_schema_6() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    execute(&path, SCHEMA_6).await;
    (folder, path)
}

fn by_agent(id: &str) -> DecisionFilter {
    DecisionFilter {
        agent: Some(agent(id)),
        ..everything()
    }
}

/// Returns the decision that was recorded as number `n` of the file.
fn written(n: u32, read: &RouteDecision) -> RouteDecision {
    let mut written = decision(n);
    written.id.clone_from(&read.id);
    if n == 2 {
        written.candidates = vec![
            candidate("pagos", Verdict::Chosen),
            candidate("cartas", Verdict::Outscored),
        ];
    }
    written.attempts = vec![attempt(7)];
    written.outcome.clone_from(&read.outcome);
    written
}

#[tokio::test]
async fn its_decisions_come_back_unchanged() {
    let (_folder, path) = file_of_schema_6().await;
    let store = open(&path).await;
    let all = store.decisions(&everything()).await.unwrap();
    assert_eq!(all.len(), 4);
    for (n, decision) in (0..4).rev().zip(&all) {
        assert_eq!(*decision, written(n, decision));
        assert_eq!(read(&store, &decision.id).await, *decision);
    }
    assert_eq!(outcome(&store, &all[3].id).await.state, "completed");
    state(&store, "t-1", "completed", millis(900)).await;
    assert_eq!(outcome(&store, &all[2].id).await.state, "completed");
    assert_eq!(store.lessons(0).await.unwrap()[0].counts.completed, 2.0);
}

#[tokio::test]
async fn its_decisions_are_found_behind_new_ones() {
    let (_folder, path) = file_of_schema_6().await;
    let store = open(&path).await;
    let mut ids = matching(&store, everything()).await;
    ids.insert(0, record(&store, decision(4)).await);
    ids.reverse();
    type Change<'a> = &'a dyn Fn(&mut DecisionFilter);
    let outscored = |filter: &mut DecisionFilter| filter.verdict = Some("outscored".to_owned());
    let discarded = |filter: &mut DecisionFilter| filter.verdict = Some("discarded".to_owned());
    let of_caller = |filter: &mut DecisionFilter| filter.caller = Some("ana".to_owned());
    let cases: [(&str, Change<'_>, &[usize]); 9] = [
        ("becas", &|_| {}, &[4, 3, 1, 0]),
        ("becas", &|filter| filter.limit = 2, &[4, 3]),
        ("becas", &|filter| filter.limit = 1, &[4]),
        ("becas", &of_caller, &[4, 3, 1, 0]),
        ("cartas", &outscored, &[2]),
        ("cartas", &discarded, &[4, 3, 1, 0]),
        (
            "cartas",
            &|filter| filter.before = Some(ids[4].clone()),
            &[3, 2, 1, 0],
        ),
        (
            "cartas",
            &|filter| filter.before = Some(ids[2].clone()),
            &[1, 0],
        ),
        ("cartas", &|filter| filter.since = Some(second(3)), &[4, 3]),
    ];
    for (id, change, numbers) in cases {
        let mut filter = by_agent(id);
        change(&mut filter);
        let found = matching(&store, filter.clone()).await;
        let expected: Vec<_> = numbers.iter().map(|&n| ids[n].clone()).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

#[tokio::test]
async fn its_decisions_are_removed_with_their_candidates() {
    let (_folder, path) = file_of_schema_6().await;
    let store = open(&path).await;
    record(&store, decision(4)).await;
    store.close().await;
    for (max, rows_left) in [(4, 8), (2, 3), (1, 0)] {
        let store = reopen(&path, max).await;
        until_left(&store, usize::try_from(max).unwrap()).await;
        let left = rows(&path, "SELECT agent FROM candidates").await;
        assert_eq!(left.len(), rows_left, "{max}");
        store.close().await;
    }
    let store = open(&path).await;
    assert_eq!(matching(&store, by_agent("becas")).await.len(), 1);
}

async fn reopen(path: &Path, max_decisions: u64) -> SqliteStore {
    let retention = Retention {
        max_decisions: Some(max_decisions),
        ..Retention::default()
    };
    SqliteStore::open(path, retention).await.unwrap()
}
