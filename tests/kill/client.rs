//! The client's side: sends, polls, and what a client holds on to.

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::{agent::Wish, gateway::Gateway};

const RUNNING: &str = "working";
/// The state of a task that has ended well, as records name it.
pub(crate) const COMPLETED: &str = "completed";

/// What a client knows once it has an answer.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) message: String,
    /// The id in the header of the answer.
    pub(crate) decision: String,
    /// The agent that answered, as it says itself.
    pub(crate) agent: String,
    /// The agent's own id of the task, as it says itself.
    pub(crate) number: String,
    /// The id of the task as the client sees it.
    pub(crate) task: String,
    /// The state the task was last seen in, as records name it.
    pub(crate) state: &'static str,
}

impl Answered {
    /// Tells whether the task went on when it was last seen.
    pub(crate) fn is_running(&self) -> bool {
        self.state == RUNNING
    }
}

/// Sends a message about a subject; `None` when the answer did not arrive, or not as a whole.
pub(crate) async fn send(
    http: Client,
    base: String,
    message: String,
    subject: &str,
    wish: Wish,
) -> Option<Answered> {
    let params = json!({
        "message": {
            "messageId": message,
            "role": "ROLE_USER",
            "parts": [{ "text": format!("A question about {subject}") }],
            "metadata": { "wish": wish.word() },
        },
        "configuration": { "returnImmediately": wish == Wish::Running },
    });
    let method = match wish {
        Wish::Streamed => "SendStreamingMessage",
        _ => "SendMessage",
    };
    let (decision, body) = post(&http, &base, method, params).await.ok()?;
    let task = &body["result"]["task"];
    let text = |value: &Value| {
        value
            .as_str()
            .unwrap_or_else(|| panic!("{body}"))
            .to_owned()
    };
    assert_eq!(
        task["metadata"]["message"],
        message.as_str(),
        "the answer to another message: {body}"
    );
    Some(Answered {
        message,
        state: if wish == Wish::Done {
            COMPLETED
        } else {
            RUNNING
        },
        decision: decision.expect("every answer to a message names its decision"),
        agent: text(&task["metadata"]["agent"]),
        number: text(&task["metadata"]["number"]),
        task: text(&task["id"]),
    })
}

/// Polls a task and returns it.
pub(crate) async fn poll(http: &Client, gateway: &Gateway, task: &str) -> Value {
    let (_, mut body) = post(http, &gateway.public, "GetTask", json!({ "id": task }))
        .await
        .unwrap();
    assert!(body.get("error").is_none(), "{task}: {body}");
    body["result"].take()
}

/// Returns a decision as the admin API shows it.
pub(crate) async fn decision(http: &Client, gateway: &Gateway, id: &str) -> Value {
    let answer = http
        .get(format!("{}/v1/decisions/{id}", gateway.admin))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200, "{id}");
    read(answer).await.unwrap()
}

/// Returns what the operator sees of an agent.
pub(crate) async fn agent(http: &Client, gateway: &Gateway, id: &str) -> Value {
    let answer = http.get(format!("{}/v1/agents/{id}", gateway.admin)).send();
    read(answer.await.unwrap()).await.unwrap()
}

async fn post(
    http: &Client,
    base: &str,
    method: &str,
    params: Value,
) -> reqwest::Result<(Option<String>, Value)> {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let sending = http
        .post(format!("{base}/a2a"))
        .header("content-type", "application/json")
        .header("a2a-version", "1.0")
        .body(request.to_string());
    let answer = sending.send().await?;
    let decision = answer
        .headers()
        .get("x-a2a-gateway-decision")
        .map(|id| id.to_str().unwrap().to_owned());
    let streamed = answer.headers()["content-type"] == "text/event-stream";
    let body = if streamed {
        first_event(answer).await?
    } else {
        read(answer).await?
    };
    Ok((decision, body))
}

/// Reads a stream up to its first event and leaves. A stream that ends before has null as its first event.
async fn first_event(mut answer: Response) -> reqwest::Result<Value> {
    let mut text = Vec::new();
    while let Some(bytes) = answer.chunk().await? {
        text.extend_from_slice(&bytes);
        let text = std::str::from_utf8(&text).unwrap();
        if let Some((event, _)) = text.split_once("\n\n") {
            let data = event.lines().find_map(|line| line.strip_prefix("data:"));
            return Ok(serde_json::from_str(data.unwrap()).unwrap());
        }
    }
    Ok(Value::Null)
}

async fn read(answer: Response) -> reqwest::Result<Value> {
    Ok(serde_json::from_slice(&answer.bytes().await?).unwrap())
}
