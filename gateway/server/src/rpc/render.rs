//! Replies and failures as HTTP responses with JSON-RPC envelopes.

use std::time::Duration;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse as _, Response},
};
use gateway_core::{Failure, Payload, Reply, ReplyBody};
use gateway_protocol::{Operation, Version, jsonrpc};
use serde_json::value::RawValue;

use crate::{
    events::{self, Content},
    headers,
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// How an answer is framed that is a single object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As JSON.
    Json,
    /// As the only event of a stream.
    Event,
}

impl Form {
    /// Clients of 0.3 that asked for a stream take nothing else for an answer, not even an error.
    pub(super) fn of(version: Version, operation: Operation) -> Self {
        if version == Version::V03 && operation.is_streaming() {
            Self::Event
        } else {
            Self::Json
        }
    }

    /// Renders a failure that has to do with the operation itself.
    pub(super) fn failure(self, id: Option<&RawValue>, failure: &Failure) -> Response {
        let mut response = self.respond(jsonrpc::failure(id, &failure.error));
        headers::describe_failure(response.headers_mut(), failure);
        response
    }

    fn respond(self, body: Vec<u8>) -> Response {
        match self {
            Self::Json => json(StatusCode::OK, body),
            Self::Event => events::single(body.into()),
        }
    }
}

/// Renders a reply; `id` is the id of the client's request as it spelled it.
pub(super) fn reply(
    (version, form): (Version, Form),
    id: Option<Box<RawValue>>,
    reply: Reply,
    keep_alive: Duration,
) -> Response {
    let mut about = HeaderMap::new();
    headers::describe(&mut about, version, &reply);
    let mut response = match reply.body {
        ReplyBody::One(payload) => form.respond(envelope(id.as_deref(), &payload)),
        ReplyBody::Events(items) => events::respond(items, keep_alive, move |payload| Content {
            name: None,
            data: envelope(id.as_deref(), &payload).into(),
        }),
    };
    response.headers_mut().extend(about);
    response
}

/// Renders a failure. JSON-RPC clients look for errors in bodies of status 200; other statuses are for what
/// is wrong below JSON-RPC.
pub(super) fn failure(status: StatusCode, id: Option<&RawValue>, failure: &Failure) -> Response {
    let mut response = json(status, jsonrpc::failure(id, &failure.error));
    headers::describe_failure(response.headers_mut(), failure);
    response
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}

fn envelope(id: Option<&RawValue>, payload: &Payload) -> Vec<u8> {
    match payload {
        Payload::Result(result) => jsonrpc::success(id, result),
        Payload::Error(error) => jsonrpc::failure_raw(id, error),
    }
}
