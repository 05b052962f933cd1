//! HTTP+JSON: from path, query and body to a call, and back to an answer without an envelope.

mod refusal;
mod render;

use axum::{
    body::Body,
    extract::{Path, State as Shared},
    http::{Method, Request, StatusCode, request::Parts},
    response::Response,
};
use gateway_core::{Call, Caller, Failure, Target};
use gateway_protocol::{Binding, Version, rest::Route};
use tokio::time::Instant;

use crate::{State, body, edge, handle::handle, headers, negotiate::Named, target};
use refusal::Refusal;
use render::Form;

/// Serves everything below the federated endpoint.
pub(crate) async fn federated(Shared(state): Shared<State>, request: Request<Body>) -> Response {
    let path = below(request.uri().path(), 1);
    answer(&state, Ok(Target::Federated), &path, request).await
}

/// Serves everything below the endpoint of one agent.
pub(crate) async fn pinned(
    Shared(state): Shared<State>,
    Path((agent, _)): Path<(String, String)>,
    request: Request<Body>,
) -> Response {
    let path = below(request.uri().path(), 2);
    answer(&state, target::agent(&state, &agent), &path, request).await
}

/// Returns what follows a number of segments, with its percent-encoding: an id may hold an encoded slash.
fn below(path: &str, segments: usize) -> String {
    let rest = path.splitn(segments + 2, '/').nth(segments + 1);
    format!("/{}", rest.unwrap_or_default())
}

async fn answer(
    state: &State,
    target: Result<Target, Failure>,
    path: &str,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let strict = state.settings.strict_versions;
    let named = Named::read(&parts.uri, &parts.headers, strict).map(Named::version);
    let form = Form::of(named.as_ref().ok().copied().flatten(), path, &parts.headers);
    let inbound = async {
        let named = named.map_err(Failure::bad_request)?;
        let query = parts.uri.query();
        let route = Route::parse(parts.method.as_str(), path, query, named)?;
        serve(state, target?, &route, (&parts, body), &form).await
    };
    inbound
        .await
        .unwrap_or_else(|refusal| form.refusal(&refusal))
}

async fn serve(
    state: &State,
    target: Target,
    route: &Route,
    request: (&Parts, Body),
    form: &Form,
) -> Result<Response, Refusal> {
    let received = Instant::now();
    let (parts, body) = request;
    if parts.method == Method::POST {
        headers::check_content_type(&parts.headers)
            .map_err(|error| Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error))?;
    }
    let body = body::read(body, &state.settings)
        .await
        .map_err(|(status, error)| Refusal::new(status, error))?;
    let params = route.params(&body).map_err(Failure::bad_request)?;
    let (target, params) = match route.version {
        Version::V03 => (target, params),
        Version::V1 => target::narrow_by_tenant(state, target, &params)?,
    };
    let losses = state.gateway.loss_ledger();
    let call = edge::in_own_words(Call {
        target,
        version: route.version,
        binding: Binding::HttpJson,
        dialect: Binding::HttpJson.dialect(route.version),
        operation: route.operation,
        rpc_id: None,
        params,
        extensions: headers::extensions(&parts.headers),
        caller: Caller::anonymous(),
        trace: headers::trace(&parts.headers),
        received,
        losses: losses.clone(),
    })?;
    let reply = handle(state, call, &parts.extensions).await?;
    let about = (route.operation, &losses);
    Ok(form.reply(about, reply, state.settings.keep_alive)?)
}

#[cfg(test)]
mod tests;
