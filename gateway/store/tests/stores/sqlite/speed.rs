//! Measures, does not judge: `cargo test --release -p gateway-store -- --ignored --nocapture speed`.

use std::{path::Path, sync::Arc, time::Duration};

use futures_util::future::join_all;
use gateway_core::ports::Store;
use gateway_store::SqliteStore;
use tokio::time::Instant;
use uuid::Uuid;

use super::open;
use crate::suite::samples::decision;

async fn record_one(store: &SqliteStore) {
    let mut decision = decision(0);
    decision.id = Uuid::now_v7().to_string();
    store.record(Arc::new(decision)).await.unwrap();
}

async fn record_for(store: Arc<SqliteStore>, span: Duration) -> u32 {
    let end = Instant::now() + span;
    let mut count = 0;
    while Instant::now() < end {
        record_one(&store).await;
        count += 1;
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn speed_of_records() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = Arc::new(open(&folder.path().join(Path::new("store.db"))).await);
    let mut took = Vec::new();
    for _ in 0..300 {
        let begin = Instant::now();
        record_one(&store).await;
        took.push(begin.elapsed());
    }
    took.sort();
    println!("one caller: median {:?}, 99 % {:?}", took[150], took[297]);
    let span = Duration::from_secs(5);
    let callers = (0..64).map(|_| tokio::spawn(record_for(Arc::clone(&store), span)));
    let counts: u32 = join_all(callers)
        .await
        .into_iter()
        .map(Result::unwrap)
        .sum();
    println!(
        "64 callers: {} records/s",
        f64::from(counts) / span.as_secs_f64()
    );
}
