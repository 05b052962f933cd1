//! Finds out what an answer is, from its first bytes unless it is plainly a stream, and reads it accordingly.

use bytes::BytesMut;
use gateway_core::ports::AttemptError;
use http::{HeaderMap, header};
use reqwest::Response;

use super::{Body, events};
use crate::{
    agents::exchange::Exchange,
    read::{self, ReadError},
};

/// What some agents put in front of their text.
pub(in crate::agents) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Field names that lines of server-sent events begin with; a line of only `:` and text is a comment.
const FIELDS: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Events,
}

/// Reads a body: all of it, or the first bytes of a stream of events.
pub(super) async fn read(
    mut response: Response,
    streaming: bool,
    exchange: Exchange,
) -> Result<Body, AttemptError> {
    let labelled = is_event_stream(response.headers());
    if labelled && streaming && response.status().is_success() {
        // The client sees the stream open before its first event, which may take long.
        return Ok(Body::Events(events::relay(response, &[], exchange)));
    }
    let mut start = BytesMut::new();
    let kind = loop {
        if let Some(kind) = kind_of(&start, labelled, streaming) {
            break kind;
        }
        if start.len() > exchange.limits().max_response_bytes {
            return Err(exchange.unreadable(ReadError::TooLarge));
        }
        match response
            .chunk()
            .await
            .map_err(|error| exchange.failed(&error))?
        {
            Some(chunk) => start.extend_from_slice(&chunk),
            None => break Kind::Whole,
        }
    };
    match kind {
        Kind::Events => Ok(Body::Events(events::relay(response, &start, exchange))),
        Kind::Whole => read::capped(&mut response, start, exchange.limits().max_response_bytes)
            .await
            .map(Body::Whole)
            .map_err(|error| exchange.unreadable(error)),
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next());
    essence.is_some_and(|text| text.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// Decides what a body is from its beginning; absent while more bytes are needed.
fn kind_of(start: &[u8], labelled: bool, streaming: bool) -> Option<Kind> {
    if start.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(start) {
        return None;
    }
    let text = start
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(start)
        .trim_ascii_start();
    match text.first()? {
        b'{' | b'[' | b'<' => Some(Kind::Whole),
        _ if labelled => Some(Kind::Events),
        _ if streaming => looks_like_events(text),
        _ => Some(Kind::Whole),
    }
}

fn looks_like_events(text: &[u8]) -> Option<Kind> {
    for field in FIELDS {
        if let Some(rest) = text.strip_prefix(field) {
            return match rest.first() {
                _ if field == b":" => Some(Kind::Events),
                Some(b':' | b'\r' | b'\n') => Some(Kind::Events),
                Some(_) => Some(Kind::Whole),
                None => None,
            };
        }
        if field.starts_with(text) {
            return None;
        }
    }
    Some(Kind::Whole)
}

#[cfg(test)]
mod tests {
    use super::{Kind, kind_of};

    #[test]
    fn c038_json_stays_json_whatever_the_label_says() {
        for text in [
            &b"{\"a\":1}"[..],
            b"\r\n {",
            b"\xef\xbb\xbf{",
            b"[",
            b"<html>",
        ] {
            for (labelled, streaming) in
                [(true, true), (true, false), (false, true), (false, false)]
            {
                assert_eq!(
                    kind_of(text, labelled, streaming),
                    Some(Kind::Whole),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn unlabelled_events_are_known_by_their_fields() {
        for text in [
            "data: {}",
            "data:{}",
            ": ping",
            "event: message",
            "id\n",
            "retry: 1",
            "\n\ndata\r",
        ] {
            assert_eq!(
                kind_of(text.as_bytes(), false, true),
                Some(Kind::Events),
                "{text}"
            );
        }
        for text in ["database is down", "Bad gateway", "identity", "x"] {
            assert_eq!(
                kind_of(text.as_bytes(), false, true),
                Some(Kind::Whole),
                "{text}"
            );
        }
    }

    #[test]
    fn the_label_decides_where_the_bytes_leave_it_open() {
        assert_eq!(kind_of(b"custom: x", true, false), Some(Kind::Events));
        assert_eq!(kind_of(b"data: x", false, false), Some(Kind::Whole));
    }

    #[test]
    fn more_bytes_are_awaited_while_undecided() {
        for text in [
            &b""[..],
            b"\xef",
            b"\xef\xbb",
            b"\xef\xbb\xbf",
            b" \n",
            b"da",
            b"data",
            b"i",
        ] {
            assert_eq!(kind_of(text, false, true), None, "{text:?}");
        }
    }
}
