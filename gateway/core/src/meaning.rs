//! Meaning: cards and requests as directions in space, which are close for texts that say the same in other words
//! or in another language.
//!
//! Everything that can be said of anything lies a little in the direction of everything else. What a text has in
//! common with ordinary sentences is therefore taken off, by taking their mean off the request: what is left tells
//! cards apart, and is about 0 between texts that have nothing to do with each other. How far from 0 chance leads is
//! measured on these sentences too, so that closeness means the same with every model.

mod card;
mod catalog;
mod direction;
mod engine;
mod kept;
mod local;
mod ordinary;
mod standard;

use std::{
    borrow::Cow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

pub use self::{
    card::CardMeaning,
    catalog::Meanings,
    direction::Direction,
    engine::{FitEngine, RequestMeaning},
    local::LocalEncoder,
};
use self::{card::CardTexts, standard::Standard};
use crate::{
    fit::AgentText,
    ports::{EncodingError, MeaningStore, SentenceEncoder},
};

/// Bytes of the start and of the end of a long request that are read: all of some seventy words.
const END: usize = 200;

/// Reads meaning out of texts with a sentence encoder.
#[derive(Debug)]
pub struct Semantics {
    encoder: Arc<dyn SentenceEncoder>,
    kept: Option<Arc<dyn MeaningStore>>,
    /// How the model's closeness is read, once it has read the ordinary sentences.
    standard: OnceLock<Standard>,
    /// Whether the latest request could not be read.
    is_failing: AtomicBool,
}

impl Semantics {
    /// Takes an encoder, which has read nothing yet.
    #[must_use]
    pub fn new(encoder: Arc<dyn SentenceEncoder>) -> Self {
        Self {
            encoder,
            kept: None,
            standard: OnceLock::new(),
            is_failing: AtomicBool::new(false),
        }
    }

    /// Keeps what is read of cards over restarts.
    #[must_use]
    pub fn keeping(self, kept: Arc<dyn MeaningStore>) -> Self {
        Self {
            kept: Some(kept),
            ..self
        }
    }

    /// Reads the ordinary sentences, once; before that no request can be read.
    ///
    /// # Errors
    /// When the encoder cannot read them, or makes the same of all of them.
    pub async fn prepare(&self) -> Result<(), EncodingError> {
        if self.standard.get().is_none() {
            let vectors = self.encoder.texts(standard::texts()).await?;
            let standard = Standard::of(&vectors).ok_or_else(|| {
                let name = self.name();
                let problem =
                    format!("the model {name} makes the same of all texts: use another one");
                EncodingError::Unavailable(problem)
            })?;
            self.standard.get_or_init(|| standard);
        }
        Ok(())
    }

    /// Returns the name of the encoder's model.
    #[must_use]
    pub fn name(&self) -> &str {
        self.encoder.name()
    }

    /// Returns what keeps requests from being read at present, with the next step.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        self.encoder.problem()
    }

    /// Returns how close the model finds ordinary sentences that say different things: factor and summand that make of
    /// it what the weights expect. None before [`Semantics::prepare`].
    #[must_use]
    pub fn standard(&self) -> Option<(f32, f32)> {
        self.standard.get().map(Standard::line)
    }

    /// Reads a request; none if it means nothing to the model.
    ///
    /// # Errors
    /// When the encoder cannot read it soon.
    pub async fn request(&self, text: &str) -> Result<Option<Direction>, EncodingError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let Some(standard) = self.standard.get() else {
            let problem = self.problem();
            let problem = problem.unwrap_or_else(|| "the model is not ready yet".to_owned());
            return Err(EncodingError::Unavailable(problem));
        };
        let vector = self.encoder.request(&ends(text)).await?;
        let has_meaning = vector.iter().any(|value| *value != 0.0);
        Ok(has_meaning.then(|| standard.direction(vector)))
    }

    /// Reads a request like [`Semantics::request`]. One that cannot be read has to be routed by its words, which is
    /// logged when it begins and when it ends.
    async fn request_or_words(&self, text: &str) -> Result<Option<Direction>, EncodingError> {
        let read = self.request(text).await;
        let was_failing = self.is_failing.swap(read.is_err(), Ordering::Relaxed);
        match &read {
            Err(error) if !was_failing => {
                tracing::warn!(model = self.name(), %error, "messages are routed by words alone until their meaning can be read again");
            }
            Ok(_) if was_failing => {
                tracing::info!(model = self.name(), "the meaning of messages is read again");
            }
            _ => {}
        }
        read
    }

    /// Returns what was kept of a card, by its fingerprint.
    pub(crate) async fn recall(&self, fingerprint: &str) -> Option<CardMeaning> {
        let name = kept::name(self.name(), fingerprint);
        let bytes = self.kept.as_ref()?.recall(&name).await?;
        let width = self.standard.get()?.width();
        CardMeaning::from_bytes(&bytes).filter(|meaning| meaning.width == width)
    }

    /// Reads cards, given by fingerprint, all with one call of the encoder.
    ///
    /// # Errors
    /// When the encoder cannot read one of them.
    pub async fn cards<'a>(
        &self,
        cards: &[(&'a str, AgentText<'a>)],
    ) -> Result<Vec<CardMeaning>, EncodingError> {
        let texts: Vec<CardTexts> = cards.iter().map(|(_, text)| CardTexts::of(text)).collect();
        let all = texts.iter().flat_map(|card| &card.texts);
        let all: Vec<&str> = all.map(String::as_str).collect();
        let vectors = self.encoder.texts(&all).await?;
        let mut rest = vectors.as_slice();
        let mut read = Vec::with_capacity(cards.len());
        for (texts, (fingerprint, _)) in texts.iter().zip(cards) {
            let own = rest.split_off(..texts.texts.len()).ok_or_else(|| {
                EncodingError::Unavailable("the model returned too few vectors".to_owned())
            })?;
            let meaning = CardMeaning::of(texts, own);
            if let Some(kept) = &self.kept {
                let name = kept::name(self.name(), fingerprint);
                kept.keep(&name, &meaning.to_bytes()).await;
            }
            read.push(meaning);
        }
        Ok(read)
    }
}

/// Returns how many texts of a card are read.
pub(crate) fn texts_of(card: &AgentText<'_>) -> usize {
    CardTexts::of(card).texts.len()
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

#[cfg(test)]
mod tests;
