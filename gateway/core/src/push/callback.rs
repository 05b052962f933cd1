//! The callback that an agent gets in place of a client's webhook.

use aws_lc_rs::rand;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use gateway_protocol::translate::Dialect;

use crate::digest;

/// An address nobody can guess, with a token to show there. Only digests of both are stored.
#[derive(Debug, Clone)]
pub(crate) struct Callback {
    token: String,
    bearer: String,
    /// The id under which the agent knows the configuration.
    pub(crate) config_id: String,
}

impl Callback {
    /// Makes a callback; `None` when the system gives no random numbers.
    pub(crate) fn new() -> Option<Self> {
        Some(Self {
            token: random()?,
            bearer: random()?,
            config_id: Uuid::new_v4().to_string(),
        })
    }

    /// Returns the digest of the token in the address, which names the callback.
    pub(crate) fn name(&self) -> String {
        digest_of(&self.token)
    }

    /// Returns the digest of the Bearer token.
    pub(crate) fn bearer_digest(&self) -> String {
        digest_of(&self.bearer)
    }

    /// Writes the configuration for the agent, without its task. The token is the same twice, because some
    /// agents send only `Authorization` and some only `X-A2A-Notification-Token`.
    pub(crate) fn config(&self, base: &Url, dialect: Dialect) -> Value {
        let base = base.as_str().trim_end_matches('/');
        let authentication = match dialect {
            Dialect::V03 | Dialect::V03Proto => {
                json!({ "schemes": ["Bearer"], "credentials": self.bearer })
            }
            Dialect::V1 => {
                json!({ "scheme": "Bearer", "credentials": self.bearer })
            }
        };
        json!({
            "id": self.config_id,
            "url": format!("{base}/push/{}", self.token),
            "token": self.bearer,
            "authentication": authentication,
        })
    }
}

/// Returns what is stored of a token.
pub(crate) fn digest_of(token: &str) -> String {
    digest::sha256(token.as_bytes())
}

/// Returns 256 random bits as text.
fn random() -> Option<String> {
    let mut bytes = [0; 32];
    rand::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_share_nothing() {
        let (one, other) = (Callback::new().unwrap(), Callback::new().unwrap());
        assert_ne!(one.token, other.token);
        assert_ne!(one.bearer, other.bearer);
        assert_ne!(one.token, one.bearer);
        assert_ne!(one.config_id, other.config_id);
        assert_eq!(one.token.len(), 43);
    }

    #[test]
    fn the_configuration_stays_below_the_prefix_of_the_base() {
        let callback = Callback::new().unwrap();
        let base = Url::parse("https://gw.example/edge/").unwrap();
        let config = callback.config(&base, Dialect::V03);
        let url = config["url"].as_str().unwrap();
        assert_eq!(
            url,
            format!("https://gw.example/edge/push/{}", callback.token)
        );
        assert_eq!(config["authentication"]["schemes"], json!(["Bearer"]));
        assert_eq!(config["token"], config["authentication"]["credentials"]);
    }
}
