//! What the demo's student asks: one message of each kind, each followed by the decision behind it.

use std::time::Duration;

use gateway_protocol::{Binding, Version, view};
use serde_json::{Value, json, value::RawValue};

use super::client::{Answer, Client};
use crate::{command::CommandError, show};

const POLL: Duration = Duration::from_millis(500);
/// A review takes about two seconds; this many polls are plenty.
const POLLS: usize = 40;

pub(super) async fn run(client: &Client) -> Result<(), CommandError> {
    unary(client).await?;
    streamed(client).await?;
    polled(client).await?;
    questioned(client).await?;
    old_client(client).await?;
    refused(client).await
}

/// One request, one answer, within a budget.
async fn unary(client: &Client) -> Result<(), CommandError> {
    let text = "¿Cuánto cuesta la matrícula de 30 créditos en 3 plazos?";
    title("One answer, in Spanish", text);
    let mut params = message(text);
    params["message"]["metadata"] = json!({ "budget": { "max_cost_eur": 0.03 } });
    let answer = client.call(Version::V1, "SendMessage", &params).await?;
    show::line(&format!("  ← {}", text_of(Version::V1, result(&answer)?)));
    explain(client, answer.decision).await
}

/// One request, an answer in pieces.
async fn streamed(client: &Client) -> Result<(), CommandError> {
    let text = "How can I appeal the grade of an exam?";
    title("A streamed answer, in English", text);
    let mut pieces = 0;
    let decision = client
        .stream(
            Version::V1,
            "SendStreamingMessage",
            &message(text),
            |event| {
                let result = &event["result"];
                if let Some(state) = result["statusUpdate"]["status"]["state"].as_str() {
                    show::line(&format!("  ← {}", state_name(state)));
                } else if result["artifactUpdate"].is_object() {
                    pieces += 1;
                    show::line(&format!(
                        "  ← piece {pieces}: {}",
                        text_of(Version::V1, result)
                    ));
                }
            },
        )
        .await?;
    if pieces == 0 {
        return Err(CommandError::failed("the streamed answer had no content"));
    }
    explain(client, decision).await
}

/// A long task that is polled to its end.
async fn polled(client: &Client) -> Result<(), CommandError> {
    let text = "Quiero solicitar una beca, la renta de mi familia es de 18.000 €";
    title("A long task, polled to its end", text);
    let mut params = message(text);
    params["configuration"] = json!({ "returnImmediately": true });
    let answer = client.call(Version::V1, "SendMessage", &params).await?;
    let id = task_id(result(&answer)?)?;
    show::line(&format!("  ← task {id}"));
    let task = poll(client, &id).await?;
    show::line(&format!("  ← {}", text_of(Version::V1, &task)));
    explain(client, answer.decision).await
}

/// The agent asks back; the answer goes to the same agent and ends the task.
async fn questioned(client: &Client) -> Result<(), CommandError> {
    let text = "Please review my scholarship application";
    title("A question back", text);
    let first = client
        .call(Version::V1, "SendMessage", &message(text))
        .await?;
    let task = result(&first)?;
    let id = task_id(task)?;
    let question = task["task"]["status"]["message"]["parts"][0]["text"]
        .as_str()
        .unwrap_or_default();
    show::line(&format!("  ← {question}"));
    let reply = "It is 31,000 euros";
    show::line(&format!("  → {reply}"));
    let mut params = message(reply);
    params["message"]["taskId"] = json!(id);
    let second = client.call(Version::V1, "SendMessage", &params).await?;
    show::line(&format!("  ← {}", text_of(Version::V1, result(&second)?)));
    explain(client, first.decision).await?;
    explain(client, second.decision).await
}

/// A client of the older protocol version, which reaches agents of both; a budget rules the dearest out.
async fn old_client(client: &Client) -> Result<(), CommandError> {
    let text = "Write a formal letter that asks for a review of my scholarship application";
    title("A client that speaks A2A 0.3, with 3 cents to spend", text);
    let parts = json!([{ "kind": "text", "text": text }]);
    let params = json!({ "message": {
        "kind": "message", "messageId": new_id(), "role": "user", "parts": parts,
        "metadata": { "budget": { "max_cost_eur": 0.03 } }
    } });
    let answer = client.call(Version::V03, "message/send", &params).await?;
    for line in text_of(Version::V03, result(&answer)?).lines() {
        show::line(&format!("  ← {line}"));
    }
    explain(client, answer.decision).await
}

/// Nothing fits: an error that names the decision, and nothing is sent.
async fn refused(client: &Client) -> Result<(), CommandError> {
    let text = "Translate Beowulf into Klingon hexameters";
    title("Nothing fits", text);
    let answer = client
        .call(Version::V1, "SendMessage", &message(text))
        .await?;
    let error = &answer.body["error"];
    show::line(&format!(
        "  ← error {}: {}",
        error["code"],
        error["message"].as_str().unwrap_or_default()
    ));
    explain(client, answer.decision).await
}

async fn poll(client: &Client, id: &str) -> Result<Value, CommandError> {
    let mut last = String::new();
    for _ in 0..POLLS {
        let answer = client
            .call(Version::V1, "GetTask", &json!({ "id": id }))
            .await?;
        let task = result(&answer)?;
        let state = state_name(task["status"]["state"].as_str().unwrap_or_default());
        let progress = task["status"]["message"]["parts"][0]["text"]
            .as_str()
            .unwrap_or_default();
        let seen = format!("  ← {state} {progress}");
        if seen != last {
            show::line(&seen);
            last = seen;
        }
        if state == "completed" {
            return Ok(task.clone());
        }
        tokio::time::sleep(POLL).await;
    }
    Err(CommandError::failed(format!(
        "task {id} did not end in time"
    )))
}

fn message(text: &str) -> Value {
    let parts = json!([{ "text": text }]);
    json!({ "message": { "messageId": new_id(), "role": "ROLE_USER", "parts": parts } })
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

fn result(answer: &Answer) -> Result<&Value, CommandError> {
    match answer.body.get("result") {
        Some(result) => Ok(result),
        None => Err(CommandError::failed(format!(
            "the gateway answered {}",
            answer.body
        ))),
    }
}

fn task_id(result: &Value) -> Result<String, CommandError> {
    let id = result["task"]["id"].as_str();
    id.map(str::to_owned)
        .ok_or_else(|| CommandError::failed(format!("there is no task in {result}")))
}

fn text_of(version: Version, result: &Value) -> String {
    RawValue::from_string(result.to_string())
        .map(|raw| view::result_text(Binding::JsonRpc.dialect(version), &raw))
        .unwrap_or_default()
}

fn state_name(state: &str) -> String {
    gateway_protocol::TaskState::from_wire(state)
        .map_or_else(|| state.to_owned(), |state| state.to_string())
}

fn title(what: &str, text: &str) {
    show::line(&format!("\n━━ {what}\n  → {text}"));
}

async fn explain(client: &Client, decision: Option<String>) -> Result<(), CommandError> {
    let id = decision.ok_or_else(|| CommandError::failed("the answer names no decision"))?;
    show::line(&show::decision::whole(&client.decision(&id).await?));
    Ok(())
}
