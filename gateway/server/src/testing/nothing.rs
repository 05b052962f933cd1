//! Stores that remember nothing, except that one callback is known.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use gateway_core::{
    AgentId, PushRelay, PushSettings, RouteDecision,
    digest::sha256,
    learning::{Forget, Lesson},
    ports::{
        ClaimedPush, ConfirmedPush, DecisionFilter, Delivery, Note, PushConfig, PushNotification,
        PushStore, Store, StoreError, TaskFilter, TaskPage, ToldState, Webhook, WebhookClient,
        WebhookError,
    },
    push::AllowList,
};
use gateway_protocol::Version;
use jiff::Timestamp;
use url::Url;

/// The token of the callback that is known, and what must be shown there.
pub(crate) const CALLBACK: (&str, &str) = ("callback-token", "bearer-token");

#[derive(Debug)]
pub(super) struct NoStore;

#[async_trait]
impl Store for NoStore {
    async fn record(&self, _: Arc<RouteDecision>) -> Result<(), StoreError> {
        Ok(())
    }

    async fn settle(&self, _notes: Vec<Note>) -> Result<(), StoreError> {
        Ok(())
    }

    async fn note(&self, _: Note) -> Result<(), StoreError> {
        Ok(())
    }

    async fn decision(&self, _: &str) -> Result<Option<RouteDecision>, StoreError> {
        Ok(None)
    }

    async fn decisions(&self, _: &DecisionFilter) -> Result<Vec<RouteDecision>, StoreError> {
        Ok(Vec::new())
    }

    async fn context_agent(&self, _: &str, _: &str) -> Result<Option<AgentId>, StoreError> {
        Ok(None)
    }

    async fn tasks(&self, _: &TaskFilter) -> Result<TaskPage, StoreError> {
        Ok(TaskPage::default())
    }

    async fn task_decision(
        &self,
        _: &str,
        _: &AgentId,
        _: &str,
    ) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    async fn lessons(&self, _: i64) -> Result<Vec<Lesson>, StoreError> {
        Ok(Vec::new())
    }

    async fn forgotten(&self) -> Result<Vec<Forget>, StoreError> {
        Ok(Vec::new())
    }

    async fn close(&self) {}
}

pub(super) fn push() -> PushRelay {
    let settings = PushSettings {
        callback_base: Some(Url::parse("http://gateway.test").unwrap()),
        allow: AllowList::default(),
        timeout: Duration::from_secs(10),
        max_attempts: 3,
        max_age: Duration::from_secs(60),
    };
    PushRelay::new(settings, Arc::new(NoStore), Arc::new(NoWebhooks))
}

#[async_trait]
impl PushStore for NoStore {
    async fn add_push_config(&self, _: PushConfig) -> Result<(), StoreError> {
        Ok(())
    }

    async fn confirm_push_config(&self, _: ConfirmedPush) -> Result<Vec<ToldState>, StoreError> {
        Ok(Vec::new())
    }

    async fn push_config(&self, callback: &str) -> Result<Option<(PushConfig, u64)>, StoreError> {
        let (token, bearer) = CALLBACK;
        let known = callback == sha256(token.as_bytes());
        Ok(known.then(|| (config(callback, bearer), 0)))
    }

    async fn push_configs(
        &self,
        _: &AgentId,
        _: &str,
        _: &str,
    ) -> Result<Vec<PushConfig>, StoreError> {
        Ok(Vec::new())
    }

    async fn remove_push_config(&self, _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    async fn expire_push_configs(&self, _: Timestamp, _: Timestamp) -> Result<(), StoreError> {
        Ok(())
    }

    async fn enqueue_push(&self, _: PushNotification) -> Result<(), StoreError> {
        Ok(())
    }

    async fn claim_pushes(
        &self,
        _: Timestamp,
        _: Timestamp,
        _: usize,
    ) -> Result<Vec<ClaimedPush>, StoreError> {
        Ok(Vec::new())
    }

    async fn finish_push(&self, _: i64) -> Result<(), StoreError> {
        Ok(())
    }

    async fn postpone_push(&self, _: i64, _: Timestamp) -> Result<(), StoreError> {
        Ok(())
    }
}

fn config(callback: &str, bearer: &str) -> PushConfig {
    PushConfig {
        callback: callback.to_owned(),
        bearer: sha256(bearer.as_bytes()),
        agent: AgentId::parse("alpha").unwrap(),
        task_id: Some("t".to_owned()),
        caller: String::new(),
        version: Version::V1,
        sealed: false,
        agent_config_id: "p".to_owned(),
        webhook: Webhook {
            id: None,
            url: Url::parse("https://client.test/hook").unwrap(),
            token: None,
            scheme: None,
            credentials: None,
        },
        created_at: Timestamp::UNIX_EPOCH,
    }
}

#[derive(Debug)]
struct NoWebhooks;

#[async_trait]
impl WebhookClient for NoWebhooks {
    async fn check(&self, _: &Url) -> Result<(), WebhookError> {
        Ok(())
    }

    async fn deliver(&self, _: Delivery) -> Result<(), WebhookError> {
        Ok(())
    }
}
