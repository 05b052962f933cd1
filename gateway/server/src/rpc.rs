//! JSON-RPC: from a request body to a call, and back to an answer in its envelope.

mod render;

use axum::{
    body::Body,
    extract::{Path, State as Shared},
    http::{HeaderMap, Request, StatusCode, Uri},
    response::Response,
};
use bytes::Bytes;
use gateway_core::{Call, Caller, Failure, Target};
use gateway_protocol::{Binding, ErrorKind, Version, jsonrpc};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::{State, body, handle::handle, headers, negotiate::Named, target};
use render::Form;

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
    match target::agent(&state, &agent) {
        Ok(target) => answer(&state, target, request).await,
        Err(failure) => {
            let id = request_id(&state, request).await;
            render::failure(StatusCode::NOT_FOUND, id.as_deref(), &failure)
        }
    }
}

async fn answer(state: &State, target: Target, request: Request<Body>) -> Response {
    let received = Instant::now();
    let (parts, request_body) = request.into_parts();
    let body = match body::read(request_body, &state.settings).await {
        Ok(body) => body,
        Err((status, error)) => return render::failure(status, None, &Failure::bad_request(error)),
    };
    let decoded = decode(state, target, &body, (&parts.uri, &parts.headers));
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
    let call = Call { received, ..call };
    let version = call.version;
    let form = Form::of(version, call.operation);
    match handle(state, call, &parts.extensions).await {
        Ok(reply) => render::reply((version, form), id, reply, state.settings.keep_alive),
        Err(failure) => form.failure(id.as_deref(), &failure),
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

fn decode(
    state: &State,
    target: Target,
    body: &Bytes,
    (uri, headers): (&Uri, &HeaderMap),
) -> Result<Decoded, Box<Refused>> {
    let fail = |id: Option<&RawValue>, failure| {
        Box::new(Refused {
            id: id.map(ToOwned::to_owned),
            failure,
        })
    };
    let refuse = |id: Option<&RawValue>, error| fail(id, Failure::bad_request(error));
    headers::check_content_type(headers).map_err(|error| refuse(None, error))?;
    let request = jsonrpc::Request::parse(body)
        .map_err(|rejected| refuse(rejected.id.as_deref(), rejected.error))?;
    let (version, operation) = Named::read(uri, headers, state.settings.strict_versions)
        .and_then(|named| named.operation(&request.method))
        .map_err(|error| refuse(request.id, error))?;
    let params = request.params.map_or_else(empty_object, ToOwned::to_owned);
    let (target, params) = match version {
        Version::V03 => (target, params),
        Version::V1 => target::narrow_by_tenant(state, target, &params)
            .map_err(|failure| fail(request.id, failure))?,
    };
    let call = Call {
        target,
        version,
        binding: Binding::JsonRpc,
        dialect: Binding::JsonRpc.dialect(version),
        operation,
        rpc_id: request.id.map(ToOwned::to_owned),
        params,
        extensions: headers::extensions(headers),
        caller: Caller::anonymous(),
        trace: headers::trace(headers),
        received: Instant::now(),
        losses: state.gateway.loss_ledger(),
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
    let body = body::read(request.into_body(), &state.settings)
        .await
        .ok()?;
    match jsonrpc::Request::parse(&body) {
        Ok(request) => request.id.map(ToOwned::to_owned),
        Err(rejected) => rejected.id,
    }
}

#[cfg(test)]
mod tests;
