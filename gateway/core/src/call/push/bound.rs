//! Configurations on their way into the store and to their task, and the ids their clients know.

use gateway_protocol::{Error, ErrorKind, IdKind, Operation, translate::Dialect};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::super::{
    Call, Gateway, Target,
    affinity::{self, Ids},
};
use crate::{
    agent::AgentId,
    failure::Failure,
    ports::{ConfirmedPush, PushConfig, Webhook, WebhookError},
    push::Callback,
};

impl Gateway {
    pub(super) fn new_push_config(
        &self,
        call: &Call,
        agent: &AgentId,
        with: (&Callback, Webhook),
        task_id: Option<String>,
    ) -> PushConfig {
        let (callback, webhook) = with;
        PushConfig {
            callback: callback.name(),
            bearer: callback.bearer_digest(),
            agent: agent.clone(),
            task_id,
            caller: call.caller.binding(),
            version: call.version,
            sealed: call.target == Target::Federated,
            agent_config_id: callback.config_id.clone(),
            webhook,
            created_at: Timestamp::now(),
        }
    }

    pub(super) async fn add_push(&self, config: PushConfig) -> Result<(), Failure> {
        self.push
            .store
            .add_push_config(config)
            .await
            .map_err(|error| {
                tracing::error!(error = %error, "a webhook could not be stored");
                Failure::internal("the webhook could not be stored")
            })
    }

    /// Confirms a configuration, and notes what its notifications said before its task was known.
    pub(crate) async fn confirm_push(&self, agent: &AgentId, confirmed: ConfirmedPush) {
        let task_id = confirmed.task_id.clone();
        match self.push.store.confirm_push_config(confirmed).await {
            Ok(told) => {
                for told in told {
                    self.note_pushed(agent, &task_id, told.state, told.at).await;
                }
                self.push.wake.notify_one();
            }
            Err(error) => {
                tracing::error!(error = %error, "a webhook could not be bound to its task");
            }
        }
    }

    /// Removes a configuration that led to nothing. What cannot be removed now expires.
    pub(super) async fn remove_push(&self, callback: &str) {
        if let Err(error) = self.push.store.remove_push_config(callback).await {
            tracing::warn!(error = %error, "a webhook without a task could not be removed");
        }
    }

    /// Refuses a webhook whose name leads where no webhook may be.
    pub(super) async fn check_webhook(
        &self,
        webhook: &Webhook,
        field: &str,
    ) -> Result<(), Failure> {
        let WebhookError::Refused(problem) = (match self.push.client.check(&webhook.url).await {
            Err(error) => error,
            Ok(()) => return Ok(()),
        }) else {
            return Ok(());
        };
        let error = Error::new(ErrorKind::InvalidParams, format!("`{field}` {problem}"));
        Err(Failure::bad_request(error.field_violation(field, &problem)))
    }

    /// Returns the id under which the client of a configuration knows a task.
    pub(crate) fn shown_task_id(&self, config: &PushConfig, task_id: &str) -> String {
        let shown = self.ids_of(config).outward(IdKind::Task, task_id);
        shown.unwrap_or_else(|| task_id.to_owned())
    }

    /// Writes a notification with the ids that the client of a configuration knows.
    pub(crate) async fn show_pushed_ids(
        &self,
        config: &PushConfig,
        context_id: Option<&str>,
        body: (Dialect, &RawValue),
    ) -> Vec<u8> {
        let mut ids = self.ids_of(config);
        if let Some(context_id) = context_id {
            affinity::recognise_context(self, &config.caller, context_id, &mut ids).await;
        }
        ids.result(Operation::SubscribeToTask, body.0, body.1)
    }

    fn ids_of(&self, config: &PushConfig) -> Ids {
        if config.sealed {
            Ids::sealed(self, &config.agent, config.caller.clone())
        } else {
            Ids::Untouched
        }
    }
}
