//! JSON-RPC 2.0 envelopes: reading requests and answers, writing them, ids and bodies kept as raw text.
//!
//! A repeated member of an envelope is refused: two parsers that disagree about which one counts would let a
//! request mean one thing to the gateway and another to the agent.

mod envelope;
mod request;
mod response;
mod write;

pub use request::{Rejected, Request};
pub use response::{Malformed, Outcome, Response};
pub use write::{failure, failure_raw, request, success};
