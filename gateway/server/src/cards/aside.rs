//! Writing and signing cards, done where no request waits: a large card takes its time.

use tokio::{sync::Semaphore, task::spawn_blocking};

/// Few at a time, as callers can ask for cards at as many addresses as they can think of, each of which is written
/// anew.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Does a piece of work when it is its turn; `None` if it ended abnormally.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    // Nobody closes it.
    let _turn = TURNS.acquire().await;
    spawn_blocking(work)
        .await
        .inspect_err(|error| tracing::error!(%error, "writing a card ended abnormally"))
        .ok()
}
