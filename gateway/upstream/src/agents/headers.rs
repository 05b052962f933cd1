//! Which headers an agent gets, and which of its own are read.
//!
//! The set is built from nothing: no header of a caller can reach an agent here.

use gateway_core::{agent::AgentAuth, ports::AgentRequest};
use gateway_protocol::Version;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use secrecy::ExposeSecret;

const A2A_VERSION: HeaderName = HeaderName::from_static("a2a-version");
const EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");
/// Name of [`EXTENSIONS`] in 0.3.
const LEGACY_EXTENSIONS: HeaderName = HeaderName::from_static("x-a2a-extensions");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Headers that a credential cannot be in, as they frame the message.
const FRAMING: [HeaderName; 5] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
];

/// The media types of a request and of its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Media {
    /// Absent where there is no body.
    pub(super) content_type: Option<&'static str>,
    pub(super) accept: Option<&'static str>,
}

/// Reports a configured credential that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnusableCredential {
    /// The header name is not one, or frames the message.
    #[error("its credential cannot be in a header `{0}`, correct `auth`")]
    Name(String),
    /// The value has characters that no header may have.
    #[error(
        "its credential has characters that no header may have, such as line breaks; correct `auth`"
    )]
    Value,
}

/// Builds the headers of a call.
pub(super) fn request(
    request: &AgentRequest,
    media: Media,
) -> Result<HeaderMap, UnusableCredential> {
    let mut headers = HeaderMap::new();
    if is_trusted(request) {
        // First, so that no credential replaces a header of the protocol.
        add_credential(&mut headers, &request.agent.auth)?;
    }
    if let Some(content_type) = media.content_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    if let Some(accept) = media.accept {
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    }
    if request.operation.is_streaming() {
        // Compressors hold events back until they have enough to compress.
        headers.insert(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        );
    }
    let version = request.endpoint.version;
    headers.insert(A2A_VERSION, HeaderValue::from_static(version.as_str()));
    if let Some(extensions) = extension_list(&request.extensions) {
        if version == Version::V03 {
            headers.insert(LEGACY_EXTENSIONS, extensions.clone());
        }
        headers.insert(EXTENSIONS, extensions);
    }
    insert_text(&mut headers, TRACEPARENT, &request.trace.traceparent());
    if let Some(state) = request.trace.tracestate() {
        insert_text(&mut headers, TRACESTATE, state);
    }
    Ok(headers)
}

/// Tells whether the credential may go to the endpoint: to the registered origin and nowhere else. A card names
/// ports for gRPC, and the operator vouches for the registered one only.
fn is_trusted(request: &AgentRequest) -> bool {
    request.agent.url.origin() == request.endpoint.url.origin()
}

/// Adds the credential of an agent.
pub(crate) fn add_credential(
    headers: &mut HeaderMap,
    auth: &AgentAuth,
) -> Result<(), UnusableCredential> {
    let (name, value) = match auth {
        AgentAuth::None => return Ok(()),
        AgentAuth::Bearer(token) => (
            header::AUTHORIZATION,
            format!("Bearer {}", token.expose_secret()),
        ),
        AgentAuth::Header { name, value } => {
            let header = HeaderName::try_from(name.as_str())
                .ok()
                .filter(|name| !FRAMING.contains(name));
            let header = header.ok_or_else(|| UnusableCredential::Name(name.clone()))?;
            (header, value.expose_secret().to_owned())
        }
    };
    let mut value = HeaderValue::try_from(value).map_err(|_| UnusableCredential::Value)?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

/// Reads the extensions that an agent activated.
pub(super) fn extensions(headers: &HeaderMap) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let values = headers
        .get_all(EXTENSIONS)
        .iter()
        .chain(headers.get_all(LEGACY_EXTENSIONS));
    for uri in values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
    {
        let uri = uri.trim();
        if !uri.is_empty() && !found.iter().any(|known| known == uri) {
            found.push(uri.to_owned());
        }
    }
    found
}

/// Reads `Retry-After` as seconds from now; it may be a number or a date (RFC 9110 §10.2.3).
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let date = DateTimeParser::new().parse_timestamp(text).ok()?;
    let seconds = date
        .as_second()
        .saturating_sub(Timestamp::now().as_second());
    Some(u64::try_from(seconds).unwrap_or(0))
}

/// Joins extension URIs, without those that would not survive in a comma-separated header.
fn extension_list(uris: &[String]) -> Option<HeaderValue> {
    let plain = |uri: &&String| {
        !uri.is_empty()
            && uri
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b',')
    };
    let list: Vec<&str> = uris.iter().filter(plain).map(String::as_str).collect();
    if list.is_empty() {
        return None;
    }
    HeaderValue::try_from(list.join(", ")).ok()
}

fn insert_text(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests;
