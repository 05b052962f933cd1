//! Messages with their five bytes in front: a mark of compression and the length.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::BodyExt;
use reqwest::Response;

const PREFIX: usize = 5;

/// Puts the prefix in front of a message.
pub(super) fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).expect("requests are limited to far below 4 GiB");
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    framed.put_u32(length);
    framed.put_slice(message);
    framed.freeze()
}

/// Why there is no further message.
#[derive(Debug)]
pub(crate) enum BrokenMessage {
    /// It is over the limit.
    TooLarge,
    /// It is compressed, which the request did not offer.
    Compressed,
    /// The answer ended inside of it.
    Cut,
    /// The connection failed.
    Failed(reqwest::Error),
}

/// The messages of an answer as they arrive.
#[derive(Debug)]
pub(super) struct Messages {
    body: reqwest::Body,
    buffer: BytesMut,
    limit: usize,
    trailers: HeaderMap,
}

impl Messages {
    /// Reads messages of at most `limit` bytes each.
    pub(super) fn of(response: Response, limit: usize) -> Self {
        Self {
            body: http::Response::from(response).into_body(),
            buffer: BytesMut::new(),
            limit,
            trailers: HeaderMap::new(),
        }
    }

    /// Returns the next message; `None` at the end, when the trailers are known.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BrokenMessage> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(Some(message));
            }
            let Some(frame) = self.body.frame().await else {
                return if self.buffer.is_empty() {
                    Ok(None)
                } else {
                    Err(BrokenMessage::Cut)
                };
            };
            match frame.map_err(BrokenMessage::Failed)?.into_data() {
                Ok(data) => self.buffer.extend_from_slice(&data),
                Err(frame) => {
                    if let Ok(trailers) = frame.into_trailers() {
                        self.trailers = trailers;
                    }
                }
            }
        }
    }

    /// Returns the trailers, which are empty before the end.
    pub(super) fn trailers(&self) -> &HeaderMap {
        &self.trailers
    }

    /// Returns the trailers for good.
    pub(super) fn into_trailers(self) -> HeaderMap {
        self.trailers
    }

    /// Takes a message off the buffer if all of it is there.
    fn take(&mut self) -> Result<Option<Bytes>, BrokenMessage> {
        let Some(mut prefix) = self.buffer.get(..PREFIX) else {
            return Ok(None);
        };
        let compressed = prefix.get_u8() != 0;
        let length = usize::try_from(prefix.get_u32()).unwrap_or(usize::MAX);
        if length > self.limit {
            return Err(BrokenMessage::TooLarge);
        }
        if compressed {
            return Err(BrokenMessage::Compressed);
        }
        if self.buffer.len() < PREFIX + length {
            return Ok(None);
        }
        self.buffer.advance(PREFIX);
        Ok(Some(self.buffer.split_to(length).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;

    use super::*;

    /// Reads messages of at most 4 bytes to the end or the first that is broken.
    async fn read(chunks: Vec<Vec<u8>>) -> (Vec<Bytes>, Option<String>) {
        let chunks = stream::iter(chunks.into_iter().map(Ok::<_, Infallible>));
        let body = reqwest::Body::wrap_stream(chunks);
        let mut messages = Messages::of(http::Response::new(body).into(), 4);
        let mut read = Vec::new();
        loop {
            match messages.next().await {
                Ok(Some(message)) => read.push(message),
                Ok(None) => return (read, None),
                Err(broken) => return (read, Some(format!("{broken:?}"))),
            }
        }
    }

    #[tokio::test]
    async fn messages_are_read_across_every_border() {
        let bytes = [framed(b"four"), framed(b""), framed(b"1")].concat();
        for size in 1..=bytes.len() {
            let (read, broken) = read(bytes.chunks(size).map(<[u8]>::to_vec).collect()).await;
            assert_eq!(
                (read, broken),
                (vec!["four".into(), "".into(), "1".into()], None)
            );
        }
    }

    #[tokio::test]
    async fn c096_broken_messages_are_told_apart_before_they_are_read() {
        for (bytes, expected) in [
            (vec![0, 0, 0, 0, 5], "TooLarge"),
            (vec![0, 0xff, 0xff, 0xff, 0xff], "TooLarge"),
            (vec![1, 0, 0, 0, 1], "Compressed"),
            (vec![0, 0, 0, 0, 2, b'x'], "Cut"),
            (vec![0, 0], "Cut"),
        ] {
            let (read, broken) = read(vec![framed(b"ok").to_vec(), bytes.clone()]).await;
            assert_eq!(broken.as_deref(), Some(expected), "{bytes:?}");
            assert_eq!(read, ["ok"], "{bytes:?}");
        }
    }
}
