//! A client's webhook: read from its configuration, and shown again without its secrets.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};

use gateway_protocol::{Error, ErrorKind};

use super::address::AllowList;
use crate::ports::Webhook;

/// Longest id of a configuration, in bytes.
const MAX_ID: usize = 256;
/// Longest authentication scheme, in bytes.
const MAX_SCHEME: usize = 64;
/// Longest token or credentials, in bytes.
const MAX_SECRET: usize = 8192;

/// What a client calls the members of its configuration, for errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    /// What stands before each, such as `configuration.pushNotificationConfig.`.
    pub(crate) prefix: &'static str,
    /// `scheme` or `schemes`.
    pub(crate) scheme: &'static str,
}

impl Webhook {
    /// Reads the configuration of a client in the form of 1.0.
    ///
    /// # Errors
    /// -32602 with the field that cannot be used: an address that no webhook may have, or a value that would not
    /// be one header.
    pub(crate) fn read(config: &Value, names: Names, allow: &AllowList) -> Result<Self, Error> {
        let fields = Fields {
            object: config,
            names,
        };
        let url = fields.text("url", "url")?;
        let url = url.ok_or_else(|| fields.wrong("url", "is missing"))?;
        let url = allow
            .read(url)
            .map_err(|refused| fields.wrong("url", &refused.to_string()))?;
        let id = fields.text("id", "id")?;
        if id.is_some_and(|id| id.len() > MAX_ID || id.chars().any(char::is_control)) {
            return Err(fields.wrong("id", "must be at most 256 bytes without control characters"));
        }
        let token = fields.secret("token", "token")?;
        let empty = json!({});
        let authentication = fields.member("authentication").unwrap_or(&empty);
        if !authentication.is_object() {
            return Err(fields.wrong("authentication", "must be an object"));
        }
        let inner = Fields {
            object: authentication,
            names,
        };
        let scheme_name = format!("authentication.{}", names.scheme);
        let scheme = inner.text("scheme", &scheme_name)?;
        if scheme.is_some_and(|scheme| !is_scheme(scheme)) {
            return Err(fields.wrong(
                &scheme_name,
                "must be the name of an HTTP authentication scheme",
            ));
        }
        let credentials = inner.secret("credentials", "authentication.credentials")?;
        if scheme.is_none() && credentials.is_some() {
            return Err(fields.wrong(&scheme_name, "is missing, and there are credentials"));
        }
        Ok(Self {
            id: id.map(str::to_owned),
            url,
            token,
            scheme: scheme.map(str::to_owned),
            credentials,
        })
    }

    /// Returns the value of `Authorization`; none without credentials.
    pub(crate) fn authorization(&self) -> Option<SecretString> {
        let (scheme, credentials) = (self.scheme.as_ref()?, self.credentials.as_ref()?);
        Some(format!("{scheme} {}", credentials.expose_secret()).into())
    }

    /// Shows the configuration to its client in the form of 1.0. The token and the credentials are left out:
    /// the client has them, and nobody else must get them here.
    pub(crate) fn shown(&self, task_id: &str) -> Value {
        let mut config = json!({ "taskId": task_id, "id": self.id, "url": self.url });
        if let Some(scheme) = &self.scheme {
            config["authentication"] = json!({ "scheme": scheme });
        }
        config
    }
}

/// The members of one object.
struct Fields<'a> {
    object: &'a Value,
    names: Names,
}

impl<'a> Fields<'a> {
    fn member(&self, name: &str) -> Option<&'a Value> {
        member(self.object, name)
    }

    /// Returns a string, empty counting as absent; `path` names it in errors.
    fn text(&self, name: &str, path: &str) -> Result<Option<&'a str>, Error> {
        match self.member(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(path, "must be a string")),
        }
    }

    /// Returns a value that becomes a header. Line breaks would add headers to the request.
    fn secret(&self, name: &str, path: &str) -> Result<Option<SecretString>, Error> {
        let text = self.text(name, path)?;
        let one_line = |text: &str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        match text {
            Some(text) if !one_line(text) => Err(self.wrong(
                path,
                "must be one line of printable ASCII, because it becomes a header",
            )),
            Some(text) if text.len() > MAX_SECRET => {
                Err(self.wrong(path, "must be at most 8192 bytes"))
            }
            text => Ok(text.map(Into::into)),
        }
    }

    fn wrong(&self, path: &str, problem: &str) -> Error {
        let field = format!("{}{path}", self.names.prefix);
        Error::new(ErrorKind::InvalidParams, format!("`{field}` {problem}"))
            .field_violation(&field, problem)
    }
}

