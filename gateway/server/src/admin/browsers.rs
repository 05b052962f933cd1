//! Refuses what a web page makes an operator's browser ask the admin listener.
//!
//! The listener trusts whoever can reach it, and a browser on the same machine reaches it for any page it shows:
//! directly, or under a name of the page's own that was made to mean this machine (DNS rebinding).

use std::net::IpAddr;

use axum::{
    extract::{Request, State as Shared},
    http::{
        HeaderMap, HeaderName, Uri,
        header::{HOST, ORIGIN},
        uri::Authority,
    },
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::problem::Problem;
use crate::State;

/// Passes on what no foreign web page can have sent.
pub(super) async fn refuse(Shared(state): Shared<State>, request: Request, next: Next) -> Response {
    match reason(
        state.settings.admin_is_local,
        request.uri(),
        request.headers(),
    ) {
        Some(reason) => Problem::forbidden(reason).into_response(),
        None => next.run(request).await,
    }
}

fn reason(admin_is_local: bool, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().ok());
    let host = match uri.authority() {
        Some(authority) => Some(authority.clone()),
        None => text(&HOST).flatten().and_then(|host| host.parse().ok()),
    };
    if admin_is_local && !host.as_ref().is_some_and(is_of_this_machine) {
        return Some(
            "the admin listener of this machine answers to its address and to `localhost` only; use one of them",
        );
    }
    let origin = text(&ORIGIN)?;
    let own = origin
        .and_then(|origin| origin.parse::<Uri>().ok())
        .is_some_and(|origin| origin.authority() == host.as_ref());
    (!own).then_some("web pages of other origins must not use the admin listener")
}

/// Addresses cannot be made to mean another machine, and neither can `localhost` (RFC 6761 §6.3).
fn is_of_this_machine(authority: &Authority) -> bool {
    let host = authority.host();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    address.parse::<IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn refused(is_local: bool, host: &'static str, origin: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        reason(is_local, &Uri::from_static("/v1/agents"), &headers).is_some()
    }

    #[test]
    fn names_that_a_page_could_have_chosen_are_refused_on_this_machine_only() {
        for own in [
            "127.0.0.1:9901",
            "[::1]:9901",
            "localhost:9901",
            "a.localhost",
        ] {
            assert!(!refused(true, own, None), "{own}");
        }
        for foreign in [
            "evil.example:9901",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
        ] {
            assert!(refused(true, foreign, None), "{foreign}");
        }
        assert!(!refused(false, "gateway.inner:9901", None));
    }

    #[test]
    fn pages_of_other_origins_are_refused_and_own_ones_are_not() {
        for is_local in [true, false] {
            let asked = |origin| refused(is_local, "127.0.0.1:9901", Some(origin));
            assert!(!asked("http://127.0.0.1:9901"));
            for other in ["http://127.0.0.1:8000", "https://evil.example", "null", ""] {
                assert!(asked(other), "{other}");
            }
        }
    }
}
