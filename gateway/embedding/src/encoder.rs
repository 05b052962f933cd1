//! A model that was read from its folder, ready to encode.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{Embedding, ModelError, network::Network, tokenizer::Tokenizer, weights::Weights};

/// The most tokens of one text that are looked at, its start and end included.
pub const MAX_TOKENS: usize = 256;

/// The most bytes of one text that are looked at: sixteen for each token, where a token has four on average.
pub const MAX_TEXT: usize = 4096;

/// The most tokens that are computed at once. More would not be faster, but would leave the processor's cache.
const BATCH_TOKENS: usize = 384;

/// Encodes texts. Holds the whole model in memory and nothing that changes, so one serves all threads.
pub struct Encoder {
    name: String,
    tokenizer: Tokenizer,
    network: Network,
}

impl Encoder {
    /// Reads the model in a folder, which takes a fraction of a second.
    ///
    /// # Errors
    ///
    /// Fails if a file is missing, cannot be read, or holds no model of the kind that is understood here.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("sentencepiece.model");
        let tokenizer = Tokenizer::parse(&path, &read(&path)?)?;
        let path = folder.join("weights.safetensors");
        let content = read(&path)?;
        Self::new(tokenizer, &Weights::parse(&path, &content)?)
    }

    fn new(tokenizer: Tokenizer, weights: &Weights<'_>) -> Result<Self, ModelError> {
        let network = Network::read(weights)?;
        let (pieces, tokens) = (tokenizer.size(), network.tokens());
        if pieces > tokens {
            let reason = format!("it knows {tokens} tokens, but the tokenizer has {pieces}");
            return Err(weights.broken(reason));
        }
        Ok(Self {
            name: weights.name().to_owned(),
            tokenizer,
            network,
        })
    }

    /// Returns the model's name and the beginning of its digest: texts encoded by models of the same name can be compared.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Encodes a text, of which it reads [`MAX_TEXT`] bytes and [`MAX_TOKENS`] tokens. Takes a few milliseconds on one
    /// processor, in proportion to the text.
    pub fn encode(&self, text: &str) -> Embedding {
        let tokens = self.tokens(text);
        let vectors = self.network.forward(&[&tokens]);
        Embedding::normalized(vectors.into_raw_vec_and_offset().0)
    }

    /// Encodes many texts, each as if it were alone, but for rounding. Faster than one by one if they are short.
    pub fn encode_all<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Vec<Embedding> {
        let mut embeddings = Vec::new();
        let mut waiting: Vec<Vec<u32>> = Vec::new();
        for text in texts {
            let tokens = self.tokens(text);
            let together: usize = waiting.iter().map(Vec::len).sum();
            if together + tokens.len() > BATCH_TOKENS {
                self.flush(&mut waiting, &mut embeddings);
            }
            waiting.push(tokens);
        }
        self.flush(&mut waiting, &mut embeddings);
        embeddings
    }

    /// Encodes many texts like [`Encoder::encode_all`], into plain vectors.
    pub fn vectors(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let embeddings = self.encode_all(texts.iter().copied()).into_iter();
        embeddings
            .map(|embedding| embedding.as_slice().to_vec())
            .collect()
    }

    fn flush(&self, waiting: &mut Vec<Vec<u32>>, into: &mut Vec<Embedding>) {
        let sentences: Vec<&[u32]> = waiting.iter().map(Vec::as_slice).collect();
        let vectors = self.network.forward(&sentences);
        into.extend(
            vectors
                .rows()
                .into_iter()
                .map(|row| Embedding::normalized(row.to_vec())),
        );
        waiting.clear();
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.tokens(text, MAX_TOKENS, MAX_TEXT)
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Encoder");
        fields.field("name", &self.name).finish_non_exhaustive()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    fs::read(path).map_err(|error| {
        let path = PathBuf::from(path);
        match error.kind() {
            io::ErrorKind::NotFound => ModelError::Missing(path),
            _ => ModelError::Unreadable(path, error),
        }
    })
}

#[cfg(test)]
mod tests;
