//! Callbacks: where agents deliver their push notifications.

use axum::{
    body::Body,
    extract::{Path, State as Shared},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    response::{IntoResponse as _, Response},
};
use gateway_core::push::{PushCredentials, PushRefused};

use crate::{State, body};

const TOKEN: &str = "x-a2a-notification-token";

/// Takes a notification, and acknowledges it once it cannot be lost any more.
pub(crate) async fn receive(
    Shared(state): Shared<State>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let body = match body::read(body, &state.settings).await {
        Ok(body) => body,
        Err((status, error)) => return problem(status, &error.message),
    };
    let shown = PushCredentials {
        authorization: text(&headers, AUTHORIZATION.as_str()),
        token: text(&headers, TOKEN),
    };
    match state.gateway.receive_push(&token, shown, &body).await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(refused) => refuse(refused),
    }
}

/// Returns a header, or what fits no credential where it is no text.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn refuse(refused: PushRefused) -> Response {
    let status = match refused {
        PushRefused::Unknown => StatusCode::NOT_FOUND,
        PushRefused::Credentials => StatusCode::UNAUTHORIZED,
        PushRefused::Malformed | PushRefused::OtherTask => StatusCode::BAD_REQUEST,
        PushRefused::Full => StatusCode::TOO_MANY_REQUESTS,
        PushRefused::Store => StatusCode::SERVICE_UNAVAILABLE,
    };
    let mut response = problem(status, &refused.to_string());
    let headers = response.headers_mut();
    match refused {
        PushRefused::Credentials => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        PushRefused::Full | PushRefused::Store => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        PushRefused::Unknown | PushRefused::Malformed | PushRefused::OtherTask => {}
    }
    response
}

fn problem(status: StatusCode, text: &str) -> Response {
    (status, format!("{text}\n")).into_response()
}

#[cfg(test)]
mod tests;
