//! Every implementation of the store port against the same contract, and each one's own promises.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers as well"
)]

mod sqlite;
mod suite;
