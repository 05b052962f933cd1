//! Meaning: cards and requests as directions in space, which are close for texts that say the same in other words
//! or in another language.
//!
//! Everything that can be said of anything lies a little in the direction of everything else. What a text has in
//! common with ordinary sentences is therefore taken off, by taking their mean off the request: what is left tells
//! cards apart, and is about 0 between texts that have nothing to do with each other.

mod card;
mod catalog;
mod direction;
mod engine;
mod ordinary;

use std::{borrow::Cow, sync::Arc};

use tokio::sync::Semaphore;

use self::ordinary::ORDINARY;
pub use self::{card::CardMeaning, catalog::Meanings, direction::Direction, engine::FitEngine};
use crate::{fit::AgentText, ports::SentenceEncoder};

/// Bytes of the start and of the end of a long request that are read: all of some seventy words.
const END: usize = 200;

/// Reads meaning out of texts with a sentence encoder.
#[derive(Debug)]
pub struct Semantics {
    encoder: Arc<dyn SentenceEncoder>,
    /// The mean of ordinary sentences.
    ordinary: Vec<f32>,
    /// Requests that are read at the same time.
    places: Semaphore,
}

impl Semantics {
    /// Prepares an encoder, which reads some sentences for that.
    #[must_use]
    pub fn new(encoder: Arc<dyn SentenceEncoder>) -> Self {
        let ordinary = mean(&encoder.encode(&ORDINARY));
        let places = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            encoder,
            ordinary,
            places: Semaphore::new(places),
        }
    }

    /// Returns the name of the encoder's model.
    #[must_use]
    pub fn name(&self) -> &str {
        self.encoder.name()
    }

    /// Reads a request; none if it means nothing to the model. Keeps a processor busy for some milliseconds.
    #[must_use]
    pub fn request(&self, text: &str) -> Option<Direction> {
        if text.trim().is_empty() {
            return None;
        }
        let mut vector = self.encoder.encode(&[&*ends(text)]).pop()?;
        if vector.iter().all(|value| *value == 0.0) {
            return None;
        }
        for (value, ordinary) in vector.iter_mut().zip(&self.ordinary) {
            *value -= ordinary;
        }
        Some(Direction::new(&vector))
    }

    /// Reads a request on a thread where no other request waits, as many at once as there are processors. None also
    /// if the encoder breaks, which is logged: the words of the request are left to route by.
    pub async fn request_aside(self: &Arc<Self>, text: String) -> Option<Direction> {
        let _place = self.places.acquire().await.ok()?;
        let semantics = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || semantics.request(&text));
        reading.await.unwrap_or_else(|error| {
            tracing::error!(error = %error, "the sentence encoder broke; routing this message by words alone");
            None
        })
    }

    /// Reads a card. Keeps a processor busy for some milliseconds a text.
    #[must_use]
    pub fn card(&self, agent: &AgentText<'_>) -> CardMeaning {
        CardMeaning::read(&*self.encoder, agent)
    }
}

/// Returns start and end of a text that is too long to be read within the time a request has: what is wanted is said
/// there, the story is in between.
fn ends(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * END {
        return Cow::Borrowed(text);
    }
    let start = text.floor_char_boundary(END);
    let end = text.ceil_char_boundary(text.len() - END);
    let (start, end) = (text.get(..start), text.get(end..));
    Cow::Owned(format!(
        "{} {}",
        start.unwrap_or_default(),
        end.unwrap_or_default()
    ))
}

/// Returns the mean of vectors of one width.
fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
    let share = 1.0 / f32::from(u16::try_from(vectors.len()).unwrap_or(u16::MAX));
    for vector in vectors {
        for (mean, value) in mean.iter_mut().zip(vector) {
            *mean += value * share;
        }
    }
    mean
}

#[cfg(test)]
mod tests;
