//! Measures, does not judge: `cargo test --release -p gateway-store -- --ignored --nocapture speed`.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::{join, join_all};
use gateway_core::{
    decision::{RouteDecision, Verdict},
    ports::{Note, Store},
};
use gateway_store::SqliteStore;
use tokio::time::Instant;
use uuid::Uuid;

use super::open;
use crate::suite::samples::{attempt, candidate, decision, task_note};

/// Makes the decision of a call.
type Made = fn() -> RouteDecision;

fn among_three() -> RouteDecision {
    decision(0)
}

/// One that lists as many candidates as there may be, other ones each time.
fn among_a_thousand() -> RouteDecision {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    let mut made = decision(0);
    made.candidates = (0..51)
        .map(|place| {
            let verdict = match place {
                0 => Verdict::Chosen,
                1..=20 => Verdict::Outscored,
                _ => Verdict::Discarded,
            };
            candidate(
                &format!("agent-{}", (turn * 31 + place * 19) % 1000),
                verdict,
            )
        })
        .collect();
    made
}

/// Writes what one call of an agent that answers at once with a completed task writes.
async fn call(store: &SqliteStore, made: Made) {
    let mut decision = made();
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

async fn call_for(store: Arc<SqliteStore>, made: Made, span: Duration) -> u32 {
    let end = Instant::now() + span;
    let mut count = 0;
    while Instant::now() < end {
        call(&store, made).await;
        count += 1;
    }
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn speed_of_calls() {
    let cases: [(&str, Made); 2] = [
        ("3 candidates", among_three),
        ("51 of 1,000 candidates", among_a_thousand),
    ];
    for (name, made) in cases {
        println!("{name}: {}", measure(made).await);
    }
}

async fn measure(made: Made) -> String {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join(Path::new("store.db"));
    let store = Arc::new(open(&path).await);
    let mut took = Vec::new();
    for _ in 0..300 {
        let begin = Instant::now();
        call(&store, made).await;
        took.push(begin.elapsed());
    }
    took.sort();
    let span = Duration::from_secs(5);
    let callers = (0..64).map(|_| tokio::spawn(call_for(Arc::clone(&store), made, span)));
    let counts: u32 = join_all(callers)
        .await
        .into_iter()
        .map(Result::unwrap)
        .sum();
    store.close().await;
    format!(
        "one caller: median {:?}, 99 % {:?}; 64 callers: {} calls/s, {} bytes of the file each",
        took[150],
        took[297],
        f64::from(counts) / span.as_secs_f64(),
        fs::metadata(&path).unwrap().len() / u64::from(counts + 300)
    )
}
