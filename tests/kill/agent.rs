//! An agent that numbers its tasks from 1, remembers whose they are, and can leave a message unanswered. A task
//! that goes on has ended when it is polled.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Extension, Json, Router,
    body::Body,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// How a message is to be answered; the word stands in its metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// With a completed task.
    Done,
    /// With a task that goes on, as a client asks for that does not wait.
    Running,
    /// With a stream whose first event is a task that goes on, and that stays open.
    Streamed,
    /// Not at all.
    Held,
}

impl Wish {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Running => "running",
            Self::Streamed => "streamed",
            Self::Held => "held",
        }
    }
}

/// A running agent.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) id: &'static str,
    pub(crate) url: String,
    seen: Arc<Seen>,
}

#[derive(Debug)]
struct Seen {
    id: &'static str,
    /// What its one skill is about.
    subject: &'static str,
    /// The message behind each task; task 1 comes first.
    tasks: Mutex<Vec<String>>,
    /// Every message that arrived.
    messages: Mutex<Vec<String>>,
    /// The task id of every poll.
    polls: Mutex<Vec<String>>,
    /// Whether nobody gets its card.
    hides_card: AtomicBool,
}

impl Agent {
    /// Starts an agent with a skill about a subject.
    pub(crate) async fn start(id: &'static str, subject: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let seen = Arc::new(Seen {
            id,
            subject,
            tasks: Mutex::default(),
            messages: Mutex::default(),
            polls: Mutex::default(),
            hides_card: AtomicBool::new(false),
        });
        let card = card(&seen, &url);
        let router = Router::new()
            .route(
                "/.well-known/agent-card.json",
                get(show).layer(Extension(card)),
            )
            .route("/", post(answer))
            .with_state(Arc::clone(&seen));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { id, url, seen }
    }

    /// Shows its card to nobody from now on.
    pub(crate) fn hides_card(&self) {
        self.seen.hides_card.store(true, Ordering::Relaxed);
    }

    /// Returns every message that arrived, in order.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.seen.messages.lock().unwrap().clone()
    }

    /// Returns the task ids that were polled since the last call, sorted.
    pub(crate) fn take_polls(&self) -> Vec<String> {
        let mut polls = std::mem::take(&mut *self.seen.polls.lock().unwrap());
        polls.sort();
        polls
    }
}

fn card(seen: &Seen, url: &str) -> Value {
    let subject = seen.subject;
    json!({
        "name": seen.id,
        "description": format!("Knows everything about {subject}."),
        "version": "1.0.0",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": subject, "name": subject, "description": format!("Handles {subject}."), "tags": [subject] }],
    })
}

async fn show(State(seen): State<Arc<Seen>>, Extension(card): Extension<Value>) -> Response {
    if seen.hides_card.load(Ordering::Relaxed) {
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    } else {
        Json(card).into_response()
    }
}

async fn answer(State(seen): State<Arc<Seen>>, Json(request): Json<Value>) -> Response {
    let params = &request["params"];
    let method = request["method"].as_str();
    let outcome = match method {
        Some("SendMessage" | "SendStreamingMessage") => seen.send(&params["message"]).await,
        Some("GetTask") => seen.get(params["id"].as_str().unwrap()),
        other => panic!("{} got {other:?}", seen.id),
    };
    let mut response = json!({ "jsonrpc": "2.0", "id": request["id"] });
    match outcome {
        Ok(result) => response["result"] = result,
        Err(error) => response["error"] = error,
    }
    if method == Some("SendStreamingMessage") {
        let first = format!("data: {response}\n\n");
        let events = stream::iter([Ok::<_, Infallible>(first)]).chain(stream::pending());
        let body = Body::from_stream(events);
        return ([("content-type", "text/event-stream")], body).into_response();
    }
    Json(response).into_response()
}

impl Seen {
    async fn send(&self, message: &Value) -> Result<Value, Value> {
        let id = message["messageId"].as_str().unwrap();
        self.messages.lock().unwrap().push(id.to_owned());
        let wish = message["metadata"]["wish"].as_str().unwrap();
        if wish == Wish::Held.word() {
            std::future::pending::<()>().await;
        }
        // The answers of one moment spread over some milliseconds, so that a kill comes in between.
        let pause = id.bytes().map(u64::from).sum::<u64>() % 8;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let number = {
            let mut tasks = self.tasks.lock().unwrap();
            tasks.push(id.to_owned());
            tasks.len()
        };
        let state = if wish == Wish::Done.word() {
            "TASK_STATE_COMPLETED"
        } else {
            "TASK_STATE_WORKING"
        };
        Ok(json!({ "task": self.task(number, id, state) }))
    }

    fn get(&self, id: &str) -> Result<Value, Value> {
        self.polls.lock().unwrap().push(id.to_owned());
        let tasks = self.tasks.lock().unwrap();
        let number: usize = id.parse().unwrap_or(0);
        match number.checked_sub(1).and_then(|at| tasks.get(at)) {
            Some(message) => Ok(self.task(number, message, "TASK_STATE_COMPLETED")),
            None => Err(json!({ "code": -32001, "message": "there is no such task" })),
        }
    }

    fn task(&self, number: usize, message: &str, state: &str) -> Value {
        json!({
            "id": number.to_string(),
            "contextId": format!("context {number}"),
            "status": { "state": state },
            "metadata": { "agent": self.id, "message": message, "number": number.to_string() },
        })
    }
}
