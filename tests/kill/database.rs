//! What a killed gateway leaves on disk, looked at without the gateway.

use std::{fs, path::Path, time::Duration};

use gateway_core::ports::{DecisionFilter, Store as _};
use gateway_store::{Retention, SqliteStore};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::time::{Instant, sleep};

use crate::{client::Answered, gateway::STORE};

/// Checks a copy of the database and its write-ahead log, so that the gateway itself has to recover the original:
/// that it is whole, and has every answer with its task. Returns the number of decisions in it.
pub(crate) async fn check(folder: &Path, answered: &[Answered]) -> i64 {
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
    let halves = "SELECT count(*) FROM decisions d
        LEFT JOIN decision_bodies b ON b.decision = d.number LEFT JOIN considered k ON k.decision = d.number
        WHERE body IS NULL OR 2 IS NOT (SELECT count(*) FROM agents a
            WHERE instr(k.chosen || k.outscored || k.discarded, ',' || a.number || ','))";
    assert_eq!(
        count(&mut connection, halves).await,
        0,
        "decisions are half written"
    );
    let strays = "SELECT (SELECT count(*) FROM decision_bodies) + (SELECT count(*) FROM considered)
        - 2 * (SELECT count(*) FROM decisions)";
    assert_eq!(
        count(&mut connection, strays).await,
        0,
        "bodies or lists without a decision"
    );
    for answered in answered {
        check_task(&mut connection, answered).await;
    }
    let recorded = count(&mut connection, "SELECT count(*) FROM decisions").await;
    connection.close().await.unwrap();
    check_bodies(&copy.path().join(STORE), recorded).await;
    recorded
}

/// Reads all decisions; those that cannot be read are left out.
async fn check_bodies(path: &Path, recorded: i64) {
    let store = SqliteStore::open(path, Retention::default()).await.unwrap();
    let filter = DecisionFilter {
        limit: usize::MAX,
        ..DecisionFilter::default()
    };
    let decisions = store.decisions(&filter).await.unwrap();
    assert_eq!(i64::try_from(decisions.len()).unwrap(), recorded);
    assert!(
        decisions
            .iter()
            .all(|decision| decision.candidates.len() == 2)
    );
    store.close().await;
}

async fn check_task(connection: &mut SqliteConnection, answered: &Answered) {
    let task: Option<(String, String, String, String)> = sqlx::query_as(
        "SELECT agent, task_id, outcome, state
         FROM decisions JOIN tasks ON agent = task_agent AND task_id = outcome_task WHERE id = ?",
    )
    .bind(&answered.decision)
    .fetch_optional(connection)
    .await
    .unwrap();
    let state = answered.state.to_owned();
    let expected = (
        answered.agent.clone(),
        answered.number.clone(),
        state.clone(),
        state,
    );
    assert_eq!(task, Some(expected), "{answered:?}");
}

async fn count(connection: &mut SqliteConnection, query: &'static str) -> i64 {
    sqlx::query_scalar(query)
        .fetch_one(connection)
        .await
        .unwrap()
}

/// Waits until the cards of so many agents are on disk.
pub(crate) async fn remembers_cards(folder: &Path, agents: i64) {
    let options = SqliteConnectOptions::new()
        .filename(folder.join(STORE))
        .read_only(true);
    let mut connection = options.connect().await.unwrap();
    let limit = Instant::now() + Duration::from_secs(10);
    while count(&mut connection, "SELECT count(*) FROM card_sightings").await < agents {
        assert!(Instant::now() < limit, "cards are not remembered");
        sleep(Duration::from_millis(2)).await;
    }
}
