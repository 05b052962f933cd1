//! The one error table: A2A and JSON-RPC kinds, their codes and their machine-readable details.
//!
//! Details follow `google.rpc` (A2A §9.5): every entry of `data` names its `@type`. Both versions get
//! the same array, because 0.3 leaves the form of `data` open.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value, json};

/// The `ErrorInfo` domain of errors that the protocol defines.
pub const A2A_DOMAIN: &str = "a2a-protocol.org";
/// The `ErrorInfo` domain of reasons that only this gateway knows.
pub const GATEWAY_DOMAIN: &str = "a2a-gateway";

pub(crate) const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// Says which error of the protocol, or of JSON-RPC, happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// The task does not exist, or not for this caller.
    TaskNotFound,
    /// The task is in a state that cannot be canceled.
    TaskNotCancelable,
    /// The agent has no push notifications.
    PushNotificationNotSupported,
    /// The operation, or this use of it, is not supported.
    UnsupportedOperation,
    /// A media type of the message is not supported.
    ContentTypeNotSupported,
    /// The agent's answer breaks the protocol.
    InvalidAgentResponse,
    /// There is no extended card.
    ExtendedAgentCardNotConfigured,
    /// The client left out an extension the agent requires.
    ExtensionSupportRequired,
    /// The protocol version is not supported.
    VersionNotSupported,
    /// The body is not JSON.
    ParseError,
    /// The body is JSON but not a request.
    InvalidRequest,
    /// The method is unknown.
    MethodNotFound,
    /// The parameters do not fit the method.
    InvalidParams,
    /// Something failed on this side.
    Internal,
}

impl ErrorKind {
    /// Lists every kind.
    pub const ALL: [Self; 14] = [
        Self::TaskNotFound,
        Self::TaskNotCancelable,
        Self::PushNotificationNotSupported,
        Self::UnsupportedOperation,
        Self::ContentTypeNotSupported,
        Self::InvalidAgentResponse,
        Self::ExtendedAgentCardNotConfigured,
        Self::ExtensionSupportRequired,
        Self::VersionNotSupported,
        Self::ParseError,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::Internal,
    ];

    /// Returns the JSON-RPC code.
    pub const fn code(self) -> i32 {
        self.row().0
    }

    /// Returns the reason in capitals: for A2A kinds the one of `ErrorInfo`, for the others a name for metrics.
    pub const fn reason(self) -> &'static str {
        self.row().1
    }

    /// Finds the kind of a JSON-RPC code; application codes are `None`.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| i64::from(kind.code()) == code)
    }

    /// Tells whether the protocol defines this kind, rather than JSON-RPC.
    pub const fn is_a2a(self) -> bool {
        self.code() > -32100
    }

    const fn row(self) -> (i32, &'static str) {
        match self {
            Self::TaskNotFound => (-32001, "TASK_NOT_FOUND"),
            Self::TaskNotCancelable => (-32002, "TASK_NOT_CANCELABLE"),
            Self::PushNotificationNotSupported => (-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
            Self::UnsupportedOperation => (-32004, "UNSUPPORTED_OPERATION"),
            Self::ContentTypeNotSupported => (-32005, "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::InvalidAgentResponse => (-32006, "INVALID_AGENT_RESPONSE"),
            Self::ExtendedAgentCardNotConfigured => (-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
            Self::ExtensionSupportRequired => (-32008, "EXTENSION_SUPPORT_REQUIRED"),
            Self::VersionNotSupported => (-32009, "VERSION_NOT_SUPPORTED"),
            Self::ParseError => (-32700, "PARSE_ERROR"),
            Self::InvalidRequest => (-32600, "INVALID_REQUEST"),
            Self::MethodNotFound => (-32601, "METHOD_NOT_FOUND"),
            Self::InvalidParams => (-32602, "INVALID_PARAMS"),
            Self::Internal => (-32603, "INTERNAL"),
        }
    }
}

/// Is an error as a client will see it; serializes to the JSON-RPC error object.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// Which error it is.
    pub kind: ErrorKind,
    /// What a person reads.
    pub message: String,
    /// The entries of `data`, each with its `@type`, without the automatic `ErrorInfo` of A2A kinds.
    pub details: Vec<Value>,
}

impl Error {
    /// Makes an error without details of its own.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// Adds an `ErrorInfo`; one of the domain [`A2A_DOMAIN`] takes the place of the automatic entry.
    #[must_use]
    pub fn with_info<K, V>(
        mut self,
        domain: &str,
        reason: &str,
        metadata: impl IntoIterator<Item = (K, V)>,
    ) -> Self
    where
        K: Into<String>,
        V: Into<String>,
    {
        let metadata: Map<String, Value> = metadata
            .into_iter()
            .map(|(name, value)| (name.into(), Value::String(value.into())))
            .collect();
        self.details.push(error_info(domain, reason, metadata));
        self
    }

    /// Adds a violation to the `BadRequest` entry, which lists all of them; `field` is a path below `params`.
    #[must_use]
    pub fn field_violation(mut self, field: &str, description: &str) -> Self {
        let violation = json!({ "field": field, "description": description });
        let existing = self
            .details
            .iter_mut()
            .filter(|detail| detail["@type"] == BAD_REQUEST)
            .find_map(|detail| detail["fieldViolations"].as_array_mut());
        match existing {
            Some(violations) => violations.push(violation),
            None => self
                .details
                .push(json!({ "@type": BAD_REQUEST, "fieldViolations": [violation] })),
        }
        self
    }

    /// Returns the JSON-RPC code.
    pub const fn code(&self) -> i32 {
        self.kind.code()
    }

    /// Returns the reason of the kind.
    pub const fn reason(&self) -> &'static str {
        self.kind.reason()
    }

    /// Returns all entries of `data`, with the `ErrorInfo` that A2A kinds must carry first.
    pub fn data(&self) -> Vec<Value> {
        let told = self
            .details
            .iter()
            .any(|detail| detail["@type"] == ERROR_INFO && detail["domain"] == A2A_DOMAIN);
        let automatic = (self.kind.is_a2a() && !told)
            .then(|| error_info(A2A_DOMAIN, self.reason(), Map::new()));
        automatic
            .into_iter()
            .chain(self.details.iter().cloned())
            .collect()
    }
}

fn error_info(domain: &str, reason: &str, metadata: Map<String, Value>) -> Value {
    let mut info = json!({ "@type": ERROR_INFO, "reason": reason, "domain": domain });
    if !metadata.is_empty() {
        info["metadata"] = Value::Object(metadata);
    }
    info
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.message, self.code())
    }
}

impl std::error::Error for Error {}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let data = self.data();
        let mut object = serializer.serialize_struct("Error", 3)?;
        object.serialize_field("code", &self.code())?;
        object.serialize_field("message", &self.message)?;
        if data.is_empty() {
            object.skip_field("data")?;
        } else {
            object.serialize_field("data", &data)?;
        }
        object.end()
    }
}

#[cfg(test)]
mod tests;
