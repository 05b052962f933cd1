//! Request bodies, within their limits.

use axum::{body::Body, http::StatusCode};
use bytes::Bytes;
use gateway_protocol::{Error, ErrorKind};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// Reads a whole body of at most `limit` bytes. Nothing beyond the limit is read.
pub(crate) async fn read(body: Body, limit: usize) -> Result<Bytes, (StatusCode, Error)> {
    Limited::new(body, limit)
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .map_err(|error| {
            if error.is::<LengthLimitError>() {
                let text = format!("the request body is larger than {limit} bytes");
                (
                    StatusCode::PAYLOAD_TOO_LARGE,
                    Error::new(ErrorKind::InvalidRequest, text),
                )
            } else {
                let text = "the request body ended before it was complete";
                (
                    StatusCode::BAD_REQUEST,
                    Error::new(ErrorKind::InvalidRequest, text),
                )
            }
        })
}
