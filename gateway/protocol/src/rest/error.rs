//! Errors in the bodies of both versions: written from a JSON-RPC error object and read back into one.
//!
//! 1.0 has the form of `google.rpc.Status` below `error`; 0.3 leaves the form open, and what is written is the error
//! object itself, as JavaScript does it, with the class name that the Python reader looks for.

mod read;
mod write;

pub use read::{AnsweredError, error_from};
pub use write::{error_body, error_body_as, error_to};

pub(super) use read::error_object;

#[cfg(test)]
mod tests;
