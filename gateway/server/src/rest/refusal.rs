//! Why a request is answered with an error, and what HTTP says about it.

use axum::http::StatusCode;
use gateway_core::Failure;
use gateway_protocol::{Error, rest::RouteError};

/// A failure, with what the HTTP of this one request says besides.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) failure: Failure,
    /// A status that takes the place of the failure's own.
    pub(super) status: Option<StatusCode>,
    /// The methods that are allowed.
    pub(super) allow: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, error: Error) -> Self {
        Self {
            failure: Failure::bad_request(error),
            status: Some(status),
            allow: None,
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            status: None,
            allow: None,
        }
    }
}

impl From<RouteError> for Refusal {
    fn from(error: RouteError) -> Self {
        Self {
            failure: Failure::bad_request(error.error()),
            status: StatusCode::from_u16(error.status()).ok(),
            allow: error.allow(),
        }
    }
}
