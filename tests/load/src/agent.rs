//! Agents that answer at once: each a path of one server, with a card of its own.

use std::{
    borrow::Cow,
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{
    Json, Router,
    body::Body,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
    },
    response::{IntoResponse as _, Response},
    routing::{get, post},
    serve::ListenerExt as _,
};
use bytes::Bytes;
use clap::Args;
use futures_util::stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::net::TcpListener;

use crate::{Outcome, federation};

/// The fewest events of a stream: its task, an artifact and the end.
pub(crate) const SHORTEST_STREAM: usize = 3;

/// Where to serve the agents.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Skills on each card.
    #[arg(long, default_value_t = 1)]
    skills: usize,
}

struct Agents {
    address: SocketAddr,
    skills: usize,
    tasks: AtomicU64,
    /// Cards change with it.
    edition: AtomicU64,
    cards_served: AtomicU64,
}

/// Serves the agents at `/0`, `/1` and so on until killed; the first line printed is the address.
pub(crate) async fn serve(options: &Options) -> Outcome<()> {
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    let agents = Arc::new(Agents {
        address,
        skills: options.skills,
        tasks: AtomicU64::new(0),
        edition: AtomicU64::new(1),
        cards_served: AtomicU64::new(0),
    });
    let router = Router::new()
        .route("/{agent}/.well-known/agent-card.json", get(card))
        .route("/{agent}", post(answer))
        .route("/cards/served", get(cards_served))
        .route("/cards/edition", post(new_edition))
        .with_state(agents);
    crate::print(&address.to_string());
    let listener = listener.tap_io(|stream| {
        // A connection that is gone already needs no option.
        let _gone = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await?;
    Ok(())
}

async fn card(
    State(agents): State<Arc<Agents>>,
    Path(agent): Path<usize>,
    request: HeaderMap,
) -> Response {
    agents.cards_served.fetch_add(1, Ordering::Relaxed);
    let edition = agents.edition.load(Ordering::Relaxed);
    let tag = format!("\"{edition}\"");
    let caching = [(CACHE_CONTROL, "max-age=3600"), (ETAG, tag.as_str())];
    let known = request.get(IF_NONE_MATCH);
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let url = format!("http://{}/{agent}", agents.address);
    let card = federation::card(agent, &url, agents.skills, edition);
    (caching, Json(card)).into_response()
}

async fn cards_served(State(agents): State<Arc<Agents>>) -> Json<u64> {
    Json(agents.cards_served.load(Ordering::Relaxed))
}

async fn new_edition(State(agents): State<Arc<Agents>>) -> Json<u64> {
    Json(agents.edition.fetch_add(1, Ordering::Relaxed) + 1)
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    events: usize,
}

async fn answer(State(agents): State<Arc<Agents>>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Request<'_>>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let task = agents.tasks.fetch_add(1, Ordering::Relaxed);
    match request.method.as_ref() {
        "SendMessage" => json(completed(request.id, task)),
        "SendStreamingMessage" => events(request.id, task, request.params.message.metadata.events),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn json(body: String) -> Response {
    (
        [(CONTENT_TYPE, HeaderValue::from_static("application/json"))],
        body,
    )
        .into_response()
}

fn completed(id: &RawValue, task: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"task":{{"id":"task-{task}","contextId":"context-{task}","status":{{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:00Z"}},"artifacts":[{{"artifactId":"answer","parts":[{{"text":"It was done as you asked, and a copy is on its way to you."}}]}}]}}}}}}"#
    )
}

fn events(id: &RawValue, task: u64, count: usize) -> Response {
    let count = count.max(SHORTEST_STREAM);
    let id = id.to_owned();
    let frames = (0..count).map(move |number| {
        let result = event(task, number, count);
        let frame = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n\n");
        Ok::<_, Infallible>(Bytes::from(frame))
    });
    let body = Body::from_stream(stream::iter(frames));
    (
        [(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))],
        body,
    )
        .into_response()
}

/// Returns an event of a stream: first the task, at the end its completion, in between pieces of its answer.
fn event(task: u64, number: usize, count: usize) -> String {
    let ids = format!(r#""contextId":"context-{task}""#);
    if number == 0 {
        format!(
            r#"{{"task":{{"id":"task-{task}",{ids},"status":{{"state":"TASK_STATE_WORKING"}}}}}}"#
        )
    } else if number + 1 == count {
        format!(
            r#"{{"statusUpdate":{{"taskId":"task-{task}",{ids},"status":{{"state":"TASK_STATE_COMPLETED"}}}}}}"#
        )
    } else {
        format!(
            r#"{{"artifactUpdate":{{"taskId":"task-{task}",{ids},"artifact":{{"artifactId":"answer","parts":[{{"text":"piece {number} of the answer, a few words long"}}]}},"append":true}}}}"#
        )
    }
}
