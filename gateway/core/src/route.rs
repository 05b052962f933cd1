//! Routing: which agent gets a message, and why not the others.
//!
//! Everything here is synchronous and free of I/O and clocks, so that live routing, `route explain` and
//! tests run the same code.

mod assess;
mod choice;
mod detail;
mod discarded;
pub mod features;
mod requirements;
pub mod score;
mod signals;
mod survey;

pub use choice::{Choice, Chosen, Question, choose, follow};
pub use features::{Features, ROUTING_EXTENSION};
pub use score::{SignalValues, contributions};
