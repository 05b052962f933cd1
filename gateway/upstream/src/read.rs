//! Reading bodies with a limit.

use bytes::{Bytes, BytesMut};
use reqwest::Response;

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// It is over the limit.
    TooLarge,
    /// The connection or the decoding failed.
    Failed(reqwest::Error),
}

/// Reads a body to its end after the `start` that was read before, counting bytes as they come out of
/// decompression.
pub(crate) async fn capped(
    response: &mut Response,
    start: BytesMut,
    limit: usize,
) -> Result<Bytes, ReadError> {
    let mut body = start;
    // What is declared need not be read to know that it is too much.
    let declared = response
        .content_length()
        .and_then(|length| usize::try_from(length).ok());
    if body.len().saturating_add(declared.unwrap_or(0)) > limit {
        return Err(ReadError::TooLarge);
    }
    while let Some(chunk) = response.chunk().await.map_err(ReadError::Failed)? {
        if chunk.len() > limit - body.len() {
            return Err(ReadError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
