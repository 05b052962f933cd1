//! A university's federation of five small A2A agents.
//!
//! A behaviour is one file under `agents/`; everything else here is what any A2A server needs, so a new
//! agent is a variant of [`Agent`] and a file.
#![doc = include_str!("../README.md")]

mod agents;
mod card;
mod dialect;
mod dispatch;
mod fault;
mod federation;
mod listing;
mod request;
mod service;
mod store;
mod task;
mod text;
mod turn;

pub use agents::Agent;
pub use federation::{Federation, Options};
pub use service::serve;
