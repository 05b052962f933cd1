//! The transport below the bindings: one HTTP request out, one body or stream of events back.

mod body;
mod events;
mod outgoing;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use gateway_core::ports::AttemptError;
use gateway_protocol::sse::Item;
use http::{HeaderMap, Method, StatusCode, header};
use reqwest::{Client, Response};
use tokio::time::timeout;
use url::Url;

use super::{exchange::Exchange, headers};
use crate::guard::{self, Clients};

pub(super) use self::{body::BYTE_ORDER_MARK, outgoing::SentFlag};

use self::outgoing::Outgoing;

/// Sends HTTP requests to agents.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    clients: Clients,
}

/// One request.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// Whether a stream is expected.
    pub(super) streaming: bool,
}

/// What came back, of whatever meaning.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    /// Extension URIs the agent activated.
    pub(crate) extensions: Vec<String>,
    /// Seconds after which the agent wants to be asked again.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Body,
}

impl HttpAnswer {
    /// Tells whether the status is one of success.
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The body of an answer. Which form it has comes from the bytes, not from what the headers claim: agents
/// mislabel both.
pub(crate) enum Body {
    /// All of it.
    Whole(Bytes),
    /// Events as they arrive. Ends with an error when the agent breaks off or stays silent too long.
    Events(BoxStream<'static, Result<Item, AttemptError>>),
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(bytes) => formatter.debug_tuple("Whole").field(bytes).finish(),
            Self::Events(_) => formatter.write_str("Events(..)"),
        }
    }
}

impl Http {
    /// Creates the transport.
    pub(crate) fn new(clients: Clients) -> Self {
        Self { clients }
    }

    /// Sends a request, once, and reads the answer, or the first bytes of a stream, within the agent's limit.
    pub(crate) async fn send(
        &self,
        request: HttpRequest,
        exchange: &Exchange,
    ) -> Result<HttpAnswer, AttemptError> {
        let client = self.clients.client(exchange.limits().connect);
        let client = client.map_err(|error| exchange.client_unusable(&error))?;
        let conversation = Box::pin(converse(&client, &request, exchange));
        timeout(exchange.limits().timeout, conversation)
            .await
            .unwrap_or_else(|_| Err(exchange.timed_out()))
    }

    /// Sends a request over HTTP/2, once, and returns its answer unread, with no limit of time.
    pub(super) async fn open(
        &self,
        request: &HttpRequest,
        exchange: &Exchange,
    ) -> Result<Response, AttemptError> {
        let client = self.clients.http2(exchange.limits().connect);
        let client = client.map_err(|error| exchange.client_unusable(&error))?;
        dispatch(&client, request, &request.url, exchange).await
    }
}

/// Sends the request and reads the answer, or the first bytes of a stream, with no limit of time.
async fn converse(
    client: &Client,
    request: &HttpRequest,
    exchange: &Exchange,
) -> Result<HttpAnswer, AttemptError> {
    let response = deliver(client, request, exchange).await?;
    let status = response.status().as_u16();
    let extensions = headers::extensions(response.headers());
    let retry_after = headers::retry_after(response.headers());
    let body = body::read(response, request.streaming, exchange.clone()).await?;
    Ok(HttpAnswer {
        status,
        extensions,
        retry_after,
        body,
    })
}

/// Sends the request, a second time where the agent says that it lives at another path of the same origin.
async fn deliver(
    client: &Client,
    request: &HttpRequest,
    exchange: &Exchange,
) -> Result<Response, AttemptError> {
    let first = dispatch(client, request, &request.url, exchange).await?;
    if !is_redirect(first.status()) {
        return Ok(first);
    }
    let target = redirect_target(&request.url, &first).ok_or_else(|| exchange.redirected())?;
    tracing::debug!(agent = %exchange.agent(), from = %guard::shown(&request.url), to = %guard::shown(&target), "agent redirects");
    // Nothing was done with the first request: 307 and 308 ask to repeat it (RFC 9110 §15.4.8).
    let second = dispatch(client, request, &target, exchange).await?;
    if is_redirect(second.status()) {
        return Err(exchange.redirected());
    }
    Ok(second)
}

async fn dispatch(
    client: &Client,
    request: &HttpRequest,
    url: &Url,
    exchange: &Exchange,
) -> Result<Response, AttemptError> {
    guard::check(url).map_err(|refused| exchange.refused(refused))?;
    let body = Outgoing::new(request.body.clone(), exchange.sent_flag());
    let sending = client
        .request(request.method.clone(), url.clone())
        .headers(request.headers.clone())
        .body(reqwest::Body::wrap(body))
        .send();
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
