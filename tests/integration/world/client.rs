//! The client side: requests to the gateway and what came back.

use std::fmt::Display;

use reqwest::header::HeaderMap;
use serde_json::{Value, value::RawValue};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{Events, World, within};

/// A whole response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Reply {
    pub(super) async fn read(response: reqwest::Response) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: within("the rest of a response", response.text())
                .await
                .unwrap(),
        }
    }

    /// Returns a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the body as JSON, or the only event of a stream: how clients of 0.3 get an error in place of one.
    pub(crate) fn json(&self) -> Value {
        let event = self
            .body
            .strip_prefix("data: ")
            .and_then(|event| event.strip_suffix("\n\n"));
        serde_json::from_str(event.unwrap_or(&self.body)).unwrap_or_else(|error| {
            panic!("status {}, no JSON ({error}): {}", self.status, self.body)
        })
    }

    /// Returns the result of a call.
    #[track_caller]
    pub(crate) fn result(&self) -> Value {
        let mut json = self.json();
        assert!(json.get("result").is_some(), "no result: {}", self.body);
        json["result"].take()
    }

    /// Returns the error of a call.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let mut json = self.json();
        assert!(json.get("error").is_some(), "no error: {}", self.body);
        json["error"].take()
    }

    /// Returns the code of the error of a call.
    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        self.error()["code"].as_i64().unwrap()
    }

    /// Returns the text of the error of a call.
    #[track_caller]
    pub(crate) fn message(&self) -> String {
        self.error()["message"].as_str().unwrap().to_owned()
    }

    /// Returns a member of the body as it was spelled.
    #[track_caller]
    pub(crate) fn raw(&self, member: &str) -> String {
        let members: std::collections::HashMap<String, &RawValue> =
            serde_json::from_str(&self.body).unwrap();
        let value = members.get(member);
        value
            .unwrap_or_else(|| panic!("no {member}: {}", self.body))
            .get()
            .to_owned()
    }

    /// Returns the task of a sent message, whichever version it is in.
    #[track_caller]
    pub(crate) fn task(&self) -> Value {
        let mut result = self.result();
        match result.get_mut("task") {
            Some(task) => task.take(),
            None => result,
        }
    }

    /// Returns the id of the task of a sent message.
    #[track_caller]
    pub(crate) fn task_id(&self) -> String {
        self.task()["id"].as_str().unwrap().to_owned()
    }

    /// Returns the id of the context of a sent message.
    #[track_caller]
    pub(crate) fn context_id(&self) -> String {
        self.task()["contextId"].as_str().unwrap().to_owned()
    }
}

impl World {
    /// Begins a request to the gateway.
    pub(crate) fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.client
            .request(method, format!("http://{}{path}", self.address()))
    }

    /// Begins a JSON-RPC request.
    pub(crate) fn rpc(&self, path: &str, body: impl Display) -> reqwest::RequestBuilder {
        self.request(reqwest::Method::POST, path)
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    /// Gets a path.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        receive(self.request(reqwest::Method::GET, path)).await
    }

    /// Posts a call and reads the whole answer.
    pub(crate) async fn post(&self, path: &str, body: impl Display) -> Reply {
        receive(self.rpc(path, body)).await
    }

    /// Posts a call to the federated endpoint.
    pub(crate) async fn call(&self, body: impl Display) -> Reply {
        self.post("/a2a", body).await
    }

    /// Posts a call and follows the events.
    pub(crate) async fn follow(&self, path: &str, body: impl Display) -> Events {
        Events::open(self.rpc(path, body)).await
    }

    /// Writes bytes to a new connection and returns what came until it was closed.
    pub(crate) async fn raw(&self, request: impl AsRef<[u8]>) -> String {
        let mut stream = TcpStream::connect(self.address()).await.unwrap();
        stream.write_all(request.as_ref()).await.unwrap();
        let mut answer = Vec::new();
        within(
            "the connection to be closed",
            stream.read_to_end(&mut answer),
        )
        .await
        .unwrap();
        String::from_utf8(answer).unwrap()
    }
}

/// Returns a client that takes bytes as they are. It trusts nobody, which saves reading the certificates of the
/// system for connections without TLS.
pub(super) fn plain() -> reqwest::Client {
    let builder = reqwest::Client::builder().no_proxy().gzip(false);
    builder.tls_certs_only([]).build().unwrap()
}

/// Sends a request and reads the whole response.
pub(crate) async fn receive(request: reqwest::RequestBuilder) -> Reply {
    let response = within("a response of the gateway", request.send())
        .await
        .unwrap();
    Reply::read(response).await
}
