//! What a killed gateway leaves on disk, looked at without the gateway.

use std::{fs, path::Path};

use sqlx::{ConnectOptions as _, SqliteConnection, sqlite::SqliteConnectOptions};

use crate::gateway::STORE;

/// Checks a copy of the database and its write-ahead log, so that the gateway itself has to recover the original.
/// Returns the number of decisions in it.
pub(crate) async fn check(folder: &Path) -> i64 {
    let copy = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let log = format!("{STORE}-wal");
    for file in [STORE, &log] {
        fs::copy(folder.join(file), copy.path().join(file)).unwrap();
    }
    assert!(
        fs::metadata(copy.path().join(log)).unwrap().len() > 0,
        "nothing was under way on disk"
    );
    let options = SqliteConnectOptions::new().filename(copy.path().join(STORE));
    let mut connection = options.connect().await.unwrap();

    let integrity: String = sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(integrity, "ok");
    assert_eq!(
        count(
            &mut connection,
            "SELECT count(*) FROM pragma_foreign_key_check"
        )
        .await,
        0
    );
    let halves = "SELECT count(*) FROM decisions LEFT JOIN decision_bodies ON decision_id = id
        WHERE body IS NULL OR NOT json_valid(body) OR json_extract(body, '$.id') <> id
           OR json_array_length(body, '$.candidates') <> 2
           OR (SELECT count(*) FROM candidates WHERE candidates.decision_id = id) <> 2";
    assert_eq!(
        count(&mut connection, halves).await,
        0,
        "decisions are half written"
    );
    let strays = "SELECT (SELECT count(*) FROM decision_bodies) - (SELECT count(*) FROM decisions)";
    assert_eq!(
        count(&mut connection, strays).await,
        0,
        "bodies without a decision"
    );
    count(&mut connection, "SELECT count(*) FROM decisions").await
}

async fn count(connection: &mut SqliteConnection, query: &'static str) -> i64 {
    sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .unwrap()
}
