//! What can be wrong with a request, and the JSON-RPC error object that says so.

use std::fmt;

use serde_json::{Value, json};

/// A reason to refuse a request (A2A §3.3.2 and JSON-RPC 2.0 §5.1).
#[derive(Debug)]
pub(crate) enum Fault {
    Parse(String),
    InvalidRequest(String),
    MethodNotFound(String),
    InvalidParams(String),
    TaskNotFound(String),
    TaskNotCancelable(String),
    PushNotificationNotSupported,
    UnsupportedOperation(String),
    ContentTypeNotSupported,
    ExtendedCardNotConfigured,
    VersionNotSupported(String),
}

impl Fault {
    const fn code(&self) -> i32 {
        match self {
            Self::Parse(_) => -32700,
            Self::InvalidRequest(_) => -32600,
            Self::MethodNotFound(_) => -32601,
            Self::InvalidParams(_) => -32602,
            Self::TaskNotFound(_) => -32001,
            Self::TaskNotCancelable(_) => -32002,
            Self::PushNotificationNotSupported => -32003,
            Self::UnsupportedOperation(_) => -32004,
            Self::ContentTypeNotSupported => -32005,
            Self::ExtendedCardNotConfigured => -32007,
            Self::VersionNotSupported(_) => -32009,
        }
    }

    /// Returns the name A2A gives the error, or nothing for those of plain JSON-RPC.
    const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Parse(_)
            | Self::InvalidRequest(_)
            | Self::MethodNotFound(_)
            | Self::InvalidParams(_) => None,
            Self::TaskNotFound(_) => Some("TASK_NOT_FOUND"),
            Self::TaskNotCancelable(_) => Some("TASK_NOT_CANCELABLE"),
            Self::PushNotificationNotSupported => Some("PUSH_NOTIFICATION_NOT_SUPPORTED"),
            Self::UnsupportedOperation(_) => Some("UNSUPPORTED_OPERATION"),
            Self::ContentTypeNotSupported => Some("CONTENT_TYPE_NOT_SUPPORTED"),
            Self::ExtendedCardNotConfigured => Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
            Self::VersionNotSupported(_) => Some("VERSION_NOT_SUPPORTED"),
        }
    }

    /// Returns the JSON-RPC error object; A2A's own errors carry an `ErrorInfo`.
    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code(), "message": self.to_string()});
        if let Some(reason) = self.reason() {
            error["data"] = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason,
                "domain": "a2a-protocol.org",
            }]);
        }
        error
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(why) => write!(f, "body is not JSON: {why}"),
            Self::InvalidRequest(why)
            | Self::InvalidParams(why)
            | Self::UnsupportedOperation(why) => f.write_str(why),
            Self::MethodNotFound(method) => write!(f, "method `{method}` is not known here"),
            Self::TaskNotFound(id) => write!(f, "task `{id}` is not known here"),
            Self::TaskNotCancelable(id) => write!(f, "task `{id}` has already ended"),
            Self::PushNotificationNotSupported => {
                f.write_str("this agent sends no push notifications: poll or subscribe")
            }
            Self::ContentTypeNotSupported => {
                f.write_str("the message has no text part, and this agent reads only text")
            }
            Self::ExtendedCardNotConfigured => f.write_str("this agent has no extended card"),
            Self::VersionNotSupported(version) => write!(
                f,
                "A2A version `{version}` is not spoken here: send the header `A2A-Version: 1.0`"
            ),
        }
    }
}
