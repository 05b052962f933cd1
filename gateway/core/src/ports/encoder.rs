//! The sentence encoder: what turns texts into directions that can be compared across languages. It may be a model in
//! this process or one behind a network.

use std::fmt;

use async_trait::async_trait;

/// Turns texts into vectors; texts that mean the same point the same way.
#[async_trait]
pub trait SentenceEncoder: Send + Sync + fmt::Debug {
    /// Returns the name of the model, which changes with its numbers.
    fn name(&self) -> &str;

    /// Reads the text of a request, which waits for it.
    ///
    /// # Errors
    /// When it cannot be read soon.
    async fn request(&self, text: &str) -> Result<Vec<f32>, EncodingError>;

    /// Reads texts for which no request waits. Returns one vector for each, all of the width that requests have; of
    /// length 1, or all 0 for a text without meaning to the model.
    ///
    /// # Errors
    /// When one of them cannot be read.
    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodingError>;

    /// Returns what keeps it from reading at present, with the next step.
    fn problem(&self) -> Option<String> {
        None
    }
}

/// Why texts could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// It may work later.
    #[error("{0}")]
    Unavailable(String),
    /// These texts will not be read.
    #[error("{0}")]
    Refused(String),
}
