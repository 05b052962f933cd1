//! What agents send to callbacks is verified, kept, and only then acknowledged.

use std::time::Duration;

use bytes::Bytes;
use gateway_protocol::TaskState;
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::{callback::digest_of, payload::Payload};
use crate::{
    agent::AgentId,
    call::Gateway,
    ports::{Note, PushConfig, PushNotification},
};

/// How many notifications of one callback may wait.
const MAX_WAITING: u64 = 256;
/// How long a notification waits for the answer that makes its task known. An agent that answers only at the end of
/// its work notifies long before, and then its notification names the task.
const HELD: Duration = Duration::from_secs(5);

/// What an agent shows at a callback beside its address.
#[derive(Debug, Clone, Copy, Default)]
pub struct PushCredentials<'a> {
    /// The value of `Authorization`.
    pub authorization: Option<&'a str>,
    /// The value of `X-A2A-Notification-Token`.
    pub token: Option<&'a str>,
}

/// A notification was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PushRefused {
    /// There is no such callback, or no more.
    #[error("there is no such callback")]
    Unknown,
    /// What the agent shows is not what it was given.
    #[error("the credentials are not those of this callback")]
    Credentials,
    /// The body is no notification.
    #[error("the body is neither a task nor a message nor an event of A2A")]
    Malformed,
    /// It is about another task than the callback.
    #[error("the notification is about another task than this callback")]
    OtherTask,
    /// Too many wait already.
    #[error("too many notifications of this callback wait to be delivered")]
    Full,
    /// It could not be written.
    #[error("the notification could not be kept")]
    Store,
}

impl Gateway {
    /// Takes a notification that an agent sent to a callback; it is on disk when this returns.
    ///
    /// The address is the key: nobody can guess it, and only its agent knows it. Credentials are compared where
    /// they are shown, and their absence is no reason to refuse, because agents exist that send neither header.
    ///
    /// # Errors
    /// [`PushRefused`] says why it was not taken.
    pub async fn receive_push(
        &self,
        token: &str,
        shown: PushCredentials<'_>,
        body: &Bytes,
    ) -> Result<(), PushRefused> {
        let callback = digest_of(token);
        let (config, waiting) = self
            .push
            .store
            .push_config(&callback)
            .await
            .map_err(|error| not_kept(&error))?
            .ok_or(PushRefused::Unknown)?;
        if !shown.fit(&config) {
            return Err(PushRefused::Credentials);
        }
        let raw: &RawValue = serde_json::from_slice(body).map_err(|_| PushRefused::Malformed)?;
        let payload = Payload::read(raw).ok_or(PushRefused::Malformed)?;
        let named = payload.view.task_id.as_deref();
        if let (Some(expected), Some(named)) = (config.task_id.as_deref(), named)
            && expected != named
        {
            return Err(PushRefused::OtherTask);
        }
        if waiting >= MAX_WAITING {
            return Err(PushRefused::Full);
        }
        let at = Timestamp::now();
        let state = payload.view.state;
        let notification = PushNotification {
            callback: callback.clone(),
            payload: raw.get().to_owned(),
            state,
            at,
            held_until: later(at, HELD),
        };
        self.push
            .store
            .enqueue_push(notification)
            .await
            .map_err(|error| not_kept(&error))?;
        if let Some(state) = state {
            self.note_received(&callback, config, state, at).await;
        }
        self.push.wake.notify_one();
        Ok(())
    }

    /// Notes the state that a notification told, if its task is known. Where it was unknown before, it may have
    /// become known meanwhile.
    async fn note_received(
        &self,
        callback: &str,
        config: PushConfig,
        state: TaskState,
        at: Timestamp,
    ) {
        let task_id = match config.task_id {
            Some(task_id) => Some(task_id),
            None => match self.push.store.push_config(callback).await {
                Ok(found) => found.and_then(|(config, _)| config.task_id),
                Err(error) => {
                    tracing::warn!(error = %error, "a push notification could not be looked up");
                    None
                }
            },
        };
        if let Some(task_id) = task_id {
            self.note_pushed(&config.agent, &task_id, state, at).await;
        }
    }

    /// Notes the state of a task as a notification told it, so that decisions learn their outcome.
    pub(crate) async fn note_pushed(
        &self,
        agent: &AgentId,
        task_id: &str,
        state: TaskState,
        at: Timestamp,
    ) {
        let note = Note::State {
            agent: agent.clone(),
            task_id: task_id.to_owned(),
            state: state.as_str().to_owned(),
            terminal: state.is_terminal(),
            cost: None,
            at,
        };
        self.note(note).await;
    }
}

impl PushCredentials<'_> {
    /// Compares digests, so that the time it takes tells nothing of the token.
    fn fit(self, config: &PushConfig) -> bool {
        let bearer = self.authorization.map(|value| {
            let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
            scheme.eq_ignore_ascii_case("bearer") && digest_of(token.trim()) == config.bearer
        });
        let token = self
            .token
            .map(|token| digest_of(token.trim()) == config.bearer);
        bearer.unwrap_or(true) && token.unwrap_or(true)
    }
}

fn not_kept(error: &crate::ports::StoreError) -> PushRefused {
    tracing::error!(error = %error, "a push notification could not be kept");
    PushRefused::Store
}

/// Returns a time so much later.
pub(super) fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}
