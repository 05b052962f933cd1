//! The two protocol versions as their clients and agents write them.

use serde_json::{Value, json};

use crate::mock::{Answer, Request};

/// The skill of cards that a test does not care about.
pub(crate) const SKILL: &str = "echo";

/// A protocol version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Version 0.3.
    V03,
    /// Version 1.0.
    V1,
}

pub(crate) use Dialect::{V1, V03};

/// Both versions, for tables.
pub(crate) const BOTH: [Dialect; 2] = [V03, V1];

/// Operations on a task, by their 1.0 names.
pub(crate) const TASK_OPERATIONS: [&str; 3] = ["GetTask", "CancelTask", "SubscribeToTask"];

impl Dialect {
    /// Returns `0.3` or `1.0`.
    pub(crate) fn number(self) -> &'static str {
        match self {
            V03 => "0.3",
            V1 => "1.0",
        }
    }

    /// Returns the method of an operation.
    pub(crate) fn method(self, operation: &str) -> &str {
        match (self, operation) {
            (V1, name) => name,
            (V03, "SendMessage") => "message/send",
            (V03, "SendStreamingMessage") => "message/stream",
            (V03, "GetTask") => "tasks/get",
            (V03, "CancelTask") => "tasks/cancel",
            (V03, "SubscribeToTask") => "tasks/resubscribe",
            (V03, "CreateTaskPushNotificationConfig") => "tasks/pushNotificationConfig/set",
            (V03, "GetTaskPushNotificationConfig") => "tasks/pushNotificationConfig/get",
            (V03, "ListTaskPushNotificationConfigs") => "tasks/pushNotificationConfig/list",
            (V03, "DeleteTaskPushNotificationConfig") => "tasks/pushNotificationConfig/delete",
            (V03, other) => panic!("0.3 has no {other}"),
        }
    }

    /// Returns a call.
    pub(crate) fn call(self, operation: &str, params: &Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": "q1", "method": self.method(operation), "params": params })
    }

    /// Returns a call that sends a text.
    pub(crate) fn send(self, text: &str) -> Value {
        self.call("SendMessage", &json!({ "message": self.message(text) }))
    }

    /// Returns a call that sends a text and follows the events.
    pub(crate) fn stream(self, text: &str) -> Value {
        self.call(
            "SendStreamingMessage",
            &json!({ "message": self.message(text) }),
        )
    }

    /// Returns a call that sends a text to an agent by its name.
    pub(crate) fn send_to(self, agent: &str, text: &str) -> Value {
        let mut call = self.send(text);
        call["params"]["metadata"] = json!({ "agent": agent });
        call
    }

    /// Returns a call about a task.
    pub(crate) fn about(self, operation: &str, task: &str) -> Value {
        self.call(operation, &json!({ "id": task }))
    }

    /// Returns a message of a client.
    pub(crate) fn message(self, text: &str) -> Value {
        match self {
            V03 => json!({
                "kind": "message", "messageId": "m-1", "role": "user",
                "parts": [{ "kind": "text", "text": text }]
            }),
            V1 => json!({
                "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }]
            }),
        }
    }

    /// Returns the spelling of a state such as `working`.
    pub(crate) fn state(self, state: &str) -> String {
        match self {
            V03 => state.to_owned(),
            V1 => format!(
                "TASK_STATE_{}",
                state.to_ascii_uppercase().replace('-', "_")
            ),
        }
    }

    /// Returns a task.
    pub(crate) fn task(self, id: &str, context: &str, state: &str) -> Value {
        let state = self.state(state);
        match self {
            V03 => json!({
                "kind": "task", "id": id, "contextId": context, "status": { "state": state }
            }),
            V1 => json!({ "id": id, "contextId": context, "status": { "state": state } }),
        }
    }

    /// Returns a task as sends and streams hold it.
    pub(crate) fn sent_task(self, id: &str, context: &str, state: &str) -> Value {
        let task = self.task(id, context, state);
        match self {
            V03 => task,
            V1 => json!({ "task": task }),
        }
    }

    /// Returns a direct reply as sends and streams hold it.
    pub(crate) fn sent_message(self, text: &str, context: &str) -> Value {
        match self {
            V03 => json!({
                "kind": "message", "messageId": "r-1", "role": "agent", "contextId": context,
                "parts": [{ "kind": "text", "text": text }]
            }),
            V1 => json!({ "message": {
                "messageId": "r-1", "role": "ROLE_AGENT", "contextId": context,
                "parts": [{ "text": text }]
            }}),
        }
    }

    /// Returns an event that tells a state.
    pub(crate) fn status(self, id: &str, context: &str, state: &str) -> Value {
        let last = ["completed", "failed", "canceled", "rejected"].contains(&state);
        let state = self.state(state);
        match self {
            V03 => json!({
                "kind": "status-update", "taskId": id, "contextId": context,
                "status": { "state": state }, "final": last
            }),
            V1 => json!({ "statusUpdate": {
                "taskId": id, "contextId": context, "status": { "state": state }
            }}),
        }
    }

    /// Returns an event that carries a piece of a result.
    pub(crate) fn artifact(self, id: &str, context: &str, text: &str) -> Value {
        match self {
            V03 => json!({
                "kind": "artifact-update", "taskId": id, "contextId": context,
                "artifact": { "artifactId": "a-1", "parts": [{ "kind": "text", "text": text }] }
            }),
            V1 => json!({ "artifactUpdate": {
                "taskId": id, "contextId": context,
                "artifact": { "artifactId": "a-1", "parts": [{ "text": text }] }
            }}),
        }
    }

    /// Returns the three events of an ordinary stream.
    pub(crate) fn events(self, id: &str, context: &str) -> [Value; 3] {
        [
            self.sent_task(id, context, "working"),
            self.artifact(id, context, "po"),
            self.status(id, context, "completed"),
        ]
    }

    /// Returns a card with one skill.
    pub(crate) fn card(self, name: &str, url: &str) -> Value {
        let mut card = json!({
            "name": name, "description": "d", "version": "1",
            "capabilities": { "streaming": true },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{ "id": SKILL, "name": "Echo", "description": "repeats", "tags": ["echo"] }]
        });
        match self {
            V03 => {
                card["protocolVersion"] = "0.3.0".into();
                card["url"] = url.into();
                card["preferredTransport"] = "JSONRPC".into();
            }
            V1 => {
                card["supportedInterfaces"] = json!([
                    { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
                ]);
            }
        }
        card
    }

    /// Returns a card with one skill that certain words fit.
    pub(crate) fn card_about(self, name: &str, url: &str, words: &str) -> Value {
        let mut card = self.card(name, url);
        card["skills"] = json!([
            { "id": format!("{name}-skill"), "name": words, "description": words, "tags": [] }
        ]);
        card
    }

    /// Answers a call as a well-behaved agent does: sends complete as task `t-1`, other calls find their task.
    pub(crate) fn obliging(self, call: &Request) -> Answer {
        let method = call.rpc_method();
        if method == self.method("SendMessage") {
            return Answer::json(success(call, &self.sent_task("t-1", "c-1", "completed")));
        }
        if method == self.method("SendStreamingMessage") || method == self.method("SubscribeToTask")
        {
            let id = call.params()["id"].as_str().unwrap_or("t-1").to_owned();
            let events = self.events(&id, "c-1");
            let stream = events.iter().fold(Answer::stream(), |stream, event| {
                stream.event(success(call, event))
            });
            return stream.end();
        }
        let id = call.params()["id"].as_str().unwrap_or_default().to_owned();
        Answer::json(success(call, &self.task(&id, "c-1", "completed")))
    }
}

/// Wraps a result for a call.
pub(crate) fn success(call: &Request, result: &Value) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        call.rpc_id()
    )
}

/// Wraps an error for a call.
pub(crate) fn failure(call: &Request, code: i64, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#,
        call.rpc_id()
    )
}
