//! A small A2A client: just enough to show what a client sees.

use std::{net::SocketAddr, time::Duration};

use futures_util::StreamExt as _;
use gateway_core::RouteDecision;
use gateway_protocol::{Version, sse};
use gateway_upstream::guard::Clients;
use reqwest::{Client as Http, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::command::CommandError;

/// The header that names the decision behind an answer.
const DECISION: &str = "x-a2a-gateway-decision";
const MAX_EVENT: usize = 1024 * 1024;

/// Talks to one gateway.
pub(super) struct Client {
    http: Http,
    endpoint: String,
    admin: String,
}

/// An answer and the decision behind it.
pub(super) struct Answer {
    pub(super) body: Value,
    pub(super) decision: Option<String>,
}

impl Client {
    pub(super) fn new(public: SocketAddr, admin: SocketAddr) -> Result<Self, CommandError> {
        let http = Clients::new()
            .client(Duration::from_secs(3))
            .map_err(CommandError::failed)?;
        Ok(Self {
            http,
            endpoint: format!("http://{public}/a2a"),
            admin: format!("http://{admin}"),
        })
    }

    pub(super) async fn wait_until_ready(&self, limit: Duration) -> Result<(), CommandError> {
        let until = Instant::now() + limit;
        loop {
            let ready = self.http.get(format!("{}/readyz", self.admin)).send().await;
            match ready {
                Ok(ready) if ready.status() == StatusCode::OK => return Ok(()),
                _ if Instant::now() > until => {
                    return Err(CommandError::failed("the gateway was not ready in time"));
                }
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// Calls a method and returns the whole answer.
    pub(super) async fn call(
        &self,
        version: Version,
        method: &str,
        params: &Value,
    ) -> Result<Answer, CommandError> {
        let response = self.send(version, method, params).await?;
        let decision = decision_of(&response);
        let body = response.json().await.map_err(CommandError::failed)?;
        Ok(Answer { body, decision })
    }

    /// Calls a streaming method, hands each event to `seen` as it arrives, and returns the decision.
    pub(super) async fn stream(
        &self,
        version: Version,
        method: &str,
        params: &Value,
        mut seen: impl FnMut(&Value),
    ) -> Result<Option<String>, CommandError> {
        let response = self.send(version, method, params).await?;
        let decision = decision_of(&response);
        let mut parser = sse::Parser::new(MAX_EVENT);
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            parser.push(&chunk.map_err(CommandError::failed)?);
            while let Some(event) = parser.next_event() {
                let event = event.map_err(CommandError::failed)?;
                seen(&serde_json::from_slice(&event.data).map_err(CommandError::failed)?);
            }
        }
        Ok(decision)
    }

    /// Fetches the record of a decision, once its outcome is known.
    pub(super) async fn decision(&self, id: &str) -> Result<RouteDecision, CommandError> {
        let url = format!("{}/v1/decisions/{id}", self.admin);
        let mut decision: RouteDecision = fetch(self.http.get(&url)).await?;
        // Outcomes follow their answers within moments.
        for _ in 0..20 {
            if decision.outcome.is_some() || decision.chosen().is_none() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
            decision = fetch(self.http.get(&url)).await?;
        }
        Ok(decision)
    }

    async fn send(
        &self,
        version: Version,
        method: &str,
        params: &Value,
    ) -> Result<Response, CommandError> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.http
            .post(&self.endpoint)
            .header("A2A-Version", version.as_str())
            .json(&body)
            .send()
            .await
            .map_err(CommandError::failed)
    }
}

async fn fetch<T: serde::de::DeserializeOwned>(request: RequestBuilder) -> Result<T, CommandError> {
    let response = request
        .send()
        .await
        .and_then(Response::error_for_status)
        .map_err(CommandError::failed)?;
    response.json().await.map_err(CommandError::failed)
}

fn decision_of(response: &Response) -> Option<String> {
    response
        .headers()
        .get(DECISION)?
        .to_str()
        .ok()
        .map(str::to_owned)
}
