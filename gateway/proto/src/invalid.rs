//! The one error of this crate.

use std::fmt;

/// Tells which message does not fit its definition, where, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Invalid {
    message: String,
    path: Option<String>,
    reason: String,
}

impl Invalid {
    pub(crate) fn new(message: &str, path: Option<String>, reason: impl fmt::Display) -> Self {
        Self {
            message: message.to_owned(),
            path,
            reason: reason.to_string(),
        }
    }

    /// Returns the full name of the protobuf message, such as `lf.a2a.v1.SendMessageRequest`.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns where the fault is, such as `message.parts[0].raw`, unless it concerns the message as a whole.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Returns what is wrong there.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            message,
            path,
            reason,
        } = self;
        match path {
            Some(path) => write!(formatter, "`{path}` does not fit {message}: {reason}"),
            None => write!(formatter, "not a {message}: {reason}"),
        }
    }
}
