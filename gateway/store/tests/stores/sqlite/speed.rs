//! Measures, does not judge: `cargo test --release -p gateway-store -- --ignored --nocapture speed`.

use std::{path::Path, sync::Arc, time::Duration};

use futures_util::future::{join, join_all};
use gateway_core::ports::{Note, Store};
use gateway_store::SqliteStore;
use tokio::time::Instant;
use uuid::Uuid;

use super::open;
use crate::suite::samples::{attempt, decision, task_note};

/// Writes what one call of an agent that answers at once with a completed task writes.
async fn call(store: &SqliteStore) {
    let mut decision = decision(0);
    decision.id = Uuid::now_v7().to_string();
    let task = task_note(&decision.id, &Uuid::new_v4().to_string(), "completed");
    let attempt = Note::Attempt {
        decision: decision.id.clone(),
        attempt: attempt(1),
    };
    let recording = store.record(Arc::new(decision));
    let (recorded, settled) = join(recording, store.settle(vec![attempt, task])).await;
    recorded.and(settled).unwrap();
}

async fn call_for(store: Arc<SqliteStore>, span: Duration) -> u32 {
    let end = Instant::now() + span;
    let mut count = 0;
    while Instant::now() < end {
        call(&store).await;
        count += 1;
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn speed_of_calls() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = Arc::new(open(&folder.path().join(Path::new("store.db"))).await);
    let mut took = Vec::new();
    for _ in 0..300 {
        let begin = Instant::now();
        call(&store).await;
        took.push(begin.elapsed());
    }
    took.sort();
    println!("one caller: median {:?}, 99 % {:?}", took[150], took[297]);
    let span = Duration::from_secs(5);
    let callers = (0..64).map(|_| tokio::spawn(call_for(Arc::clone(&store), span)));
    let counts: u32 = join_all(callers)
        .await
        .into_iter()
        .map(Result::unwrap)
        .sum();
    println!(
        "64 callers: {} calls/s",
        f64::from(counts) / span.as_secs_f64()
    );
}
