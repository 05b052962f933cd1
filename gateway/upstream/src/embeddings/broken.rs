//! Why a call of an embeddings API brought nothing, with the next step.

use gateway_core::ports::EncodingError;
use http::{HeaderMap, StatusCode};

use crate::agents::retry_after;

/// Why a call brought nothing.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) error: EncodingError,
    /// The seconds it asks to be left alone for.
    pub(super) retry_after: Option<u64>,
}

impl Broken {
    /// It may work later.
    pub(super) fn unavailable(problem: impl Into<String>) -> Self {
        Self {
            error: EncodingError::Unavailable(problem.into()),
            retry_after: None,
        }
    }

    /// Reads a status that is no success: whether it is about the texts, and what the operator can do.
    pub(super) fn of_status(status: StatusCode, headers: &HeaderMap) -> Self {
        let code = status.as_u16();
        match status {
            StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNPROCESSABLE_ENTITY => Self {
                error: EncodingError::Refused(format!("status {code}: it does not take this text")),
                retry_after: None,
            },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Self::unavailable(format!(
                "status {code}: it refuses the credential; correct `routing.fit.endpoint.auth`"
            )),
            StatusCode::NOT_FOUND => Self::unavailable(format!(
                "status {code}: check `url` and `model` of `routing.fit.endpoint`"
            )),
            _ => Self {
                retry_after: retry_after(headers),
                ..Self::unavailable(format!("status {code}"))
            },
        }
    }
}
