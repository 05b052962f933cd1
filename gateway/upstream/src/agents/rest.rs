//! The REST leg: parameters into path, query and body, answers and events without an envelope.

mod habits;

use std::str;

use bytes::Bytes;
use gateway_core::ports::{
    AgentAnswer, AgentEvent, AgentRequest, AnswerContent, AttemptError, Said,
};
use gateway_protocol::{
    ErrorKind, Operation,
    jsonrpc::{Malformed, Response},
    rest::{self, Answer, AnsweredError},
    sse::{Event, Item},
    translate::{Loss, Losses},
    view::ErrorView,
};
use http::Method;
use serde_json::value::RawValue;
use url::Url;

use super::{
    events,
    exchange::Exchange,
    headers::{self, Media},
    http::{BYTE_ORDER_MARK, Body, Http, HttpAnswer, HttpRequest},
    said,
};

pub(super) use self::habits::Habits;

/// Asks an agent over REST. Where agents differ in the form of a request, the other form is tried once, and
/// what the agent takes is remembered.
pub(super) async fn send(
    (http, habits): (&Http, &Habits),
    request: &AgentRequest,
    exchange: &Exchange,
) -> Result<AgentAnswer, AttemptError> {
    let usual = match said::params(&request.params)
        .and_then(|params| rest::request(request.operation, request.endpoint.version, params))
    {
        Ok(usual) => usual,
        Err(error) => return Ok(said::refused(&error)),
    };
    let mut losses = Losses::default();
    losses.add_times(Loss::UnknownMember, usual.unplaced);
    request.losses.add(&losses);
    let send = async |form: &rest::HttpRequest| {
        let framed = frame(request, form, exchange)?;
        http.send(framed, exchange).await
    };
    let Some(other) = habits::other_form(&usual) else {
        return read(send(&usual).await?, request, exchange);
    };
    let prefers_other = habits.prefers_other(request);
    let (first, second) = if prefers_other {
        (&other, &usual)
    } else {
        (&usual, &other)
    };
    let operation = request.operation;
    let mut answer = send(first).await?;
    if habits::asks_for_other(&usual, operation, &answer) {
        tracing::debug!(agent = %exchange.agent(), %operation, status = answer.status, "trying the other form of the request");
        let another = send(second).await?;
        if another.is_success() {
            habits.remember(request, !prefers_other);
        }
        answer = habits::more_telling(operation, answer, another);
    }
    read(answer, request, exchange)
}

fn frame(
    request: &AgentRequest,
    form: &rest::HttpRequest,
    exchange: &Exchange,
) -> Result<HttpRequest, AttemptError> {
    let media = Media {
        content_type: form.content_type(),
        accept: Some(form.accept),
    };
    let headers =
        headers::request(request, media).map_err(|error| exchange.unusable_credential(&error))?;
    Ok(HttpRequest {
        method: Method::from_bytes(form.method.as_bytes()).unwrap_or(Method::POST),
        url: address(&request.endpoint.url, &form.target()),
        headers,
        body: form.body.clone().map(Bytes::from).unwrap_or_default(),
        streaming: request.operation.is_streaming(),
    })
}

/// Appends path and query to the address of an interface, which may have both already.
fn address(base: &Url, target: &str) -> Url {
    let (path, query) = target.split_once('?').unzip();
    let path = path.unwrap_or(target);
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    let queries = [base.query(), query];
    let queries: Vec<_> = queries.into_iter().flatten().collect();
    url.set_query((!queries.is_empty()).then(|| queries.join("&")).as_deref());
    url
}

