//! Webhooks and their notifications outlive the process.

use gateway_core::ports::Store;

use super::open;
use crate::suite::{
    push::{add, confirm, notify, payloads, webhook},
    samples::millis,
};

#[tokio::test]
async fn what_a_process_had_claimed_is_free_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    add(&store, webhook("c-1")).await;
    confirm(&store, "c-1", "t-1").await;
    notify(&store, "c-1", "a", None).await;
    notify(&store, "c-1", "b", None).await;
    assert_eq!(payloads(&store, millis(30)).await, ["a"]);
    store.close().await;
    let store = open(&path).await;
    assert_eq!(payloads(&store, millis(30)).await, ["a"]);
}
