//! Calls to agents: one JSON-RPC request out, one answer or stream back.

mod body;
mod events;
mod exchange;
mod headers;
mod outgoing;

use async_trait::async_trait;
use bytes::Bytes;
use gateway_core::ports::{AgentAnswer, AgentClient, AgentRequest, AttemptError};
use http::{HeaderMap, StatusCode, header};
use reqwest::{Client, Response};
use tokio::time::timeout;
use url::Url;

use self::{exchange::Exchange, outgoing::Outgoing};
use crate::guard::{self, Clients};

pub(crate) use self::headers::{UnusableCredential, add_credential};

/// Calls agents over HTTP.
#[derive(Debug, Clone)]
pub struct HttpAgents {
    clients: Clients,
}

impl HttpAgents {
    /// Creates the leg towards agents.
    #[must_use]
    pub fn new(clients: Clients) -> Self {
        Self { clients }
    }

    /// Returns the client for an exchange.
    fn client(&self, exchange: &Exchange) -> Result<Client, AttemptError> {
        self.clients
            .client(exchange.limits().connect)
            .map_err(|error| {
                tracing::error!(?error, "cannot set up an HTTP client");
                exchange.client_unusable()
            })
    }
}

#[async_trait]
impl AgentClient for HttpAgents {
    async fn send(&self, request: AgentRequest) -> Result<AgentAnswer, AttemptError> {
        let exchange = Exchange::with(&request.agent);
        let client = self.client(&exchange)?;
        let headers =
            headers::request(&request).map_err(|error| exchange.unusable_credential(&error))?;
        let limit = exchange.limits().timeout;
        let conversation = Box::pin(converse(&client, &request, headers, exchange.clone()));
        timeout(limit, conversation)
            .await
            .unwrap_or_else(|_| Err(exchange.timed_out()))
    }
}

/// Sends the request and reads the answer, or the first bytes of a stream, with no limit of time.
async fn converse(
    client: &Client,
    request: &AgentRequest,
    headers: HeaderMap,
    exchange: Exchange,
) -> Result<AgentAnswer, AttemptError> {
    let response = deliver(client, request, headers, &exchange).await?;
    let status = response.status().as_u16();
    let extensions = headers::extensions(response.headers());
    let retry_after = headers::retry_after(response.headers());
    let body = body::read(response, request.streaming, exchange).await?;
    Ok(AgentAnswer {
        status,
        extensions,
        retry_after,
        body,
    })
}

/// Posts the request, a second time where the agent says that it lives at another path of the same origin.
async fn deliver(
    client: &Client,
    request: &AgentRequest,
    headers: HeaderMap,
    exchange: &Exchange,
) -> Result<Response, AttemptError> {
    let first = post(
        client,
        &request.url,
        headers.clone(),
        &request.body,
        exchange,
    )
    .await?;
    if !is_redirect(first.status()) {
        return Ok(first);
    }
    let target = redirect_target(&request.url, &first).ok_or_else(|| exchange.redirected())?;
    tracing::debug!(agent = %request.agent.id, from = %guard::shown(&request.url), to = %guard::shown(&target), "agent redirects");
    // Nothing was done with the first request: 307 and 308 ask to repeat it (RFC 9110 §15.4.8).
    let second = post(client, &target, headers, &request.body, exchange).await?;
    if is_redirect(second.status()) {
        return Err(exchange.redirected());
    }
    Ok(second)
}

async fn post(
    client: &Client,
    url: &Url,
    headers: HeaderMap,
    body: &Bytes,
    exchange: &Exchange,
) -> Result<Response, AttemptError> {
    guard::check(url).map_err(|refused| exchange.refused(refused))?;
    let body = reqwest::Body::wrap(Outgoing::new(body.clone(), exchange.sent_flag()));
    let sending = client.post(url.clone()).headers(headers).body(body).send();
    sending.await.map_err(|error| exchange.failed(&error))
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Returns where a redirect leads that keeps method and body and stays within the origin.
fn redirect_target(from: &Url, response: &Response) -> Option<Url> {
    if !matches!(response.status().as_u16(), 307 | 308) {
        return None;
    }
    let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let mut target = from.join(location).ok()?;
    if target.origin() != from.origin() {
        return None;
    }
    target.set_username(from.username()).ok()?;
    target.set_password(from.password()).ok()?;
    Some(target)
}
