//! Replies and refusals in the form of HTTP+JSON.

use std::time::Duration;

use axum::{
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use gateway_core::{Failure, LossLedger, Payload, Reply, ReplyBody};
use gateway_protocol::{
    Operation, Version,
    rest::{error_body_as, error_to, response_content_type, result_body},
};
use serde_json::value::RawValue;

use super::refusal::Refusal;
use crate::{
    edge,
    events::{self, Content},
    headers, status,
};

/// How one client is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    version: Version,
    content_type: &'static str,
}

impl Form {
    /// Finds the form of a request that names a version or else has a path that tells it.
    pub(super) fn of(named: Option<Version>, path: &str, headers: &HeaderMap) -> Self {
        let by_path = match path.strip_prefix("/v1") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Version::V03,
            _ => Version::V1,
        };
        let version = named.unwrap_or(by_path);
        // 1.0 has a media type of its own (A2A §11.1), but not every client of 1.0 takes it: those that do say so.
        let own = response_content_type(version);
        let plain = response_content_type(Version::V03);
        let content_type = if mentions(headers, own) { own } else { plain };
        Self {
            version,
            content_type,
        }
    }

    /// Renders a reply.
    pub(super) fn reply(
        self,
        about: (Operation, &LossLedger),
        reply: Reply,
        keep_alive: Duration,
    ) -> Result<Response, Failure> {
        let mut head = HeaderMap::new();
        headers::describe(&mut head, self.version, &reply);
        let mut response = match reply.body {
            ReplyBody::One(payload) => self.single(about, payload)?,
            ReplyBody::Events(items) => {
                events::respond(items, keep_alive, move |payload| self.event(payload))
            }
        };
        response.headers_mut().extend(head);
        Ok(response)
    }

    /// Renders why a request is refused.
    pub(super) fn refusal(self, refusal: &Refusal) -> Response {
        let failure = &refusal.failure;
        let status = refusal
            .status
            .unwrap_or_else(|| status::http(self.version, failure));
        let body = error_body_as(self.version, status.as_u16(), &failure.error);
        let mut response = self.body(status, body);
        let headers = response.headers_mut();
        headers::describe_failure(headers, failure);
        let allow = refusal.allow.as_deref();
        if let Some(allow) = allow.and_then(|allow| HeaderValue::from_str(allow).ok()) {
            headers.insert(ALLOW, allow);
        }
        response
    }

    fn single(
        self,
        (operation, losses): (Operation, &LossLedger),
        payload: Payload,
    ) -> Result<Response, Failure> {
        match payload {
            Payload::Result(card) if operation == Operation::GetExtendedAgentCard => {
                let mut response = self.body(StatusCode::OK, self.card(card, losses)?);
                // It is for this caller only (A2A §8.6).
                let private = HeaderValue::from_static("private, no-cache");
                response.headers_mut().insert(CACHE_CONTROL, private);
                Ok(response)
            }
            Payload::Result(result) => {
                let body = result_body(operation, raw(&result)?).into_owned();
                Ok(self.body(StatusCode::OK, body))
            }
            Payload::Error(error) => {
                let (status, body) = error_to(self.version, raw(&error)?);
                let status = StatusCode::from_u16(status);
                Ok(self.body(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body))
            }
        }
    }

    fn card(self, card: Bytes, losses: &LossLedger) -> Result<Vec<u8>, Failure> {
        if self.version == Version::V1 {
            return Ok(card.into());
        }
        let card = serde_json::from_slice(&card);
        let mut card = card.map_err(|error| edge::unreadable(&error.to_string()))?;
        losses.add(&edge::strip_card(&mut card));
        Ok(card.to_string().into_bytes())
    }

    /// Writes one event. Errors have a name, because in 0.3 nothing else tells them from events.
    fn event(self, payload: Payload) -> Content {
        match payload {
            Payload::Result(event) => Content {
                name: None,
                data: event,
            },
            Payload::Error(error) => Content {
                name: Some("error"),
                data: self.error_event(&error),
            },
        }
    }

    fn error_event(self, error: &Bytes) -> Bytes {
        let Ok(object) = raw(error) else {
            return error.clone();
        };
        let (_, body) = error_to(self.version, object);
        match self.version {
            Version::V1 => body.into(),
            Version::V03 => [b"{\"error\":".as_slice(), &body, b"}"].concat().into(),
        }
    }

    fn body(self, status: StatusCode, body: Vec<u8>) -> Response {
        let content_type = HeaderValue::from_static(self.content_type);
        (status, [(CONTENT_TYPE, content_type)], body).into_response()
    }
}

/// Tells whether a client sends or accepts a media type by name.
fn mentions(headers: &HeaderMap, media_type: &str) -> bool {
    let lines = headers
        .get_all(ACCEPT)
        .iter()
        .chain(headers.get_all(CONTENT_TYPE));
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(|range| range.split(';').next())
        .any(|range| range.trim().eq_ignore_ascii_case(media_type))
}

fn raw(json: &[u8]) -> Result<&RawValue, Failure> {
    serde_json::from_slice(json).map_err(|error| edge::unreadable(&error.to_string()))
}
