//! The worker that empties the outbox: each notification in its turn, tried again until it arrives or is given up.

use std::{sync::Arc, time::Duration};

use gateway_protocol::translate::Losses;
use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::value::RawValue;
use tokio::{
    select,
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    PushRelay, backoff,
    payload::{self, Payload},
    receive::later,
};
use crate::{
    call::Gateway,
    ports::{ClaimedPush, ConfirmedPush, Delivery, StoreError, WebhookError},
};

/// Deliveries at the same time, each to another callback's webhook.
const CONCURRENCY: usize = 32;
/// How often the outbox is looked at for what has become due.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How much longer than its delivery a claim lasts.
const CLAIM_SLACK: Duration = Duration::from_secs(30);
/// How often configurations are removed that nobody needs any more.
const TIDY_EVERY: Duration = Duration::from_secs(10 * 60);
/// How long a configuration outlives its task, and how long it waits for one.
const KEPT_AFTER_END: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a configuration lives that no notification comes for and whose task is not seen to end.
const KEPT_SILENT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What became of an attempt, as the counters name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Delivered,
    Retried,
    GaveUp,
    Refused,
    Unreadable,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Retried => "retried",
            Self::GaveUp => "gave_up",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Delivers the notifications of a gateway.
#[derive(Debug, Clone)]
struct Courier(Arc<Gateway>);

impl Gateway {
    /// Delivers notifications until told to stop, and then finishes the deliveries under way. What is not
    /// delivered stays in the store for the next start.
    pub async fn deliver_pushes(self: Arc<Self>, stop: CancellationToken) {
        let courier = Courier(self);
        let mut under_way = JoinSet::new();
        let mut tidy = interval(TIDY_EVERY);
        tidy.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !stop.is_cancelled() {
            for push in courier.claim(CONCURRENCY - under_way.len()).await {
                let courier = courier.clone();
                under_way.spawn(async move { courier.deliver(push).await });
            }
            select! {
                () = stop.cancelled() => {}
                () = courier.relay().wake.notified(), if under_way.len() < CONCURRENCY => {}
                Some(_) = under_way.join_next() => {}
                _ = tidy.tick() => courier.tidy().await,
                () = sleep(LOOK_EVERY) => {}
            }
        }
        while under_way.join_next().await.is_some() {}
    }
}

impl Courier {
    fn relay(&self) -> &PushRelay {
        &self.0.push
    }

    async fn claim(&self, room: usize) -> Vec<ClaimedPush> {
        if room == 0 {
            return Vec::new();
        }
        let now = Timestamp::now();
        let until = later(now, self.relay().settings.timeout + CLAIM_SLACK);
        let claimed = self.relay().store.claim_pushes(now, until, room).await;
        claimed.unwrap_or_else(|error| {
            tracing::error!(error = %error, "push notifications cannot be read; trying again");
            Vec::new()
        })
    }

    async fn tidy(&self) {
        let now = Timestamp::now();
        let before = |age| now.checked_sub(age).unwrap_or(Timestamp::MIN);
        let expired = self
            .relay()
            .store
            .expire_push_configs(before(KEPT_AFTER_END), before(KEPT_SILENT));
        if let Err(error) = expired.await {
            tracing::warn!(error = %error, "old webhooks could not be removed; trying again later");
        }
    }

    /// Tries to deliver one notification and records what became of it.
    async fn deliver(&self, push: ClaimedPush) {
        let outcome = match self.prepare(&push).await {
            Ok(delivery) => match self.relay().client.deliver(delivery).await {
                Ok(()) => self.conclude(&push, Outcome::Delivered).await,
                Err(error) => self.failed(&push, &error).await,
            },
            Err(reason) => {
                log(
                    &push,
                    &format!("it cannot be shown to its client: {reason}"),
                );
                self.conclude(&push, Outcome::Unreadable).await
            }
        };
        match outcome {
            Ok(outcome) => self.0.observer.pushed(outcome.as_str()),
            Err(error) => {
                tracing::error!(error = %error, "what became of a push notification could not be written");
            }
        }
        self.relay().wake.notify_one();
    }

    /// Writes a notification as its client reads it.
    async fn prepare(&self, push: &ClaimedPush) -> Result<Delivery, String> {
        let raw: &RawValue =
            serde_json::from_str(&push.payload).map_err(|error| error.to_string())?;
        let payload = Payload::read(raw).ok_or("it is no object of A2A")?;
        let config = &push.config;
        if config.task_id.is_none() {
            self.adopt(push, payload.view.task_id.as_deref()).await;
        }
        let context = payload.view.context_id.as_deref();
        let shown = self
            .0
            .show_pushed_ids(config, context, (payload.dialect, raw))
            .await;
        let mut losses = Losses::default();
        let body = payload::convert(shown, payload.dialect, config.version, &mut losses)?;
        for (loss, count) in losses.iter() {
            self.0.observer.lost(loss, count);
        }
        let (authorization, token) = secrets(push);
        Ok(Delivery {
            url: config.webhook.url.clone(),
            content_type: payload::content_type(config.version),
            authorization,
            token,
            body: body.into(),
            timeout: self.relay().settings.timeout,
        })
    }

    /// Takes the task that a notification names for that of its callback, when no answer has named one: the call is
    /// still open or was lost.
    async fn adopt(&self, push: &ClaimedPush, task_id: Option<&str>) {
        let Some(task_id) = task_id else { return };
        let config = &push.config;
        let confirmed = ConfirmedPush {
            callback: config.callback.clone(),
            task_id: task_id.to_owned(),
            default_id: self.0.shown_task_id(config, task_id),
            agent_config_id: None,
            at: Timestamp::now(),
        };
        self.0.confirm_push(&config.agent, confirmed).await;
    }

    async fn failed(
        &self,
        push: &ClaimedPush,
        error: &WebhookError,
    ) -> Result<Outcome, StoreError> {
        let retry_after = match error {
            WebhookError::Refused(_) => {
                log(push, &error.to_string());
                return self.conclude(push, Outcome::Refused).await;
            }
            WebhookError::Gone => {
                log(push, &error.to_string());
                return self.conclude(push, Outcome::GaveUp).await;
            }
            WebhookError::Failed { retry_after, .. } => *retry_after,
        };
        let settings = &self.relay().settings;
        let failures = push.failures.saturating_add(1);
        let due_at = later(Timestamp::now(), backoff::pause(failures, retry_after));
        if failures >= settings.max_attempts || due_at > later(push.at, settings.max_age) {
            log(
                push,
                &format!("{error}; given up after {failures} attempts"),
            );
            return self.conclude(push, Outcome::GaveUp).await;
        }
        tracing::debug!(agent.id = %push.config.agent, failures, "a push notification waits for another attempt: {error}");
        self.relay().store.postpone_push(push.id, due_at).await?;
        Ok(Outcome::Retried)
    }

    async fn conclude(&self, push: &ClaimedPush, outcome: Outcome) -> Result<Outcome, StoreError> {
        self.relay().store.finish_push(push.id).await?;
        Ok(outcome)
    }
}

fn secrets(push: &ClaimedPush) -> (Option<SecretString>, Option<SecretString>) {
    let webhook = &push.config.webhook;
    (webhook.authorization(), webhook.token.clone())
}

/// Says which notification is lost and why. Only the host of a webhook is named: the rest may be a secret.
fn log(push: &ClaimedPush, why: &str) {
    let config = &push.config;
    tracing::warn!(
        agent.id = %config.agent,
        task.id = config.task_id.as_deref().unwrap_or("-"),
        webhook.host = host(&config.webhook.url),
        "a push notification was not delivered: {why}"
    );
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}
