//! Request bodies, within their limits.

use axum::{body::Body, http::StatusCode};
use bytes::Bytes;
use gateway_protocol::{Error, ErrorKind};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::timeout;

use crate::Settings;

/// Reads a whole body within the limits of size and time.
pub(crate) async fn read(body: Body, settings: &Settings) -> Result<Bytes, (StatusCode, Error)> {
    read_up_to(settings.max_body, body, settings).await
}

/// Reads a whole body within another limit of size. Nothing beyond it is read.
pub(crate) async fn read_up_to(
    limit: usize,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, (StatusCode, Error)> {
    let refused = |status, text: String| (status, Error::new(ErrorKind::InvalidRequest, text));
    let reading = Limited::new(body, limit).collect();
    match timeout(settings.body_time, reading).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(refused(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "the request body is larger than {} bytes",
                settings.max_body
            ),
        )),
        Ok(Err(_)) => Err(refused(
            StatusCode::BAD_REQUEST,
            "the request body ended before it was complete".to_owned(),
        )),
        Err(_elapsed) => {
            let seconds = settings.body_time.as_secs_f64();
            Err(refused(
                StatusCode::REQUEST_TIMEOUT,
                format!("the request body was not complete within {seconds} s"),
            ))
        }
    }
}
