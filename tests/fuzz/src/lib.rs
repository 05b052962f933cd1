//! What must hold for any input of the gateway's parsers: one function for each target of the fuzzer.
//!
//! A function panics when it finds something wrong. libFuzzer calls it through `fuzz_targets/`, and the tests of this
//! crate call it with the seeds and with changed ones, so that the same claims are checked without a fuzzer.

mod cards;
mod conversion;
mod exchange;
mod input;
mod jsonrpc;
mod proto_json;
mod rest;
mod sse;

pub use cards::cards;
pub use conversion::conversion;
pub use jsonrpc::jsonrpc;
pub use proto_json::proto_json;
pub use rest::rest;
pub use sse::sse;

/// Is what a fuzzer calls with each input.
pub type Target = fn(&[u8]);

/// Lists every target with its name, which is also that of its program and of its folder of seeds.
pub const TARGETS: [(&str, Target); 6] = [
    ("cards", cards),
    ("conversion", conversion),
    ("jsonrpc", jsonrpc),
    ("proto_json", proto_json),
    ("rest", rest),
    ("sse", sse),
];
