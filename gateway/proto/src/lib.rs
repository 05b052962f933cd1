#![doc = include_str!("../README.md")]

mod codec;
mod invalid;
mod json;
mod message;
mod method;
mod numbers;
mod pool;
mod status;

pub use codec::BytesCodec;
pub use invalid::Invalid;
pub use json::Json;
pub use message::Decoded;
pub use method::{Method, Service};
pub use numbers::lossy_numbers;
pub use status::{StatusDetails, read_status_details, status_details};
