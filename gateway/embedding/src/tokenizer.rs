//! Cuts a text into tokens as SentencePiece does with a model of the kind "unigram".
//!
//! Written here because it must agree with SentencePiece in every token and must stand broken files and hostile texts;
//! libraries that promise the first differ in details, and bring more code than this.

pub(crate) mod file;
mod normalizer;
mod vocabulary;

use std::path::Path;

use prost::Message;

use self::{
    file::{Kind, ModelFile, NormalizerSpec, Piece},
    normalizer::Normalizer,
    vocabulary::Vocabulary,
};
use crate::ModelError;

/// Knows the vocabulary of a model and how to write text for it.
pub(crate) struct Tokenizer {
    normalizer: Normalizer,
    vocabulary: Vocabulary,
    start: u32,
    end: u32,
    size: usize,
}

impl Tokenizer {
    pub(crate) fn parse(path: &Path, content: &[u8]) -> Result<Self, ModelError> {
        let broken = |reason: &str| ModelError::broken(path, reason);
        let file = ModelFile::decode(content).map_err(|error| {
            ModelError::broken(path, format!("it is no SentencePiece model: {error}"))
        })?;
        check(&file).map_err(broken)?;
        let mark = |text: &str, kind: Kind| {
            let found = (0..)
                .zip(&file.pieces)
                .find(|(_, piece)| is(piece, text, kind));
            found
                .map(|(token, _)| token)
                .ok_or_else(|| broken(&format!("it has no piece `{text}`")))
        };
        let (unknown, start, end) = (
            mark("<unk>", Kind::Unknown)?,
            mark("<s>", Kind::Control)?,
            mark("</s>", Kind::Control)?,
        );
        let charsmap = file
            .normalizer
            .unwrap_or_default()
            .charsmap
            .unwrap_or_default();
        Ok(Self {
            normalizer: Normalizer::parse(&charsmap).map_err(broken)?,
            size: file.pieces.len(),
            vocabulary: Vocabulary::new(file.pieces, unknown).map_err(broken)?,
            start,
            end,
        })
    }

    /// Returns how many tokens there are: a token is less than that.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns the tokens of a text between those that mark its start and end, at most `limit`. What lies behind the
    /// first `bytes` of the text is not read.
    pub(crate) fn tokens(&self, text: &str, limit: usize, bytes: usize) -> Vec<u32> {
        let text = text.split_at(text.floor_char_boundary(bytes)).0;
        let mut tokens = vec![self.start];
        tokens.extend(self.vocabulary.cut(&self.normalizer.apply(text, bytes)));
        tokens.truncate(limit - 1);
        tokens.push(self.end);
        tokens
    }
}

fn is(piece: &Piece, text: &str, kind: Kind) -> bool {
    piece.kind() == kind && piece.text() == text
}

/// Checks that the model is of the one kind that is understood here.
fn check(file: &ModelFile) -> Result<(), &'static str> {
    let trainer = file.trainer.unwrap_or_default();
    if trainer.model_type() != 1 || trainer.byte_fallback() || trainer.treat_whitespace_as_suffix()
    {
        return Err("it is no SentencePiece model of the kind `unigram`");
    }
    let normalizer = file.normalizer.as_ref();
    let usual = |normalizer: &NormalizerSpec| {
        normalizer.add_dummy_prefix()
            && normalizer.remove_extra_whitespaces()
            && normalizer.escape_whitespaces()
    };
    if !normalizer.is_some_and(usual) {
        return Err("it writes white space in another way than is understood here");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
