//! Measures how well messages are routed, on labelled requests and real cards.
//!
//! Requests take the product's own path: cards are parsed, accepted into a catalog and scored by
//! [`gateway_core::route::choose`] with the built-in profile. What comes out is compared with the labels.

pub mod catalog;
mod dice;
pub mod engine;
pub mod figures;
pub mod labelled;
pub mod report;
pub mod targets;
pub mod tricks;
pub mod unrelated;
pub mod weigh;

use std::{error::Error, path::PathBuf};

/// What a step of the measurement returns.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Returns the folder of the labelled set that is checked in.
#[must_use]
pub fn dev_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("dev")
}
