//! Errors of the admin API, in the form of `google.rpc.Status` that A2A uses for HTTP (A2A §11.6).

use axum::{
    Json,
    extract::rejection::JsonRejection,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

/// An error of the admin API.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
}

impl Problem {
    pub(crate) fn not_found(what: impl Into<String>) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            message: what.into(),
        }
    }

    pub(crate) fn bad_request(what: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            message: what.into(),
        }
    }

    pub(crate) fn forbidden(why: impl Into<String>) -> Self {
        Self {
            status: StatusCode::FORBIDDEN,
            message: why.into(),
        }
    }

    pub(crate) fn conflict(what: impl Into<String>) -> Self {
        Self {
            status: StatusCode::CONFLICT,
            message: what.into(),
        }
    }

    pub(crate) fn internal(what: impl Into<String>) -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            message: what.into(),
        }
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        match rejection {
            JsonRejection::MissingJsonContentType(_) => Self::bad_request(
                "the body is not marked as JSON; send it with the header `content-type: application/json`",
            ),
            other => Self::bad_request(other.body_text()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let name = match self.status {
            StatusCode::NOT_FOUND => "NOT_FOUND",
            StatusCode::BAD_REQUEST => "INVALID_ARGUMENT",
            StatusCode::CONFLICT => "ABORTED",
            StatusCode::FORBIDDEN => "PERMISSION_DENIED",
            _ => "INTERNAL",
        };
        let body = json!({
            "error": { "code": self.status.as_u16(), "status": name, "message": self.message }
        });
        (self.status, Json(body)).into_response()
    }
}

pub(crate) async fn no_such_path() -> Problem {
    Problem::not_found(
        "there is no such path; the admin API begins with /v1/, health with /livez and /readyz",
    )
}
