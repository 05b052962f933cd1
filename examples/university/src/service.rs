//! One agent over HTTP: its card, and its JSON-RPC endpoint.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use crate::agents::Agent;
use crate::dialect::Dialect;
use crate::dispatch::{Answer, Desk};
use crate::fault::Fault;
use crate::task::Event;

/// Where under an agent's address its JSON-RPC endpoint is; clients learn it from the card.
const ENDPOINT: &str = "/a2a";
const LARGEST_BODY: usize = 256 * 1024;

/// Serves one agent on `listener` until `stop` is cancelled.
///
/// `public_url` is the base address under which clients reach the agent; `pace` is the time of one
/// step of a long task.
///
/// # Errors
///
/// Fails when the listener does.
pub async fn serve(
    agent: Agent,
    listener: TcpListener,
    public_url: &str,
    pace: Duration,
    stop: CancellationToken,
) -> io::Result<()> {
    let service = Arc::new(Service::new(agent, public_url, pace, stop.clone()));
    let listener = listener.tap_io(|connection| {
        // Without this, small events would wait for each other's acknowledgement.
        if let Err(error) = connection.set_nodelay(true) {
            tracing::debug!(%error, "could not set TCP_NODELAY");
        }
    });
    let server = axum::serve(listener, router(Arc::clone(&service)))
        .with_graceful_shutdown(stop.cancelled_owned())
        .into_future();
    let (served, ()) = tokio::join!(server, service.desk.stopped());
    served
}

#[derive(Debug)]
struct Service {
    dialect: Dialect,
    card: String,
    card_tag: String,
    desk: Desk,
}

impl Service {
    fn new(agent: Agent, public_url: &str, pace: Duration, stop: CancellationToken) -> Self {
        let profile = agent.profile();
        let endpoint = format!("{}{ENDPOINT}", public_url.trim_end_matches('/'));
        let card = profile.card(&endpoint).to_string();
        let mut hasher = DefaultHasher::new();
        card.hash(&mut hasher);
        let card_tag = format!("\"{:016x}\"", hasher.finish());
        let desk = Desk::new(agent, pace, stop);
        Self {
            dialect: profile.dialect,
            card,
            card_tag,
            desk,
        }
    }
}

fn router(service: Arc<Service>) -> Router {
    let mut router = Router::new()
        .route("/.well-known/agent-card.json", get(card))
        .route(ENDPOINT, post(rpc));
    if service.dialect == Dialect::V03 {
        // Where clients of A2A before 0.3 look.
        router = router.route("/.well-known/agent.json", get(card));
    }
    router
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(service)
}

async fn card(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    let caching = [
        (CACHE_CONTROL, "max-age=60".to_owned()),
        (ETAG, service.card_tag.clone()),
    ];
    let known = headers
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let mut tags = known
        .split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"));
    if tags.any(|tag| tag == "*" || tag == service.card_tag) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (
        caching,
        [(CONTENT_TYPE, "application/json")],
        service.card.clone(),
    )
        .into_response()
}

/// The place of the version when a client cannot set headers (A2A §3.6.1).
#[derive(Debug, Deserialize)]
struct VersionQuery {
    #[serde(rename = "A2A-Version")]
    version: Option<String>,
}

async fn rpc(
    State(service): State<Arc<Service>>,
    Query(query): Query<VersionQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request: Value = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return refuse(&Value::Null, &Fault::Parse(error.to_string())),
    };
    let id = match &request["id"] {
        id @ (Value::Null | Value::Number(_) | Value::String(_)) => id.clone(),
        _ => Value::Null,
    };
    let asked = headers
        .get("a2a-version")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let asked = asked.or(query.version);
    let checked = method_of(&request).and_then(|method| {
        check_version(service.dialect, asked.as_deref().unwrap_or_default())?;
        Ok(method)
    });
    let answer = match checked {
        Ok(method) => service.desk.answer(method, &request["params"]).await,
        Err(fault) => Err(fault),
    };
    match answer {
        Ok(answer) => respond(&service, id, answer),
        Err(fault) => refuse(&id, &fault),
    }
}

