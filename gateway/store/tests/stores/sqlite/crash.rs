//! A killed process loses nothing that it has acknowledged.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use futures_util::future::join;
use gateway_core::ports::{Note, Store};
use uuid::Uuid;

use super::open;
use crate::suite::samples::{attempt, decision};

const PATH: &str = "GATEWAY_STORE_CRASH_PATH";

/// How many records are acknowledged before the kill.
const RECORDS: usize = 200;

#[tokio::test]
async fn killed_process_keeps_every_acknowledged_record_and_note() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "sqlite::crash::child_records_until_killed",
            "--ignored",
            "--nocapture",
        ])
        .env(PATH, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged = Vec::new();
    let id = |line: &str| line.strip_prefix("acknowledged ").map(str::to_owned);
    while acknowledged.len() < RECORDS {
        let line = lines
            .next()
            .expect("the child records until it is killed")
            .unwrap();
        acknowledged.extend(id(&line));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it printed between the last line read and its end; a line cut short is no acknowledgement.
    acknowledged.extend(
        lines
            .map_while(Result::ok)
            .filter_map(|line| id(&line))
            .filter(|id| id.len() == 36),
    );

    assert!(
        path.with_extension("db-wal").exists(),
        "the kill came too late to show anything"
    );
    let store = open(&path).await;
    for id in &acknowledged {
        let decision = store.decision(id).await.unwrap();
        let attempts = decision.map(|decision| decision.attempts);
        assert_eq!(attempts, Some(vec![attempt(1)]), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs until killed, as a process of its own started by the test above"]
async fn child_records_until_killed() {
    let path = env::var_os(PATH).expect("started by the test above");
    let store = Arc::new(open(Path::new(&path)).await);
    let recorders = (0..8).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            loop {
                let mut decision = decision(0);
                decision.id = Uuid::now_v7().to_string();
                let id = decision.id.clone();
                let note = Note::Attempt {
                    decision: id.clone(),
                    attempt: attempt(1),
                };
                let recording = store.record(Arc::new(decision));
                let (recorded, settled) = join(recording, store.settle(vec![note])).await;
                recorded.and(settled).unwrap();
                writeln!(std::io::stdout(), "acknowledged {id}").unwrap();
            }
        })
    });
    futures_util::future::join_all(recorders).await;
}
