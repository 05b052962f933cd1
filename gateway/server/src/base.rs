//! The address that clients see, computed and never edited out of an agent's card.

use axum::http::{HeaderMap, Uri, header::HOST, uri::Authority};
use url::Url;

/// Returns the public base without a trailing slash: the configured one, else `http` and the authority
/// the request itself names.
pub(crate) fn public_base(configured: Option<&Url>, uri: &Uri, headers: &HeaderMap) -> String {
    if let Some(url) = configured {
        return url.as_str().trim_end_matches('/').to_owned();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let authority = uri
        .authority()
        .cloned()
        .or_else(|| host?.parse::<Authority>().ok())
        .filter(|authority| !authority.as_str().contains('@'));
    match authority {
        Some(authority) => format!("http://{authority}"),
        None => "http://localhost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn base(configured: Option<&str>, host: &str) -> String {
        let configured = configured.map(|url| Url::parse(url).unwrap());
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        public_base(configured.as_ref(), &Uri::from_static("/x"), &headers)
    }

    #[test]
    fn configured_address_wins_and_keeps_its_prefix() {
        assert_eq!(
            base(Some("https://pub.example/edge/"), "inner:1"),
            "https://pub.example/edge"
        );
        assert_eq!(
            base(Some("https://pub.example"), "inner:1"),
            "https://pub.example"
        );
    }

    #[test]
    fn own_authority_is_used_otherwise_and_odd_ones_are_not() {
        assert_eq!(base(None, "127.0.0.1:8080"), "http://127.0.0.1:8080");
        assert_eq!(base(None, "[::1]:8080"), "http://[::1]:8080");
        for odd in ["", "a/b", "user@host", "a b"] {
            assert_eq!(base(None, odd), "http://localhost", "{odd}");
        }
    }
}
