//! What SQLite adds to the contract: one private file that outlives the process, and its limits.

use std::path::Path;

use gateway_store::{Retention, SqliteStore};
use tempfile::TempDir;

mod crash;
mod earlier;
mod file;
mod pins;
mod push;
mod retention;
mod speed;

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, Retention::default()).await.unwrap()
}

mod contract_in_a_file {
    crate::suite::contract!(super::in_a_file);
}

mod contract_in_memory {
    crate::suite::contract!(super::in_memory);
}

async fn in_a_file() -> (SqliteStore, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (open(&folder.path().join("store.db")).await, folder)
}

async fn in_memory() -> (SqliteStore, ()) {
    (open(Path::new(":memory:")).await, ())
}
