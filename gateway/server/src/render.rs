//! Replies and failures as HTTP responses with JSON-RPC envelopes.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER},
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use gateway_core::{Failure, Payload, RelayItem, Reply, ReplyBody};
use gateway_protocol::{Version, jsonrpc, sse};
use serde_json::value::RawValue;

use crate::headers;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Renders a reply; `id` is the id of the client's request as it spelled it.
pub(crate) fn reply(
    version: Version,
    id: Option<Box<RawValue>>,
    reply: Reply,
    keep_alive: Duration,
) -> Response {
    let mut response = match reply.body {
        ReplyBody::One(payload) => json(StatusCode::OK, envelope(id.as_deref(), &payload)),
        ReplyBody::Events(items) => events(id, items, keep_alive),
    };
    let headers = response.headers_mut();
    if let Some((name, value)) = headers::activated(version, &reply.extensions) {
        headers.insert(name, value);
    }
    if let Some(value) = reply
        .decision
        .and_then(|id| HeaderValue::from_str(&id).ok())
    {
        headers.insert(headers::DECISION, value);
    }
    response
}

/// Renders a failure. JSON-RPC clients look for errors in bodies of status 200; other statuses are for what
/// is wrong below JSON-RPC.
pub(crate) fn failure(status: StatusCode, id: Option<&RawValue>, failure: &Failure) -> Response {
    let mut response = json(status, jsonrpc::failure(id, &failure.error));
    let headers = response.headers_mut();
    if let Some(value) = failure
        .decision
        .as_deref()
        .and_then(|id| HeaderValue::from_str(id).ok())
    {
        headers.insert(headers::DECISION, value);
    }
    if let Some(seconds) = failure.retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    response
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}

fn envelope(id: Option<&RawValue>, payload: &Payload) -> Vec<u8> {
    match payload {
        Payload::Result(result) => jsonrpc::success(id, result),
        Payload::Error(error) => jsonrpc::failure_raw(id, error),
    }
}

fn events(
    id: Option<Box<RawValue>>,
    items: BoxStream<'static, RelayItem>,
    keep_alive: Duration,
) -> Response {
    let frames = with_keep_alive(items, keep_alive)
        .map(move |item| Ok::<_, Infallible>(frame(id.as_deref(), item)));
    let mut response = Body::from_stream(frames).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, EVENT_STREAM);
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    // Asks reverse proxies in front not to collect events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn frame(id: Option<&RawValue>, item: RelayItem) -> Bytes {
    let mut bytes = Vec::new();
    match item {
        RelayItem::Comment(text) => bytes.extend_from_slice(&sse::comment(&text)),
        RelayItem::Event {
            name,
            id: event_id,
            payload,
        } => {
            let data = Bytes::from(envelope(id, &payload));
            sse::write_event(
                &mut bytes,
                &sse::Event {
                    name,
                    id: event_id,
                    data,
                },
            );
        }
    }
    Bytes::from(bytes)
}

/// Adds a comment whenever the stream was silent for a while, so that nothing in between takes it for dead.
fn with_keep_alive(
    items: BoxStream<'static, RelayItem>,
    pause: Duration,
) -> impl Stream<Item = RelayItem> {
    stream::unfold(items, move |mut items| async move {
        match tokio::time::timeout(pause, items.next()).await {
            Ok(item) => item.map(|item| (item, items)),
            Err(_elapsed) => Some((RelayItem::Comment("keep-alive".to_owned()), items)),
        }
    })
}
