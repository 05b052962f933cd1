//! The client's side: sends, polls, and what a client holds on to.

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::{agent::Wish, gateway::Gateway};

/// What a client knows once it has an answer.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) message: String,
    pub(crate) wish: Wish,
    /// The id in the header of the answer.
    pub(crate) decision: String,
    /// The agent that answered, as it says itself.
    pub(crate) agent: String,
    /// The agent's own id of the task, as it says itself.
    pub(crate) number: String,
    /// The id of the task as the client sees it.
    pub(crate) task: String,
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
    let (decision, body) = post(&http, &base, "SendMessage", params).await.ok()?;
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
        wish,
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
    Ok((decision, read(answer).await?))
}

async fn read(answer: Response) -> reqwest::Result<Value> {
    Ok(serde_json::from_slice(&answer.bytes().await?).unwrap())
}
