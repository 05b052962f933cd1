//! Why a request line leads nowhere, and what to answer.

use crate::rest::error::error_body_as;
use crate::rest::status::http_status;
use crate::{Error, ErrorKind, Version};

/// Room in a message for the caller's path.
const SHOWN: usize = 64;

/// Says why a request line asks for no operation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// No operation has this path.
    #[error("{0}")]
    NotFound(String),
    /// The operations of this path have other methods.
    #[error("the method is not allowed here, use {}", allow.join(" or "))]
    MethodNotAllowed {
        /// The version of the path.
        version: Version,
        /// The methods that are allowed, for the `Allow` header.
        allow: Vec<&'static str>,
    },
    /// A parameter of path or query is unusable.
    #[error("{0}")]
    Invalid(Error),
}

impl RouteError {
    pub(super) fn not_found(path: &str, prefer: Option<Version>) -> Self {
        let shown: String = path.chars().take(SHOWN).collect();
        let starts_old = path == "/v1" || path.starts_with("/v1/");
        let next = match prefer {
            Some(Version::V03) if !starts_old => "; paths of A2A 0.3 start with /v1/",
            Some(Version::V1) if starts_old => "; paths of A2A 1.0 do not start with /v1/",
            _ => "",
        };
        Self::NotFound(format!("there is no operation at `{shown}`{next}"))
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::NotFound(_) => 404,
            Self::MethodNotAllowed { .. } => 405,
            Self::Invalid(error) => http_status(Version::V1, error.kind),
        }
    }

    /// Returns the value of the `Allow` header, which belongs to status 405.
    pub fn allow(&self) -> Option<String> {
        match self {
            Self::MethodNotAllowed { allow, .. } => Some(allow.join(", ")),
            Self::NotFound(_) | Self::Invalid(_) => None,
        }
    }

    /// Returns the error of the protocol.
    pub fn error(&self) -> Error {
        match self {
            Self::Invalid(error) => error.clone(),
            other => Error::new(ErrorKind::MethodNotFound, other.to_string()),
        }
    }

    /// Writes the body of the answer.
    pub fn body(&self, version: Version) -> Vec<u8> {
        error_body_as(version, self.status(), &self.error())
    }
}

impl From<Error> for RouteError {
    fn from(error: Error) -> Self {
        Self::Invalid(error)
    }
}