fn method_of(request: &Value) -> Result<&str, Fault> {
    let invalid = |why: &str| Err(Fault::InvalidRequest(why.to_owned()));
    if request.is_array() {
        return invalid("batches are not supported: send one request at a time");
    }
    if request["jsonrpc"] != "2.0" {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    if !matches!(
        request["id"],
        Value::Null | Value::Number(_) | Value::String(_)
    ) {
        return invalid("`id` must be a string or a number");
    }
    request["method"]
        .as_str()
        .map_or_else(|| invalid("`method` is missing"), Ok)
}

/// Refuses what is not 1.0 on an agent that speaks 1.0; no version at all means 0.3 (A2A §3.6.2).
///
/// 0.3 has no such header, so an agent of that version does not look at it.
fn check_version(dialect: Dialect, asked: &str) -> Result<(), Fault> {
    let spoken = asked == "1.0" || asked.starts_with("1.0.");
    if dialect == Dialect::V03 || spoken {
        return Ok(());
    }
    let asked = if asked.is_empty() { "0.3" } else { asked };
    Err(Fault::VersionNotSupported(asked.to_owned()))
}

fn refuse(id: &Value, fault: &Fault) -> Response {
    tracing::debug!(%fault, "request refused");
    Json(json!({"jsonrpc": "2.0", "id": id, "error": fault.to_json()})).into_response()
}

fn result(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn respond(service: &Service, id: Value, answer: Answer) -> Response {
    match answer {
        Answer::Single(single) => Json(result(&id, &single)).into_response(),
        Answer::Message(message) => {
            event_stream(stream::iter([result(&id, &message)])).into_response()
        }
        Answer::Events {
            task,
            history_length,
            events,
        } => {
            let dialect = service.dialect;
            let first = result(&id, &dialect.task_reply(&task, history_length));
            let rest = until_closed(events, service.desk.closed())
                .map(move |event| result(&id, &dialect.event(&task.id, &task.context_id, &event)));
            event_stream(stream::iter([first]).chain(rest)).into_response()
        }
    }
}

/// Passes on the events of a task until they end or the agent closes.
///
/// The latter is needed for a task that waits for input: it has no end of its own.
fn until_closed(
    events: UnboundedReceiver<Event>,
    closed: CancellationToken,
) -> impl Stream<Item = Event> {
    stream::unfold((events, closed), async |(mut events, closed)| {
        let next = tokio::select! {
            // What has happened is told before closing.
            biased;
            event = events.recv() => event,
            () = closed.cancelled() => None,
        };
        next.map(|event| (event, (events, closed)))
    })
}

fn event_stream(
    events: impl Stream<Item = Value> + Send + 'static,
) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    let events = events.map(|event| Ok(sse::Event::default().data(event.to_string())));
    Sse::new(events).keep_alive(KeepAlive::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_1_0_is_spoken_by_agents_of_1_0() {
        for asked in ["1.0", "1.0.1"] {
            assert!(check_version(Dialect::V10, asked).is_ok(), "{asked}");
        }
        for asked in ["", "0.3", "0.3.0", "1.7", "1", "2.0", "latest"] {
            assert!(check_version(Dialect::V10, asked).is_err(), "{asked}");
        }
        assert!(check_version(Dialect::V03, "").is_ok());
    }

    #[test]
    fn envelope_that_is_not_json_rpc_is_refused() {
        for request in [
            json!([]),
            json!({"method": "GetTask"}),
            json!({"jsonrpc": "2.0", "id": {}, "method": "GetTask"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
            json!("GetTask"),
        ] {
            assert!(
                matches!(method_of(&request), Err(Fault::InvalidRequest(_))),
                "{request}"
            );
        }
    }
}
