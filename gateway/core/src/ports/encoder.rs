//! The sentence encoder: what turns texts into directions that can be compared across languages.

use std::fmt;

/// Turns texts into vectors; texts that mean the same point the same way. Busy while it works and free of I/O, so it
/// is called where no request waits for a thread.
pub trait SentenceEncoder: Send + Sync + fmt::Debug {
    /// Returns the name of the model, which changes with its numbers.
    fn name(&self) -> &str;

    /// Returns one vector for each text, all of the same width; of length 1, or all 0 for a text without meaning to
    /// the model.
    fn encode(&self, texts: &[&str]) -> Vec<Vec<f32>>;
}