/// Returns a member under its camelCase or `snake_case` name, `null` counting as absent.
pub(crate) fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    let members: &Map<String, Value> = object.as_object()?;
    let found = members.get(name).or_else(|| members.get(&snake_case(name)));
    found.filter(|value| !value.is_null())
}

fn snake_case(name: &str) -> String {
    name.chars().fold(String::new(), |mut text, letter| {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
        text
    })
}

/// Tells whether a text is a token of HTTP (RFC 9110 §11.1).
fn is_scheme(text: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    text.len() <= MAX_SCHEME && text.bytes().all(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names = Names {
        prefix: "pushNotificationConfig.",
        scheme: "schemes",
    };

    fn read(config: &Value) -> Result<Webhook, Error> {
        Webhook::read(config, NAMES, &AllowList::default())
    }

    fn with(name: &str, value: Value) -> Value {
        let mut config = json!({ "url": "https://hook.example/p" });
        config[name] = value;
        config
    }

    fn field(refused: &Error) -> String {
        assert_eq!(refused.kind, ErrorKind::InvalidParams);
        let violations = refused.data();
        let field = &violations[0]["fieldViolations"][0]["field"];
        field.as_str().unwrap().to_owned()
    }

    #[test]
    fn a_whole_configuration_is_read() {
        let webhook = read(&json!({
            "id": "p1", "task_id": "t", "url": "https://hook.example/p", "token": "tk",
            "authentication": { "scheme": "Bearer", "credentials": "cr" }
        }))
        .unwrap();
        assert_eq!(webhook.id.as_deref(), Some("p1"));
        assert_eq!(
            webhook.authorization().unwrap().expose_secret(),
            "Bearer cr"
        );
        assert_eq!(webhook.token.as_ref().unwrap().expose_secret(), "tk");
    }

    #[test]
    fn secrets_are_never_shown() {
        let webhook = read(&json!({
            "id": "p1", "url": "https://hook.example/p", "token": "tk-secret",
            "authentication": { "scheme": "Bearer", "credentials": "cr-secret" }
        }))
        .unwrap();
        let shown = webhook.shown("t");
        assert_eq!(
            shown,
            json!({
                "taskId": "t", "id": "p1", "url": "https://hook.example/p",
                "authentication": { "scheme": "Bearer" }
            })
        );
        let debugged = format!("{webhook:?}");
        assert!(!debugged.contains("-secret"), "{debugged}");
    }

    #[test]
    fn c089_values_that_would_add_headers_are_refused_by_name() {
        for (config, name) in [
            (with("token", json!("a\r\nX-Evil: 1")), "token"),
            (with("token", json!("a\u{0}")), "token"),
            (with("token", json!("ä")), "token"),
            (with("token", json!(7)), "token"),
            (with("token", json!("x".repeat(9000))), "token"),
            (
                with(
                    "authentication",
                    json!({ "scheme": "Bearer", "credentials": "b\nc" }),
                ),
                "authentication.credentials",
            ),
            (
                with(
                    "authentication",
                    json!({ "scheme": "Bearer x", "credentials": "c" }),
                ),
                "authentication.schemes",
            ),
            (
                with(
                    "authentication",
                    json!({ "scheme": "a\r\nb", "credentials": "c" }),
                ),
                "authentication.schemes",
            ),
            (
                with("authentication", json!({ "credentials": "c" })),
                "authentication.schemes",
            ),
            (with("authentication", json!("Bearer c")), "authentication"),
            (with("id", json!("a\nb")), "id"),
            (json!({ "url": "https://hook.exam\r\nple/" }), "url"),
            (json!({ "url": "http://10.0.0.5/" }), "url"),
            (json!({}), "url"),
        ] {
            let refused = read(&config).unwrap_err();
            assert_eq!(
                field(&refused),
                format!("pushNotificationConfig.{name}"),
                "{config}"
            );
            assert!(!refused.message.contains("X-Evil"));
        }
    }

    #[test]
    fn a_scheme_without_credentials_sends_no_header() {
        let webhook = read(&with("authentication", json!({ "scheme": "Bearer" }))).unwrap();
        assert!(webhook.authorization().is_none());
    }
}
