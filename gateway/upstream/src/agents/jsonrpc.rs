//! The JSON-RPC leg: parameters into an envelope, answers and events out of theirs.

use std::borrow::Cow;

use bytes::Bytes;
use gateway_core::ports::{
    AgentAnswer, AgentEvent, AgentRequest, AnswerContent, AttemptError, Said,
};
use gateway_protocol::{
    jsonrpc::{self, Malformed, Outcome, Response},
    sse::{self, Item},
    view::ErrorView,
};
use http::Method;
use serde_json::value::{RawValue, to_raw_value};

use super::{
    events,
    exchange::Exchange,
    headers::{self, Media},
    http::{Body, Http, HttpAnswer, HttpRequest},
    said,
};

/// Asks an agent over JSON-RPC.
pub(super) async fn send(
    http: &Http,
    request: &AgentRequest,
    exchange: &Exchange,
) -> Result<AgentAnswer, AttemptError> {
    let Some(method) = request.operation.method(request.endpoint.version) else {
        return Ok(said::unsupported(request));
    };
    let framed = frame(request, method, exchange)?;
    read(http.send(framed, exchange).await?, exchange)
}

/// Puts the parameters into their envelope.
pub(crate) fn frame(
    request: &AgentRequest,
    method: &str,
    exchange: &Exchange,
) -> Result<HttpRequest, AttemptError> {
    let streaming = request.operation.is_streaming();
    let accept = if streaming {
        "text/event-stream, application/json"
    } else {
        "application/json"
    };
    let media = Media {
        content_type: Some("application/json"),
        accept: Some(accept),
    };
    let headers =
        headers::request(request, media).map_err(|error| exchange.unusable_credential(&error))?;
    let id = id(request);
    let body = jsonrpc::request(id.as_deref(), method, &request.params);
    Ok(HttpRequest {
        method: Method::POST,
        url: request.endpoint.url.clone(),
        headers,
        body: Bytes::from(body),
        streaming,
    })
}

/// Returns the client's id. Clients of other bindings have none, and a request without one is a notification
/// to some agents: the trace id takes its place, so that logs on both sides can be matched.
fn id(request: &AgentRequest) -> Option<Cow<'_, RawValue>> {
    match &request.rpc_id {
        Some(id) => Some(Cow::Borrowed(id)),
        None => to_raw_value(request.trace.trace_id()).ok().map(Cow::Owned),
    }
}

fn read(answer: HttpAnswer, exchange: &Exchange) -> Result<AgentAnswer, AttemptError> {
    let content = match answer.body {
        Body::Whole(body) => {
            let said = open(&body).map_err(|malformed| {
                exchange.unusable(answer.status, answer.retry_after, malformed)
            })?;
            AnswerContent::One(said)
        }
        Body::Events(items) => {
            let exchange = exchange.clone();
            AnswerContent::Events(events::read(items, move |item| {
                Ok(match item {
                    Item::Comment(text) => AgentEvent::Comment(text),
                    Item::Event(event) => read_event(event, &exchange)?,
                })
            }))
        }
    };
    Ok(AgentAnswer {
        extensions: answer.extensions,
        content,
    })
}

fn read_event(event: sse::Event, exchange: &Exchange) -> Result<AgentEvent, AttemptError> {
    let said = open(&event.data).or_else(|malformed| {
        bare_error(&event).ok_or_else(|| exchange.unusable_event(malformed))
    })?;
    Ok(AgentEvent::Event {
        name: event.name,
        id: event.id,
        said,
    })
}

/// Takes what is said out of its envelope.
fn open(body: &[u8]) -> Result<Said, Malformed> {
    let response = Response::parse(body)?;
    Ok(match response.outcome {
        Outcome::Result(result) => Said::Result(result.to_owned()),
        Outcome::Error(error) => Said::Error(error.to_owned()),
    })
}

/// Reads the error object that some agents send bare in an event named `error`.
fn bare_error(event: &sse::Event) -> Option<Said> {
    if event.name.as_deref() != Some("error") {
        return None;
    }
    let error: &RawValue = serde_json::from_slice(&event.data).ok()?;
    ErrorView::read(error).code?;
    Some(Said::Error(error.to_owned()))
}
