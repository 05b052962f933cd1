//! The gRPC leg: a message out, messages and a status back.
//!
//! gRPC is HTTP/2 with five bytes before each message and the status in trailers. It runs over the guarded
//! clients, so that address rules, trusted authorities and the words for failures are those of the other legs.

mod messages;
mod status;

use bytes::Bytes;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use gateway_core::{
    LossLedger,
    ports::{AgentAnswer, AgentEvent, AgentRequest, AnswerContent, AttemptError, Said},
};
use gateway_proto::{Method, Service, lossy_numbers};
use gateway_protocol::{
    Error, ErrorKind, Operation, Version,
    translate::{Dialect, Loss, Losses, Translator},
};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reqwest::Response;
use serde_json::{Value, value::to_raw_value};
use tokio::time::timeout;

pub(super) use self::messages::BrokenMessage;

use self::{
    messages::{Messages, framed},
    status::Status,
};
use super::{
    events,
    exchange::Exchange,
    headers::{self, Media},
    http::{Http, HttpRequest},
    said,
};

const MEDIA: &str = "application/grpc";
const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");
/// The largest number of the eight digits that a deadline may have.
const LONGEST_TIMEOUT: u128 = 99_999_999;

/// Asks an agent over gRPC.
pub(super) async fn send(
    http: &Http,
    request: &AgentRequest,
    exchange: &Exchange,
) -> Result<AgentAnswer, AttemptError> {
    let Some(method) = method(request.operation, request.endpoint.version) else {
        return Ok(said::unsupported(request));
    };
    let message = match encode(method, request) {
        Ok(message) => message,
        Err(error) => return Ok(said::refused(&error)),
    };
    let asked = Asked {
        operation: request.operation,
        dialect: request.endpoint.dialect(),
        method,
        losses: request.losses.clone(),
        exchange: exchange.clone(),
    };
    let framed = frame(request, method, &message, exchange)?;
    let conversation = Box::pin(asked.converse(http, framed));
    timeout(exchange.limits().timeout, conversation)
        .await
        .unwrap_or_else(|_| Err(exchange.timed_out()))
}

/// Finds the method of an operation; 0.3 has other names for some and no listing of tasks.
fn method(operation: Operation, version: Version) -> Option<Method> {
    let (service, rpc) = match (version, operation) {
        (Version::V1, operation) => (Service::V1, operation.name()),
        (Version::V03, Operation::SubscribeToTask) => (Service::V03, "TaskSubscription"),
        (Version::V03, Operation::ListTaskPushNotificationConfigs) => {
            (Service::V03, "ListTaskPushNotificationConfig")
        }
        (Version::V03, Operation::GetExtendedAgentCard) => (Service::V03, "GetAgentCard"),
        (Version::V03, operation) => (Service::V03, operation.name()),
    };
    Method::of(service, rpc)
}

/// Encodes parameters, and counts what protobuf cannot carry of them.
fn encode(method: Method, request: &AgentRequest) -> Result<Bytes, Error> {
    let mut params = said::params_tree(&request.params)?;
    let mut losses = Losses::default();
    let unknown = method.strip_request(&mut params).len();
    losses.add_times(Loss::UnknownMember, unknown);
    losses.add_times(Loss::NumberPrecision, lossy_numbers(&params));
    request.losses.add(&losses);
    method.request_from_json(&params).map_err(|invalid| {
        let error = Error::new(ErrorKind::InvalidParams, invalid.to_string());
        match invalid.path() {
            Some(path) => error.field_violation(path, invalid.reason()),
            None => error,
        }
    })
}

fn frame(
    request: &AgentRequest,
    method: Method,
    message: &[u8],
    exchange: &Exchange,
) -> Result<HttpRequest, AttemptError> {
    let media = Media {
        content_type: Some(MEDIA),
        accept: None,
    };
    let mut headers =
        headers::request(request, media).map_err(|error| exchange.unusable_credential(&error))?;
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    if !method.server_streaming() {
        let limit = exchange.limits().timeout.as_millis().min(LONGEST_TIMEOUT);
        if let Ok(limit) = HeaderValue::try_from(format!("{limit}m")) {
            headers.insert(GRPC_TIMEOUT, limit);
        }
    }
    let mut url = request.endpoint.url.clone();
    url.set_path(method.path());
    Ok(HttpRequest {
        method: http::Method::POST,
        url,
        headers,
        body: framed(message),
        streaming: method.server_streaming(),
    })
}

/// What was asked, and what reads the answer.
struct Asked {
    operation: Operation,
    dialect: Dialect,
    method: Method,
    losses: LossLedger,
    exchange: Exchange,
}

/// One thing on a stream.
enum Item {
    Message(Bytes),
    /// The status that ended it, which is none of success.
    Failed(Status),
}

