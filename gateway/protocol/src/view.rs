//! Cheap reads of the few members the gateway looks at, each in one pass and without a tree.
//!
//! Views never fail: what is missing, `null`, an empty id or of another type is absent. Requests are judged
//! by [`crate::check_params`] before.

mod error;
mod message;
mod result;

pub use crate::shape::ResultKind;
pub use error::ErrorView;
pub use message::{Configuration, MessageView, ROUTING_TEXT_LIMIT, is_in_words_of_rpc};
pub use result::{ResultView, result_text};
