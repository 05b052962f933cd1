//! Headers of the client leg: what is read from a request and what an answer carries.

use axum::http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use gateway_core::{Failure, Reply, trace::TraceContext};
use gateway_protocol::{Error, ErrorKind, Version};

/// Names the decision behind an answer.
const DECISION: HeaderName = HeaderName::from_static("x-a2a-gateway-decision");

const EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");
const LEGACY_EXTENSIONS: HeaderName = HeaderName::from_static("x-a2a-extensions");
/// More extensions than this are ignored.
const MAX_EXTENSIONS: usize = 32;

/// Returns the extension URIs a client declares, under either name, in any number of lines, each once.
pub(crate) fn extensions(headers: &HeaderMap) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines = headers
        .get_all(EXTENSIONS)
        .iter()
        .chain(headers.get_all(LEGACY_EXTENSIONS));
    for uri in lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
    {
        let uri = uri.trim();
        if !uri.is_empty()
            && found.len() < MAX_EXTENSIONS
            && !found.iter().any(|known| known == uri)
        {
            found.push(uri.to_owned());
        }
    }
    found
}

/// Writes down what an answer says besides its content.
pub(crate) fn describe(headers: &mut HeaderMap, version: Version, reply: &Reply) {
    if let Some((name, value)) = activated(version, &reply.extensions) {
        headers.insert(name, value);
    }
    name_decision(headers, reply.decision.as_deref());
}

/// Writes down what a failure says besides its error.
pub(crate) fn describe_failure(headers: &mut HeaderMap, failure: &Failure) {
    name_decision(headers, failure.decision.as_deref());
    if let Some(seconds) = failure.retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
}

fn name_decision(headers: &mut HeaderMap, decision: Option<&str>) {
    if let Some(value) = decision.and_then(|id| HeaderValue::from_str(id).ok()) {
        headers.insert(DECISION, value);
    }
}

/// Returns the header that tells a client which extensions its agent activated.
fn activated(version: Version, extensions: &[String]) -> Option<(HeaderName, HeaderValue)> {
    let name = match version {
        Version::V03 => LEGACY_EXTENSIONS,
        Version::V1 => EXTENSIONS,
    };
    let value = HeaderValue::from_str(&extensions.join(", ")).ok();
    value
        .filter(|_| !extensions.is_empty())
        .map(|value| (name, value))
}

/// Continues the client's trace.
pub(crate) fn trace(headers: &HeaderMap) -> TraceContext {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    TraceContext::continue_from(text("traceparent"), text("tracestate"))
}

/// Refuses a body that does not call itself JSON. Web pages of other sites can post without being asked for
/// permission only as long as they do not claim a JSON body, so this keeps them out as well.
pub(crate) fn check_content_type(headers: &HeaderMap) -> Result<(), Error> {
    let content_type = headers
        .get(CONTENT_TYPE)
        .map(|value| value.to_str().unwrap_or("?"));
    let refused = |text: String| Err(Error::new(ErrorKind::ContentTypeNotSupported, text));
    match content_type {
        Some(given) if is_json(given) => Ok(()),
        Some(given) => {
            let given: String = given.chars().take(64).collect();
            refused(format!(
                "the content type is `{given}`; send application/json"
            ))
        }
        None if headers.contains_key("origin") => {
            refused("send content type application/json".to_owned())
        }
        None => Ok(()),
    }
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = lines.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn c026_extensions_are_read_under_both_names_and_merged() {
        let given = headers(&[
            ("x-a2a-extensions", "https://x.example/e1"),
            (
                "x-a2a-extensions",
                "https://x.example/e2 , https://x.example/e1",
            ),
            ("a2a-extensions", "https://x.example/e3,"),
        ]);
        let mut found = extensions(&given);
        found.sort();
        assert_eq!(
            found,
            [
                "https://x.example/e1",
                "https://x.example/e2",
                "https://x.example/e3"
            ]
        );
    }

    #[test]
    fn bodies_must_call_themselves_json() {
        for good in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/a2a+json",
        ] {
            assert!(
                check_content_type(&headers(&[("content-type", good)])).is_ok(),
                "{good}"
            );
        }
        for bad in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "json",
            "",
        ] {
            assert!(
                check_content_type(&headers(&[("content-type", bad)])).is_err(),
                "{bad}"
            );
        }
        assert!(check_content_type(&headers(&[])).is_ok());
        assert!(check_content_type(&headers(&[("origin", "https://evil.example")])).is_err());
    }
}