fn read(
    answer: HttpAnswer,
    request: &AgentRequest,
    exchange: &Exchange,
) -> Result<AgentAnswer, AttemptError> {
    let (version, operation) = (request.endpoint.version, request.operation);
    let unusable = |found| exchange.unusable(answer.status, answer.retry_after, named(found));
    let content = match answer.body {
        Body::Whole(body) => {
            let read = rest::read_answer(version, operation, answer.status, &body);
            let said = match read.map_err(unusable)? {
                Answer::Result(result) => Said::Result(result),
                Answer::Error(error) => {
                    Said::Error(explained(operation, answer.status, error).map_err(unusable)?)
                }
            };
            AnswerContent::One(said)
        }
        Body::Events(items) => {
            let exchange = exchange.clone();
            AnswerContent::Events(events::read(items, move |item| match item {
                Item::Comment(text) => Ok(AgentEvent::Comment(text)),
                Item::Event(event) => read_event(event, operation, &exchange),
            }))
        }
    };
    Ok(AgentAnswer {
        extensions: answer.extensions,
        content,
    })
}

/// Returns an error of the protocol, or what the status alone tells the gateway.
fn explained(
    operation: Operation,
    status: u16,
    error: AnsweredError,
) -> Result<Box<RawValue>, Malformed> {
    if let Some(found) = error.malformed {
        // Many agents have no routes for what they do not support.
        let has_no_route = matches!(status, 404 | 405 | 501) && is_optional(operation);
        return if has_no_route {
            Ok(error.object)
        } else {
            Err(found)
        };
    }
    let kind = ErrorView::read(&error.object).kind();
    if matches!(status, 401 | 403 | 429 | 503) && !kind.is_some_and(ErrorKind::is_a2a) {
        return Err(Malformed::NoOutcome);
    }
    Ok(error.object)
}

fn is_optional(operation: Operation) -> bool {
    !matches!(
        operation,
        Operation::SendMessage
            | Operation::SendStreamingMessage
            | Operation::GetTask
            | Operation::CancelTask
    )
}

/// Says what stands in place of an answer; there are no envelopes here that could be missing.
fn named(found: Malformed) -> String {
    match found {
        Malformed::NoOutcome => "JSON that is no error".to_owned(),
        Malformed::NotObject(kind) => format!("{kind} instead of a JSON object"),
        found => found.to_string(),
    }
}

fn read_event(
    event: Event,
    operation: Operation,
    exchange: &Exchange,
) -> Result<AgentEvent, AttemptError> {
    let data = event
        .data
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(&event.data);
    let text = str::from_utf8(data).map_err(|_| exchange.unusable_event(Malformed::NotText))?;
    let name = event.name.as_deref().unwrap_or_default();
    let said = if let Some(error) = rest::stream_error(operation, name, text) {
        Said::Error(error)
    } else {
        // An event is an object with neither of the members that an envelope must have one of.
        match Response::parse(data) {
            Ok(_) | Err(Malformed::NoOutcome) => {}
            Err(found) => return Err(exchange.unusable_event(named(found))),
        }
        let value: Box<RawValue> = serde_json::from_str(text)
            .map_err(|_| exchange.unusable_event("more than one JSON value"))?;
        Said::Result(value)
    };
    Ok(AgentEvent::Event {
        name: event.name,
        id: event.id,
        said,
    })
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn paths_and_queries_are_appended_to_those_of_the_interface() {
        for (base, target, called) in [
            ("http://a:1", "/message:send", "http://a:1/message:send"),
            ("http://a:1/", "/v1/card", "http://a:1/v1/card"),
            (
                "http://a:1/api/",
                "/t%20x/tasks/a%2Fb:cancel",
                "http://a:1/api/t%20x/tasks/a%2Fb:cancel",
            ),
            (
                "http://a:1/api?key=1",
                "/tasks?pageSize=5",
                "http://a:1/api/tasks?key=1&pageSize=5",
            ),
            (
                "http://a:1/api?key=1",
                "/tasks",
                "http://a:1/api/tasks?key=1",
            ),
            (
                "http://a:1/",
                "/tasks?pageToken=a%26b",
                "http://a:1/tasks?pageToken=a%26b",
            ),
        ] {
            let address = address(&base.parse().unwrap(), target);
            assert_eq!(address.as_str(), called);
        }
    }
}
