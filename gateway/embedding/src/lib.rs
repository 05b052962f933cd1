#![doc = include_str!("../README.md")]

mod embedding;
mod encoder;
mod error;
mod network;
#[cfg(test)]
mod synthetic;
mod tokenizer;
mod weights;

pub use embedding::Embedding;
pub use encoder::{Encoder, MAX_TEXT, MAX_TOKENS};
pub use error::ModelError;
