//! Names, addresses and secrets.

use std::net::SocketAddr;

use gateway_core::AgentId;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tracing_subscriber::{EnvFilter, filter::LevelFilter};
use url::Url;

/// An address that starts with `http://` or `https://`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("format" = "uri", "pattern" = "^https?://"))]
pub(in crate::config) struct HttpUrl(#[schemars(with = "String")] pub(in crate::config) Url);

/// An IP address and a port.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["127.0.0.1:8080", "0.0.0.0:8080", "[::1]:8080"]))]
pub(in crate::config) struct ListenAddress(pub(in crate::config) SocketAddr);

/// The name of an agent.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[a-z0-9][a-z0-9-]{0,62}$"))]
pub(in crate::config) struct AgentName(#[schemars(with = "String")] pub(in crate::config) AgentId);

/// The name of a routing profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[A-Za-z0-9_-]{1,63}$"))]
pub(in crate::config) struct ProfileName(pub(in crate::config) String);

/// The name of a routing rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("minLength" = 1, "maxLength" = 63))]
pub(in crate::config) struct RuleName(pub(in crate::config) String);

/// Text of a rule: a condition, or what a client is told.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("minLength" = 1))]
pub(in crate::config) struct RuleText(pub(in crate::config) String);

/// An ISO 4217 currency code.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[A-Z]{3}$"))]
pub(in crate::config) struct Currency(pub(in crate::config) String);

/// A JSON pointer (RFC 6901) to something within.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^(/([^~/]|~[01])*)+$", "examples" = ["/metadata/usage/cost"]))]
pub(in crate::config) struct JsonPointer(pub(in crate::config) String);

/// The name of an HTTP request header.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"))]
pub(in crate::config) struct HeaderName(pub(in crate::config) String);

/// A credential: printable ASCII, without surrounding blanks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(in crate::config) struct Secret(
    #[schemars(with = "String")] pub(in crate::config) SecretString,
);

/// A log level, or a filter such as `info,gateway_core=debug`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["info", "warn,gateway_core=debug"]))]
pub(in crate::config) struct LogFilter(pub(in crate::config) String);

impl TryFrom<String> for HttpUrl {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let url = Url::parse(&text).map_err(
            |_| "not a URL\nwrite the whole address, for example `https://agent.example.edu/a2a`",
        )?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(
                "only http and https addresses are possible here\nstart it with `https://` or `http://`",
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "an address must not contain a user or password\nput a credential under `auth`",
            );
        }
        if url.fragment().is_some() {
            return Err("an address must not have a fragment\nremove what starts with `#`");
        }
        Ok(Self(url))
    }
}

impl TryFrom<String> for ListenAddress {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
            .map(Self)
            .map_err(|_| "not an IP address with a port\nwrite for example `127.0.0.1:8080`, `0.0.0.0:8080` or `\"[::1]:8080\"`")
    }
}

impl From<ListenAddress> for String {
    fn from(ListenAddress(address): ListenAddress) -> Self {
        address.to_string()
    }
}

impl TryFrom<String> for AgentName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        AgentId::parse(&text).map(Self).map_err(
            |_| "not an agent id\nuse 1 to 63 of a-z, 0-9 and -, starting with a letter or digit",
        )
    }
}

impl TryFrom<String> for ProfileName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        ((1..=63).contains(&text.len()) && text.bytes().all(plain))
            .then_some(Self(text))
            .ok_or("not a profile name\nuse 1 to 63 letters, digits, - and _")
    }
}

impl From<ProfileName> for String {
    fn from(ProfileName(name): ProfileName) -> Self {
        name
    }
}

impl TryFrom<String> for RuleName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let fits = (1..=63).contains(&text.chars().count());
        (fits && !text.contains(char::is_control) && text.trim() == text)
            .then_some(Self(text))
            .ok_or("not a name of a rule\nuse 1 to 63 characters on one line")
    }
}

impl From<RuleName> for String {
    fn from(RuleName(name): RuleName) -> Self {
        name
    }
}

impl TryFrom<String> for RuleText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let text = text.trim();
        (!text.is_empty())
            .then(|| Self(text.to_owned()))
            .ok_or("this is empty\nwrite some text")
    }
}

impl From<RuleText> for String {
    fn from(RuleText(text): RuleText) -> Self {
        text
    }
}

impl TryFrom<String> for Currency {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        (text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()))
            .then_some(Self(text))
            .ok_or("not a currency code\nwrite the three capital letters of ISO 4217, for example `EUR`")
    }
}

impl From<Currency> for String {
    fn from(Currency(code): Currency) -> Self {
        code
    }
}

impl TryFrom<String> for JsonPointer {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let escapes_well = text
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']));
        (text.starts_with('/') && escapes_well)
            .then_some(Self(text))
            .ok_or("not a JSON pointer\nwrite for example `/metadata/usage/cost`")
    }
}

impl From<JsonPointer> for String {
    fn from(JsonPointer(pointer): JsonPointer) -> Self {
        pointer
    }
}

impl TryFrom<String> for HeaderName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        /// Headers that carry the message itself: setting them would break the request.
        const FRAMING: [&str; 11] = [
            "accept",
            "accept-encoding",
            "connection",
            "content-length",
            "content-type",
            "expect",
            "host",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
        ];
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if text.is_empty() || !text.bytes().all(token) {
            return Err("not a header name\nwrite for example `X-Agent-Key`");
        }
        if FRAMING.contains(&text.to_ascii_lowercase().as_str()) {
            return Err("this header cannot carry a credential\nwrite for example `X-Agent-Key`");
        }
        Ok(Self(text))
    }
}

impl TryFrom<String> for Secret {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let secret = text.trim();
        if secret.is_empty() {
            return Err("the secret is empty");
        }
        if secret.contains(['\r', '\n']) {
            return Err(
                "the secret has a line break inside\nit is sent in a header, so it must be one line",
            );
        }
        if !secret.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(
                "the secret has characters that a header cannot carry\nuse printable ASCII",
            );
        }
        Ok(Self(secret.into()))
    }
}

impl TryFrom<String> for LogFilter {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        // A misspelled level would count as the name of a module.
        let level =
            |part: &str| part.contains(['=', '[']) || part.trim().parse::<LevelFilter>().is_ok();
        if EnvFilter::try_new(&text).is_err() || !text.split(',').all(level) {
            return Err(
                "not a log filter\nwrite `error`, `warn`, `info`, `debug` or `trace`, or for example `info,gateway_core=debug`",
            );
        }
        Ok(Self(text))
    }
}

impl From<LogFilter> for String {
    fn from(LogFilter(filter): LogFilter) -> Self {
        filter
    }
}

impl From<HttpUrl> for String {
    fn from(HttpUrl(url): HttpUrl) -> Self {
        url.into()
    }
}

impl From<AgentName> for String {
    fn from(AgentName(id): AgentName) -> Self {
        id.as_str().to_owned()
    }
}
