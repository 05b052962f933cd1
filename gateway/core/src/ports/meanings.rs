//! What was read of cards, kept over restarts.

use std::fmt;

use async_trait::async_trait;

/// Keeps what was read of cards, under names that tell card and model. It may forget anything at any time.
#[async_trait]
pub trait MeaningStore: Send + Sync + fmt::Debug {
    /// Returns what was kept.
    async fn recall(&self, name: &str) -> Option<Vec<u8>>;
    /// Keeps something.
    async fn keep(&self, name: &str, content: &[u8]);
}
