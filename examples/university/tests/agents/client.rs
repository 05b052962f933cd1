//! A plain client of one agent, without any A2A library.

use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::{Value, json};
use university::{Agent, Federation, Options};

/// A federation that hurries, and a client for it.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) federation: Federation,
    pub(crate) http: Client,
}

impl World {
    /// Starts with steps of `pace` milliseconds.
    pub(crate) async fn start(pace: u64) -> Self {
        let pace = Duration::from_millis(pace);
        let federation = Federation::start(Options {
            pace,
            ..Options::default()
        })
        .await
        .unwrap();
        Self {
            federation,
            http: Client::new(),
        }
    }

    /// Posts a body to an agent's endpoint, with the header of its version unless it is 0.3.
    pub(crate) async fn post(&self, agent: Agent, body: String) -> Response {
        let mut request = self
            .http
            .post(format!("{}/a2a", self.federation.url(agent)));
        if agent != Agent::Letters {
            request = request.header("A2A-Version", "1.0");
        }
        request.body(body).send().await.unwrap()
    }

    /// Calls a method and returns the whole response, which must carry the id that was sent.
    pub(crate) async fn call(&self, agent: Agent, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": "q-1", "method": method, "params": params});
        let response = self.post(agent, request.to_string()).await;
        assert_eq!(response.status(), 200);
        let response: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert_eq!(
            (&response["jsonrpc"], &response["id"]),
            (&json!("2.0"), &json!("q-1"))
        );
        response
    }

    /// Calls a method that must succeed.
    pub(crate) async fn result(&self, agent: Agent, method: &str, params: Value) -> Value {
        let mut response = self.call(agent, method, params).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    /// Calls a method that must fail, and returns the code.
    pub(crate) async fn error(&self, agent: Agent, method: &str, params: Value) -> i64 {
        let response = self.call(agent, method, params).await;
        response["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {response}"))
    }

    /// Opens a stream.
    pub(crate) async fn stream(&self, agent: Agent, method: &str, params: Value) -> Events {
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let response = self.post(agent, request.to_string()).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Events {
            response,
            buffer: String::new(),
        }
    }

    /// Sends a text to an agent of 1.0 and returns the task.
    pub(crate) async fn send(&self, agent: Agent, text: &str) -> Value {
        self.result(agent, "SendMessage", message(text)).await["task"].take()
    }

    /// Polls a task of an agent of 1.0 until it is in that state.
    pub(crate) async fn poll(&self, agent: Agent, id: &Value, state: &str) -> Value {
        for _ in 0..500 {
            let task = self.result(agent, "GetTask", json!({"id": id})).await;
            if task["status"]["state"] == state {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("task {id} never became {state}");
    }
}

/// The events of a stream, one by one.
#[derive(Debug)]
pub(crate) struct Events {
    response: Response,
    buffer: String,
}

impl Events {
    /// Returns the result in the next event, or nothing at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.buffer.split_once("\n\n") {
                let data = event.strip_prefix("data: ").map(str::to_owned);
                self.buffer = rest.to_owned();
                let Some(data) = data else { continue };
                let mut event: Value = serde_json::from_str(&data).unwrap();
                assert_eq!(
                    (&event["jsonrpc"], &event["id"]),
                    (&json!("2.0"), &json!(7))
                );
                return Some(event["result"].take());
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.buffer.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Returns every event up to the end of the stream.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// Returns the params of a send to an agent of 1.0.
pub(crate) fn message(text: &str) -> Value {
    json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

/// Returns the params of a further message of a task.
pub(crate) fn follow_up(task: &Value, text: &str) -> Value {
    let mut params = message(text);
    params["message"]["messageId"] = json!("m-2");
    params["message"]["taskId"] = task["id"].clone();
    params
}

/// Returns the params of a send to an agent of 0.3.
pub(crate) fn old_message(text: &str) -> Value {
    let parts = json!([{"kind": "text", "text": text}]);
    json!({"message": {"kind": "message", "messageId": "m-1", "role": "user", "parts": parts}})
}

/// Returns the text of a task's artifacts.
pub(crate) fn text_of(task: &Value) -> String {
    let artifacts = task["artifacts"].as_array().into_iter().flatten();
    let parts = artifacts.flat_map(|artifact| artifact["parts"].as_array().unwrap());
    parts.filter_map(|part| part["text"].as_str()).collect()
}
