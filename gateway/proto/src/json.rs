//! JSON as callers hold it: text that just arrived, or a tree that was converted.

use serde_json::Value;

/// Borrows JSON in either form.
#[derive(Debug, Clone, Copy)]
pub enum Json<'a> {
    /// JSON text.
    Text(&'a str),
    /// A parsed tree.
    Tree(&'a Value),
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Json<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Value> for Json<'a> {
    fn from(tree: &'a Value) -> Self {
        Self::Tree(tree)
    }
}
