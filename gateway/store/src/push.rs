//! Push configurations as columns, and back. Nothing here depends on one database.

use gateway_core::{
    agent::AgentId,
    ports::{ClaimedPush, PushConfig, StoreError, Webhook},
};
use gateway_protocol::Version;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

/// A configuration as read or to be written.
#[derive(sqlx::FromRow)]
pub(crate) struct ConfigRow {
    pub(crate) callback: String,
    pub(crate) bearer: String,
    pub(crate) agent: String,
    pub(crate) task_id: Option<String>,
    pub(crate) caller: String,
    pub(crate) version: String,
    pub(crate) sealed: i64,
    pub(crate) agent_config_id: String,
    pub(crate) config_id: Option<String>,
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    pub(crate) scheme: Option<String>,
    pub(crate) credentials: Option<String>,
    pub(crate) created_at: i64,
}

/// A claimed notification with its configuration.
#[derive(sqlx::FromRow)]
pub(crate) struct ClaimedRow {
    pub(crate) id: i64,
    payload: String,
    failures: i64,
    at: i64,
    #[sqlx(flatten)]
    config: ConfigRow,
}

// By hand, because the row holds secrets.
impl std::fmt::Debug for ConfigRow {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ConfigRow")
            .field("callback", &self.callback)
            .finish_non_exhaustive()
    }
}

impl From<PushConfig> for ConfigRow {
    fn from(config: PushConfig) -> Self {
        let open =
            |secret: Option<SecretString>| secret.map(|secret| secret.expose_secret().to_owned());
        let webhook = config.webhook;
        Self {
            callback: config.callback,
            bearer: config.bearer,
            agent: config.agent.to_string(),
            task_id: config.task_id,
            caller: config.caller,
            version: config.version.as_str().to_owned(),
            sealed: config.sealed.into(),
            agent_config_id: config.agent_config_id,
            config_id: webhook.id,
            url: webhook.url.into(),
            token: open(webhook.token),
            scheme: webhook.scheme,
            credentials: open(webhook.credentials),
            created_at: config.created_at.as_microsecond(),
        }
    }
}

impl ConfigRow {
    pub(crate) fn decode(self) -> Result<PushConfig, StoreError> {
        let unreadable = |what: &str| {
            StoreError(format!(
                "a stored push configuration of agent `{}` has no readable {what}",
                self.agent
            ))
        };
        let agent = AgentId::parse(&self.agent).map_err(|_| unreadable("agent"))?;
        let version = Version::parse(&self.version).ok_or_else(|| unreadable("version"))?;
        let url = Url::parse(&self.url).map_err(|_| unreadable("address"))?;
        Ok(PushConfig {
            callback: self.callback,
            bearer: self.bearer,
            agent,
            task_id: self.task_id,
            caller: self.caller,
            version,
            sealed: self.sealed != 0,
            agent_config_id: self.agent_config_id,
            webhook: Webhook {
                id: self.config_id,
                url,
                token: self.token.map(Into::into),
                scheme: self.scheme,
                credentials: self.credentials.map(Into::into),
            },
            created_at: Timestamp::from_microsecond(self.created_at).unwrap_or_default(),
        })
    }
}

impl ClaimedRow {
    pub(crate) fn decode(self) -> Result<ClaimedPush, StoreError> {
        Ok(ClaimedPush {
            id: self.id,
            config: self.config.decode()?,
            payload: self.payload,
            failures: u32::try_from(self.failures).unwrap_or(u32::MAX),
            at: Timestamp::from_microsecond(self.at).unwrap_or_default(),
        })
    }
}
