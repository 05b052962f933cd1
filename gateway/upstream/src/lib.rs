#![doc = include_str!("../README.md")]

mod agents;
mod cards;
mod embeddings;
mod failure;
pub mod guard;
mod read;
mod webhooks;

#[cfg(test)]
mod tests;

pub use agents::HttpAgents;
pub use cards::{CardFetcher, MissingKeys};
pub use embeddings::{EmbeddingsEndpoint, EmbeddingsSettings};
pub use webhooks::HttpWebhooks;
