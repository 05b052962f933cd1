//! gRPC: both services on the public port, every method by the same few lines.
//!
//! The package of the path tells the version, and messages are converted to ProtoJSON by reflection.

mod request;
mod status;

use axum::{
    Router,
    body::Body,
    extract::State as Shared,
    http::{HeaderMap, Request, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse as _, Response},
    routing::post,
};
use bytes::Bytes;
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use gateway_core::{Failure, LossLedger, Payload, RelayItem, Reply, ReplyBody};
use gateway_proto::{BytesCodec, Method, Service, lossy_numbers};
use gateway_protocol::{
    Error, Version,
    translate::{Loss, Losses},
};
use serde_json::Value;
use tonic::{
    Status,
    metadata::MetadataMap,
    server::{Grpc, ServerStreamingService, UnaryService},
};

use crate::{State, body, edge, handle::handle, headers};
use request::Inbound;

/// Bytes in front of a message: a mark of compression and the length.
const PREFIX: usize = 5;

/// Builds the routes of both services.
pub(crate) fn routes() -> Router<State> {
    Service::ALL
        .into_iter()
        .fold(Router::new(), |router, service| {
            router.route(&format!("/{service}/{{rpc}}"), post(answer))
        })
}

async fn answer(Shared(state): Shared<State>, request: Request<Body>) -> Response {
    if !is_grpc(request.headers()) {
        let text = "this path is for gRPC: send content type application/grpc\n";
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, text).into_response();
    }
    let Some(method) = Method::of_path(request.uri().path()) else {
        let status = Status::unimplemented("there is no such method");
        return status.into_http::<tonic::body::Body>().map(Body::new);
    };
    let request = match read(&state, request).await {
        Ok(request) => request,
        Err((status, error)) => {
            let status = status::of_body(request::version(method.service()), status, &error);
            return status.into_http::<tonic::body::Body>().map(Body::new);
        }
    };
    // What was read is within the limit, which may be above that of the library.
    let mut grpc = Grpc::new(BytesCodec).max_decoding_message_size(usize::MAX);
    let listener = Listener { state, method };
    let response = if method.server_streaming() {
        grpc.server_streaming(listener, request).await
    } else {
        grpc.unary(listener, request).await
    };
    response.map(Body::new)
}

/// Reads the body, which holds the only message of every method, so that the limits of bodies are those of all
/// bindings.
async fn read(state: &State, request: Request<Body>) -> Result<Request<Body>, (StatusCode, Error)> {
    let (parts, body) = request.into_parts();
    let limit = state.settings.max_body.saturating_add(PREFIX);
    let body = body::read_up_to(limit, body, &state.settings).await?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE);
    given.is_some_and(|given| {
        let subtype = given.as_bytes().strip_prefix(b"application/grpc");
        subtype.is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';')))
    })
}

/// Serves one method.
#[derive(Debug, Clone)]
struct Listener {
    state: State,
    method: Method,
}

/// Messages on their way to a client.
type Messages = BoxStream<'static, Result<Bytes, Status>>;

impl UnaryService<Bytes> for Listener {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        self.clone().unary(request).boxed()
    }
}

impl ServerStreamingService<Bytes> for Listener {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = BoxFuture<'static, Result<tonic::Response<Messages>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        self.clone().streaming(request).boxed()
    }
}

impl Listener {
    async fn unary(self, request: tonic::Request<Bytes>) -> Result<tonic::Response<Bytes>, Status> {
        let (writer, reply) = self.handle(request).await?;
        let about = about(writer.version, &reply);
        let ReplyBody::One(payload) = reply.body else {
            let failure = Failure::internal("the answer to a single call is a stream");
            return Err(status::of_failure(writer.version, &failure));
        };
        respond(about, writer.message(&payload))
    }

    async fn streaming(
        self,
        request: tonic::Request<Bytes>,
    ) -> Result<tonic::Response<Messages>, Status> {
        let (writer, reply) = self.handle(request).await?;
        let about = about(writer.version, &reply);
        match reply.body {
            ReplyBody::Events(items) => respond(about, Ok(writer.messages(items))),
            // An error before the first event is the answer, without a stream.
            ReplyBody::One(payload) => {
                let message = writer.message(&payload);
                let messages = message.map(|message| stream::iter([Ok(message)]).boxed());
                respond(about, messages)
            }
        }
    }

    async fn handle(self, request: tonic::Request<Bytes>) -> Result<(Writer, Reply), Status> {
        let version = request::version(self.method.service());
        let refused = |failure: Failure| status::of_failure(version, &failure);
        let Inbound { call, about } =
            request::read(&self.state, self.method, request).map_err(refused)?;
        let writer = Writer {
            method: self.method,
            version,
            losses: call.losses.clone(),
        };
        let reply = handle(&self.state, call, &about).await.map_err(refused)?;
        Ok((writer, reply))
    }
}

/// Writes the messages of one answer.
struct Writer {
    method: Method,
    version: Version,
    losses: LossLedger,
}

impl Writer {
    /// Writes messages up to the first error, which is how a gRPC stream ends.
    fn messages(self, items: BoxStream<'static, RelayItem>) -> Messages {
        let state = Some((self, items));
        stream::unfold(state, |state| async move {
            let (writer, mut items) = state?;
            loop {
                // HTTP/2 has its own means to keep a connection alive.
                let RelayItem::Event { payload, .. } = items.next().await? else {
                    continue;
                };
                let message = writer.message(&payload);
                let next = message.is_ok().then_some((writer, items));
                return Some((message, next));
            }
        })
        .boxed()
    }

    fn message(&self, payload: &Payload) -> Result<Bytes, Status> {
        match payload {
            Payload::Result(result) => self
                .encode(result)
                .map_err(|failure| status::of_failure(self.version, &failure)),
            Payload::Error(error) => Err(status::of_error(self.version, error)),
        }
    }

    /// Encodes ProtoJSON, and counts what protobuf cannot carry of it.
    fn encode(&self, json: &[u8]) -> Result<Bytes, Failure> {
        let mut tree: Value =
            serde_json::from_slice(json).map_err(|error| edge::unreadable(&error.to_string()))?;
        let mut losses = Losses::default();
        let unknown = self.method.strip_response(&mut tree).len();
        losses.add_times(Loss::UnknownMember, unknown);
        losses.add_times(Loss::NumberPrecision, lossy_numbers(&tree));
        self.losses.add(&losses);
        self.method
            .response_from_json(&tree)
            .map_err(|invalid| edge::unreadable(&invalid.to_string()))
    }
}

/// Puts content or status together with the metadata that goes with the answer.
fn respond<T>(
    about: MetadataMap,
    content: Result<T, Status>,
) -> Result<tonic::Response<T>, Status> {
    match content {
        Ok(content) => Ok(tonic::Response::from_parts(
            about,
            content,
            tonic::Extensions::new(),
        )),
        Err(mut status) => {
            let mut both = about.into_headers();
            both.extend(std::mem::take(status.metadata_mut()).into_headers());
            *status.metadata_mut() = MetadataMap::from_headers(both);
            Err(status)
        }
    }
}

/// Returns the metadata that goes with an answer.
fn about(version: Version, reply: &Reply) -> MetadataMap {
    let mut about = HeaderMap::new();
    headers::describe(&mut about, version, reply);
    MetadataMap::from_headers(about)
}

#[cfg(test)]
mod tests;