impl Asked {
    async fn converse(self, http: &Http, framed: HttpRequest) -> Result<AgentAnswer, AttemptError> {
        let response = http.open(&framed, &self.exchange).await?;
        let head = response.headers();
        let mut extensions = headers::extensions(head);
        if let Some(status) = Status::read(head) {
            let content = self.failure(&status, head)?;
            return Ok(AgentAnswer {
                extensions,
                content: AnswerContent::One(content),
            });
        }
        if !is_grpc(&response) {
            let retry_after = headers::retry_after(head);
            let status = response.status().as_u16();
            return Err(self
                .exchange
                .unusable(status, retry_after, "something else than gRPC"));
        }
        let content = if self.method.server_streaming() {
            AnswerContent::Events(self.relay(response))
        } else {
            let (said, trailers) = self.single(response).await?;
            extensions.extend(headers::extensions(&trailers));
            AnswerContent::One(said)
        };
        Ok(AgentAnswer {
            extensions,
            content,
        })
    }

    /// Reads the only message of a unary answer, and the status after it.
    async fn single(&self, response: Response) -> Result<(Said, HeaderMap), AttemptError> {
        let limit = self.exchange.limits().max_response_bytes;
        let mut messages = Messages::of(response, limit);
        let broken = |broken| self.exchange.broken_message(broken);
        let message = messages.next().await.map_err(broken)?;
        let another = match &message {
            Some(_) => messages.next().await.map_err(broken)?,
            None => None,
        };
        let trailers = messages.into_trailers();
        let status = Status::read(&trailers).ok_or_else(|| self.exchange.incomplete())?;
        let said = match (message, another) {
            _ if !status.is_success() => self.failure(&status, &trailers)?,
            (Some(message), None) => self.result(&message)?,
            (None, _) => return Err(self.exchange.unusable(200, None, "no gRPC message")),
            (Some(_), Some(_)) => {
                let found = "several gRPC messages to a call that is not a stream";
                return Err(self.exchange.unusable(200, None, found));
            }
        };
        Ok((said, trailers))
    }

    /// Relays messages as they arrive, at the pace of whoever reads them.
    fn relay(self, response: Response) -> BoxStream<'static, Result<AgentEvent, AttemptError>> {
        let limit = self.exchange.limits().max_event_bytes;
        let source = (Some(Messages::of(response, limit)), self.exchange.clone());
        let items = stream::unfold(source, async |(messages, exchange)| {
            let mut messages = messages?;
            match next(&mut messages, &exchange).await {
                Ok(Some(Item::Message(message))) => {
                    Some((Ok(Item::Message(message)), (Some(messages), exchange)))
                }
                Ok(None) => None,
                Ok(Some(failed)) => Some((Ok(failed), (None, exchange))),
                Err(error) => Some((Err(error), (None, exchange))),
            }
        });
        events::read(items.boxed(), move |item| {
            let said = match item {
                Item::Message(message) => self.said(&self.decode(&message)?)?,
                Item::Failed(status) => match status.told(self.operation) {
                    Some(error) => Said::Error(error),
                    None => return Err(self.exchange.broken_off(status.code())),
                },
            };
            Ok(AgentEvent::Event {
                name: None,
                id: None,
                said,
            })
        })
    }

    /// Returns the error that a status tells, unless it is about the gateway rather than about the call.
    fn failure(&self, status: &Status, head: &HeaderMap) -> Result<Said, AttemptError> {
        if status.is_success() {
            return Err(self.exchange.unusable(200, None, "no gRPC message"));
        }
        status.told(self.operation).map(Said::Error).ok_or_else(|| {
            let retry_after = headers::retry_after(head);
            self.exchange.grpc_refused(status.code(), retry_after)
        })
    }

    /// Decodes the message of a unary answer, with what readers of its JSON count on and protobuf leaves out.
    fn result(&self, message: &[u8]) -> Result<Said, AttemptError> {
        let json = self.decode(message)?;
        let completed = Translator::new(self.dialect, self.dialect).result(
            self.operation,
            json,
            &mut Losses::default(),
        );
        self.said(&completed.map_err(|error| self.exchange.unconvertible(&error))?)
    }

    fn said(&self, json: &Value) -> Result<Said, AttemptError> {
        to_raw_value(json)
            .map(Said::Result)
            .map_err(|error| self.exchange.unconvertible(&error))
    }

    /// Decodes a message, and counts the fields of it that have no place in its JSON.
    fn decode(&self, message: &[u8]) -> Result<Value, AttemptError> {
        let decoded = self
            .method
            .response_to_json(message)
            .map_err(|invalid| self.exchange.unconvertible(&invalid))?;
        let mut losses = Losses::default();
        losses.add_times(Loss::UnknownMember, decoded.unknown_fields);
        self.losses.add(&losses);
        Ok(decoded.json)
    }
}

/// Reads the next message of a stream, or the status that ended it.
async fn next(messages: &mut Messages, exchange: &Exchange) -> Result<Option<Item>, AttemptError> {
    let message = timeout(exchange.limits().stream_idle, messages.next())
        .await
        .map_err(|_| exchange.idle())?
        .map_err(|broken| exchange.broken_event(broken))?;
    if let Some(message) = message {
        return Ok(Some(Item::Message(message)));
    }
    match Status::read(messages.trailers()) {
        Some(status) if status.is_success() => Ok(None),
        Some(status) => Ok(Some(Item::Failed(status))),
        None => Err(exchange.incomplete()),
    }
}

fn is_grpc(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    let is_named =
        media_type.is_some_and(|media_type| media_type.as_bytes().starts_with(MEDIA.as_bytes()));
    response.status().is_success() && is_named
}
