//! Routing: which agent gets a message, and why not the others.
//!
//! Everything here is synchronous and free of I/O and clocks, so that live routing, `route explain` and
//! tests run the same code.

mod assess;
mod choice;
pub mod counterfactual;
mod detail;
mod discarded;
pub mod features;
mod recorded;
mod requirements;
pub mod score;
mod signals;

pub use assess::{TIE, tie_break};
pub use choice::{Choice, Chosen, Question, choose, follow};
pub use features::{Features, ROUTING_EXTENSION};
pub use recorded::{Recorded, SignalName};
pub use score::{SignalValues, contributions};
