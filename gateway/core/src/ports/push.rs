//! The seams of the relay of push notifications: where configurations and notifications wait, and the way to
//! clients' webhooks.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use gateway_protocol::{TaskState, Version};
use jiff::Timestamp;
use secrecy::SecretString;
use url::Url;

use super::StoreError;
use crate::agent::AgentId;

/// Durable storage of webhooks and of the notifications on their way to them.
///
/// Everything a method changes is on disk when it returns.
#[async_trait]
pub trait PushStore: Send + Sync + fmt::Debug {
    /// Adds a configuration that its agent has not confirmed yet: its callback works, and it is not listed.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn add_push_config(&self, config: PushConfig) -> Result<(), StoreError>;

    /// Confirms a configuration, and returns the states that its notifications told while its task was unknown.
    ///
    /// It takes the place of an older one with the same task, caller and id, whose notifications it inherits.
    /// Its notifications are due at once. An unknown callback changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn confirm_push_config(
        &self,
        confirmed: ConfirmedPush,
    ) -> Result<Vec<ToldState>, StoreError>;

    /// Returns the configuration behind a callback, and how many of its notifications wait.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be read.
    async fn push_config(&self, callback: &str) -> Result<Option<(PushConfig, u64)>, StoreError>;

    /// Returns the confirmed configurations of a caller for a task, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when they could not be read.
    async fn push_configs(
        &self,
        agent: &AgentId,
        task_id: &str,
        caller: &str,
    ) -> Result<Vec<PushConfig>, StoreError>;

    /// Removes a configuration and the notifications that wait for it. An unknown callback changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be removed.
    async fn remove_push_config(&self, callback: &str) -> Result<(), StoreError>;

    /// Removes the configurations whose task ended before the first time, those that were not confirmed by then,
    /// and those that nothing was heard of since the second one, except where notifications wait.
    ///
    /// # Errors
    /// [`StoreError`] when they could not be removed.
    async fn expire_push_configs(
        &self,
        ended_before: Timestamp,
        silent_before: Timestamp,
    ) -> Result<(), StoreError>;

    /// Queues a notification behind those of the same callback. An unknown callback changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn enqueue_push(&self, notification: PushNotification) -> Result<(), StoreError>;

    /// Takes notifications that are due, at most one per callback and always its oldest, so that their order
    /// is kept. Nobody else gets them until `until`, when they count as not delivered.
    ///
    /// # Errors
    /// [`StoreError`] when they could not be taken.
    async fn claim_pushes(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<ClaimedPush>, StoreError>;

    /// Removes a notification that is delivered, or that nobody tries to deliver any more.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be removed.
    async fn finish_push(&self, id: i64) -> Result<(), StoreError>;

    /// Gives a claimed notification back: the attempt failed, and the next one is due at a time.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    async fn postpone_push(&self, id: i64, due_at: Timestamp) -> Result<(), StoreError>;
}

/// A webhook of a client, and the callback that the agent got in its place.
#[derive(Debug, Clone)]
pub struct PushConfig {
    /// Digest of the token in the callback's address.
    pub callback: String,
    /// Digest of the Bearer token that the agent shows there.
    pub bearer: String,
    /// Who notifies.
    pub agent: AgentId,
    /// The agent's own id of the task; absent until an answer or a notification names it.
    pub task_id: Option<String>,
    /// Binding text of the caller who registered it.
    pub caller: String,
    /// The protocol version the client spoke then.
    pub version: Version,
    /// Whether the client knows ids sealed.
    pub sealed: bool,
    /// The id under which the agent knows it.
    pub agent_config_id: String,
    /// The client's part.
    pub webhook: Webhook,
    /// When it was registered.
    pub created_at: Timestamp,
}

/// A client's webhook, as it configured it.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// The client's id of the configuration.
    pub id: Option<String>,
    /// Where notifications go.
    pub url: Url,
    /// What `X-A2A-Notification-Token` says.
    pub token: Option<SecretString>,
    /// The scheme of `Authorization`.
    pub scheme: Option<String>,
    /// What follows the scheme.
    pub credentials: Option<SecretString>,
}

/// What is known of a configuration once its agent has it and its task is known.
#[derive(Debug, Clone)]
pub struct ConfirmedPush {
    /// Digest of the token in the callback's address.
    pub callback: String,
    /// The agent's own id of the task.
    pub task_id: String,
    /// The id of the configuration, if the client gave none.
    pub default_id: String,
    /// The id that the agent gave it, where it did not take the gateway's.
    pub agent_config_id: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// The state of a task as a notification told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldState {
    /// The state.
    pub state: TaskState,
    /// When it was told.
    pub at: Timestamp,
}

/// A notification as an agent sent it.
#[derive(Debug, Clone)]
pub struct PushNotification {
    /// Digest of the token in the callback's address.
    pub callback: String,
    /// The body, with the agent's own ids and in its version.
    pub payload: String,
    /// The state it tells.
    pub state: Option<TaskState>,
    /// When it came.
    pub at: Timestamp,
    /// Until when it waits if its task is unknown; else it is due at once.
    pub held_until: Timestamp,
}

/// A notification to deliver.
#[derive(Debug, Clone)]
pub struct ClaimedPush {
    /// Names it in the outbox.
    pub id: i64,
    /// Where it goes.
    pub config: PushConfig,
    /// The body as the agent sent it.
    pub payload: String,
    /// How often its delivery failed.
    pub failures: u32,
    /// When it came.
    pub at: Timestamp,
}

/// The way to clients' webhooks.
#[async_trait]
pub trait WebhookClient: Send + Sync + fmt::Debug {
    /// Tells whether a webhook may be called, with what its name resolves to now. A name that does not resolve
    /// is no reason against it: the delivery looks again.
    ///
    /// # Errors
    /// [`WebhookError::Refused`] says which rule forbids it.
    async fn check(&self, url: &Url) -> Result<(), WebhookError>;

    /// Posts a notification, once.
    ///
    /// # Errors
    /// [`WebhookError`] says whether another try makes sense.
    async fn deliver(&self, delivery: Delivery) -> Result<(), WebhookError>;
}

/// One notification as it goes to a webhook.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Where to.
    pub url: Url,
    /// Media type of the body.
    pub content_type: &'static str,
    /// The value of `Authorization`.
    pub authorization: Option<SecretString>,
    /// The value of `X-A2A-Notification-Token`.
    pub token: Option<SecretString>,
    /// The body.
    pub body: Bytes,
    /// How long the whole exchange may take.
    pub timeout: Duration,
}

/// A notification did not reach its webhook. The texts name no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The gateway does not call such addresses.
    #[error("{0}")]
    Refused(String),
    /// The webhook says that it is gone for good (410).
    #[error("the webhook answered 410, it is gone")]
    Gone,
    /// The request failed, or was answered with another status than 2xx.
    #[error("{detail}")]
    Failed {
        /// What went wrong.
        detail: String,
        /// Seconds after which the webhook wants to be asked again.
        retry_after: Option<u64>,
    },
}
