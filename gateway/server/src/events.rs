//! Server-sent events: a relayed stream as a response that nothing on the way collects or cuts.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    http::{
        HeaderValue,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use gateway_core::{Payload, RelayItem};
use gateway_protocol::sse;

/// What stands in one event.
pub(crate) struct Content {
    /// A name that takes the place of the agent's.
    pub(crate) name: Option<&'static str>,
    pub(crate) data: Bytes,
}

/// Responds with a stream; `write` puts each payload into the envelope of the client's binding.
pub(crate) fn respond(
    items: BoxStream<'static, RelayItem>,
    keep_alive: Duration,
    write: impl Fn(Payload) -> Content + Send + 'static,
) -> Response {
    let frames = with_keep_alive(items, keep_alive)
        .map(move |item| Ok::<_, Infallible>(frame(item, &write)));
    events(Body::from_stream(frames))
}

/// Responds with a stream of one event.
pub(crate) fn single(data: Bytes) -> Response {
    let mut bytes = Vec::new();
    let (name, id) = (None, None);
    sse::write_event(&mut bytes, &sse::Event { name, id, data });
    events(bytes.into())
}

fn events(body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    // Asks reverse proxies in front not to collect events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn frame(item: RelayItem, write: &impl Fn(Payload) -> Content) -> Bytes {
    match item {
        RelayItem::Comment(text) => sse::comment(&text),
        RelayItem::Event { name, id, payload } => {
            let content = write(payload);
            let name = content.name.map(str::to_owned).or(name);
            let data = content.data;
            let mut bytes = Vec::new();
            sse::write_event(&mut bytes, &sse::Event { name, id, data });
            bytes.into()
        }
    }
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
