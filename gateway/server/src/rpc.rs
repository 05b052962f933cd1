//! JSON-RPC: from a request body to a call, and back to an answer in its envelope.

use axum::{
    body::Body,
    extract::{Path, State as Shared},
    http::{HeaderMap, Request, StatusCode, Uri},
    response::Response,
};
use bytes::Bytes;
use gateway_core::{AgentId, Call, Caller, Failure, Target};
use gateway_protocol::{ErrorKind, jsonrpc};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::{State, body, headers, negotiate, render};

/// Serves the federated endpoint.
pub(crate) async fn federated(Shared(state): Shared<State>, request: Request<Body>) -> Response {
    answer(&state, Target::Federated, request).await
}

/// Serves the endpoint of one agent.
pub(crate) async fn pinned(
    Shared(state): Shared<State>,
    Path(agent): Path<String>,
    request: Request<Body>,
) -> Response {
    let known = AgentId::parse(&agent)
        .ok()
        .filter(|id| state.gateway.registry.catalog().agent(id).is_some());
    match known {
        Some(id) => answer(&state, Target::Agent(id), request).await,
        None => {
            let id = request_id(&state, request).await;
            let failure = Failure::unknown_agent(&agent.chars().take(64).collect::<String>());
            render::failure(StatusCode::NOT_FOUND, id.as_deref(), &failure)
        }
    }
}

async fn answer(state: &State, target: Target, request: Request<Body>) -> Response {
    let received = Instant::now();
    let (parts, request_body) = request.into_parts();
    let body = match body::read(request_body, state.settings.max_body).await {
        Ok(body) => body,
        Err((status, error)) => return render::failure(status, None, &Failure::bad_request(error)),
    };
    let decoded = decode(&body, &parts.uri, &parts.headers);
    let Decoded { id, call } = match decoded {
        Ok(decoded) => decoded,
        Err(refused) => {
            let status = match refused.failure.error.kind {
                ErrorKind::ContentTypeNotSupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
                _ => StatusCode::OK,
            };
            return render::failure(status, refused.id.as_deref(), &refused.failure);
        }
    };
    let call = Call {
        target,
        received,
        ..call
    };
    let version = call.version;
    match state.gateway.handle(call).await {
        Ok(reply) => render::reply(version, id, reply, state.settings.keep_alive),
        Err(failure) => render::failure(StatusCode::OK, id.as_deref(), &failure),
    }
}

struct Decoded {
    id: Option<Box<RawValue>>,
    call: Call,
}

struct Refused {
    id: Option<Box<RawValue>>,
    failure: Failure,
}

fn decode(body: &Bytes, uri: &Uri, headers: &HeaderMap) -> Result<Decoded, Box<Refused>> {
    let refuse = |id: Option<&RawValue>, error| {
        Box::new(Refused {
            id: id.map(ToOwned::to_owned),
            failure: Failure::bad_request(error),
        })
    };
    headers::check_content_type(headers).map_err(|error| refuse(None, error))?;
    let request = jsonrpc::Request::parse(body)
        .map_err(|rejected| refuse(rejected.id.as_deref(), rejected.error))?;
    let (version, operation) = negotiate::operation(&request.method, uri, headers)
        .map_err(|error| refuse(request.id, error))?;
    let params = request.params.map_or_else(empty_object, ToOwned::to_owned);
    let call = Call {
        target: Target::Federated,
        version,
        operation,
        rpc_id: request.id.map(ToOwned::to_owned),
        params,
        extensions: headers::extensions(headers),
        caller: Caller::anonymous(),
        trace: headers::trace(headers),
        received: Instant::now(),
    };
    Ok(Decoded {
        id: request.id.map(ToOwned::to_owned),
        call,
    })
}

/// Absent parameters are checked like empty ones: each operation says what it misses.
fn empty_object() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

async fn request_id(state: &State, request: Request<Body>) -> Option<Box<RawValue>> {
    let body = body::read(request.into_body(), state.settings.max_body)
        .await
        .ok()?;
    match jsonrpc::Request::parse(&body) {
        Ok(request) => request.id.map(ToOwned::to_owned),
        Err(rejected) => rejected.id,
    }
}
