//! Parts: one flat object in 1.0, three kinds in 0.3, where what describes a file is nested with it.

mod read;
mod write;

use serde_json::{Map, Value};

/// Marks a 0.3 data part whose value is wrapped because 0.3 knows objects only; the official SDKs agree on it.
const WRAPPED: &str = "data_part_compat";
/// The member that holds a wrapped value.
const VALUE: &str = "value";

/// Is one part of a message or an artifact.
#[derive(Debug)]
pub(super) struct Part {
    content: Content,
    labels: Labels,
    metadata: Option<Map<String, Value>>,
}

#[derive(Debug)]
enum Content {
    Text(String),
    /// Standard base64.
    Raw(String),
    Url(String),
    Data(Value),
}

/// Is what 1.0 can say of every part, and 0.3 of files alone.
#[derive(Debug)]
struct Labels {
    media_type: Option<String>,
    filename: Option<String>,
}
