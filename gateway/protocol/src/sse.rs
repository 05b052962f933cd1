//! Server-sent events: a parser that takes bytes as they arrive, and a writer.
//!
//! The parser follows the WHATWG rules (any line end, byte order mark, several `data` lines, fields without
//! colon) and differs in three points: comments are reported, so that keep-alives can be relayed; an id
//! belongs to the event it came with; and [`Parser::finish`] can save a last event without its blank line.

mod parser;
mod write;

use bytes::Bytes;

pub use parser::{EventTooLarge, Parser};
pub use write::{comment, write_event};

/// Is one dispatched event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The `event` field, absent for ordinary messages.
    pub name: Option<String>,
    /// The `id` field that came with this event.
    pub id: Option<String>,
    /// The `data` lines, joined by line feeds.
    pub data: Bytes,
}

/// Is one thing a stream says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An event.
    Event(Event),
    /// A comment line, without its colon and one leading space.
    Comment(String),
}
