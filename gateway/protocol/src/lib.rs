#![doc = include_str!("../README.md")]

mod binding;
mod check;
pub mod error;
pub mod ids;
mod json;
pub mod jsonrpc;
mod metadata;
mod operation;
pub mod rest;
mod shape;
pub mod sse;
mod task_state;
mod tenant;
pub mod translate;
mod version;
pub mod view;

pub use binding::Binding;
pub use check::check_params;
pub use error::{Error, ErrorKind};
pub use ids::IdKind;
pub use metadata::splice_metadata;
pub use operation::Operation;
pub use task_state::TaskState;
pub use tenant::split_tenant;
pub use version::Version;
