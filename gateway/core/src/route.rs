//! Routing: which agent gets a message, and why not the others.
//!
//! Everything here is synchronous and free of I/O and clocks, so that live routing, `route explain` and
//! tests run the same code.

mod ambiguity;
mod assess;
mod choice;
pub mod counterfactual;
mod detail;
mod discarded;
mod effects;
mod explore;
pub mod features;
mod leaders;
mod recorded;
mod requirements;
pub mod rules;
pub mod score;
mod shadow;
mod signals;
mod survey;
pub(crate) mod wishes;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub use assess::{TIE, tie_break};
pub use choice::{Alternative, Choice, Chosen, Question, choose, choose_beside, follow};
pub use features::{Features, ROUTING_EXTENSION};
pub use recorded::{Recorded, SignalName};
pub use score::{SignalValues, contributions};
