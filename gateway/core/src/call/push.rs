//! The four operations on push configurations, and what relaying notifications needs to know of ids.
//!
//! Configurations live here and are read here; the agent is asked to take a callback, and to forget it.

mod bound;
mod found;
mod inline;
mod request;

use std::sync::Arc;

use gateway_protocol::{
    Error, ErrorKind, Operation, Version,
    translate::{Dialect, Losses, Translator},
};
use jiff::Timestamp;
use serde_json::{Value, json, value::RawValue};

use super::{
    Call, Gateway, Payload, Reply, ReplyBody, Target, Trail,
    affinity::{self, Ids},
    bridge::Bridge,
    exchange::{Content, Exchanged, exchange},
    reach::Reached,
    relay::Relay,
};
use crate::{
    catalog::{CatalogAgent, Endpoint},
    failure::Failure,
    losses::LossLedger,
    ports::{ConfirmedPush, PushConfig, Said, StoreError, Webhook},
    push::Callback,
    route::{Chosen, Features},
};
pub(super) use inline::{Registration, Unbound};
use request::{Asked, Request};

/// How many webhooks a caller may have for one task.
const MAX_PER_TASK: usize = 32;
/// What clients of 0.3 call a configuration that was registered without an id.
const DEFAULT_ID: &str = "default";

pub(super) async fn run(
    gateway: &Arc<Gateway>,
    call: &Call,
    trail: &mut Trail,
) -> Result<Reply, Failure> {
    let request = Request::read(gateway, call)?;
    let (owner, task_id) = affinity::task(gateway, call, &request.task_id)?;
    trail.agent = Some(owner.clone());
    let reached = Reached::wait(gateway, call, &owner).await?;
    let chosen = chosen(gateway, call, &reached)?;
    let known = gateway
        .push
        .store
        .push_configs(&owner, &task_id, &call.caller.binding())
        .await
        .map_err(|error| unreadable(&error))?;
    let task = PushTask {
        gateway,
        call,
        agent: &chosen.agent,
        endpoint: &chosen.endpoint,
        shown_id: request.task_id,
        id: task_id,
        known,
    };
    match request.asked {
        Asked::Create(webhook) => task.create(*webhook, trail).await,
        Asked::Get(id) => task.get(id.as_deref()),
        Asked::List => task.list(trail).await,
        Asked::Delete(id) => task.delete(&id, trail).await,
    }
}

/// Returns the interface to call, if the agent has push notifications at all and the gateway can relay them.
fn chosen(gateway: &Gateway, call: &Call, reached: &Reached) -> Result<Chosen, Failure> {
    if !gateway.push.is_available() {
        return Err(unavailable());
    }
    let features = Features {
        extensions: call.extensions.clone(),
        push: true,
        ..Features::default()
    };
    reached.choose(gateway, call, &features)
}

/// One task, for whose webhooks a client asks.
struct PushTask<'a> {
    gateway: &'a Arc<Gateway>,
    call: &'a Call,
    agent: &'a Arc<CatalogAgent>,
    endpoint: &'a Endpoint,
    /// The task's id as the client knows it.
    shown_id: String,
    /// The task's id as the agent knows it.
    id: String,
    /// The caller's webhooks for it.
    known: Vec<PushConfig>,
}

impl PushTask<'_> {
    async fn create(&self, webhook: Webhook, trail: &mut Trail) -> Result<Reply, Failure> {
        let id = webhook.id.as_deref().unwrap_or(&self.shown_id);
        let older = self.named(id);
        if older.is_none() && self.known.len() >= MAX_PER_TASK {
            let text = format!("this task already has {MAX_PER_TASK} webhooks; delete one first");
            return Err(Failure::bad_request(Error::new(
                ErrorKind::InvalidParams,
                text,
            )));
        }
        let field = format!("{}url", request::names(self.call.dialect).prefix);
        self.gateway.check_webhook(&webhook, &field).await?;
        let mut callback = new_callback()?;
        if let Some(older) = older {
            // The agent replaces what it knows under the same id.
            callback.config_id.clone_from(&older.agent_config_id);
        }
        let shown = Webhook {
            id: Some(id.to_owned()),
            ..webhook.clone()
        };
        let config = self.gateway.new_push_config(
            self.call,
            &self.agent.spec.id,
            (&callback, webhook),
            Some(self.id.clone()),
        );
        // The agent may notify before it answers, so the callback must work before it is asked.
        self.gateway.add_push(config).await?;
        let asked = self.register(&callback, trail).await;
        let refusal = match asked {
            Ok(Ok(agent_config_id)) => {
                let confirmed = ConfirmedPush {
                    callback: callback.name(),
                    task_id: self.id.clone(),
                    default_id: self.shown_id.clone(),
                    agent_config_id,
                    at: Timestamp::now(),
                };
                self.gateway
                    .confirm_push(&self.agent.spec.id, confirmed)
                    .await;
                return self.answer(shown.shown(&self.shown_id));
            }
            Ok(Err(said)) => self.refused(&said).await,
            Err(failure) => Err(failure),
        };
        self.gateway.remove_push(&callback.name()).await;
        refusal
    }

    /// Asks the agent to notify the gateway. Returns the id the agent gave the configuration, or its error.
    async fn register(
        &self,
        callback: &Callback,
        trail: &mut Trail,
    ) -> Result<Result<Option<String>, Said>, Failure> {
        let settings = &self.gateway.push.settings;
        let base = settings.callback_base.as_ref().ok_or_else(unavailable)?;
        let mut params = callback.config(base, Dialect::V1);
        params["taskId"] = json!(self.id);
        let operation = Operation::CreateTaskPushNotificationConfig;
        let (said, bridge) = self.ask(operation, &params, trail).await?;
        let Said::Result(result) = said else {
            return Ok(Err(said));
        };
        let result = result.get().as_bytes().to_vec();
        let result = bridge.result(&self.agent.spec.id, operation, result);
        let config: Option<Value> = result
            .ok()
            .and_then(|result| serde_json::from_slice(&result).ok());
        let id = config.as_ref().and_then(|config| config["id"].as_str());
        Ok(Ok(id.filter(|id| !id.is_empty()).map(str::to_owned)))
    }

    fn get(&self, id: Option<&str>) -> Result<Reply, Failure> {
        let config = self.find(id).ok_or_else(Failure::task_not_found)?;
        self.answer(config.webhook.shown(&self.shown_id))
    }

    async fn list(&self, trail: &mut Trail) -> Result<Reply, Failure> {
        if self.known.is_empty()
            && let Some(refusal) = self.missing(trail).await
        {
            return refusal;
        }
        let shown = |config: &PushConfig| config.webhook.shown(&self.shown_id);
        let configs: Vec<Value> = self.known.iter().map(shown).collect();
        self.answer(json!({ "configs": configs, "nextPageToken": "" }))
    }

    async fn delete(&self, id: &str, trail: &mut Trail) -> Result<Reply, Failure> {
        let Some(config) = self.find(Some(id)) else {
            // Deleting what is not there succeeds (A2A §3.1.10), unless the task is not there either.
            return match self.missing(trail).await {
                Some(refusal) => refusal,
                None => self.answer(Value::Null),
            };
        };
        let removed = self.gateway.push.store.remove_push_config(&config.callback);
        removed.await.map_err(|error| unreadable(&error))?;
        let params = json!({ "taskId": self.id, "id": config.agent_config_id });
        let operation = Operation::DeleteTaskPushNotificationConfig;
        let asked = self.ask(operation, &params, trail).await;
        // Whatever the agent says: its notifications find no callback any more.
        if let Err(failure) = asked {
            tracing::debug!(agent.id = %self.agent.spec.id, "an agent could not be told to notify no more: {}", failure.error.message);
        }
        trail.agent_error = false;
        self.answer(Value::Null)
    }

    /// Finds a configuration. In 0.3 the one that was registered without an id may be asked for without one, or as
    /// `default`; where there is none such, no id means the first.
    fn find(&self, id: Option<&str>) -> Option<&PushConfig> {
        let unnamed = || self.named(&self.shown_id);
        match id {
            None => unnamed().or_else(|| self.known.first()),
            Some(DEFAULT_ID) if self.call.version == Version::V03 => {
                self.named(DEFAULT_ID).or_else(unnamed)
            }
            Some(id) => self.named(id),
        }
    }

    fn named(&self, id: &str) -> Option<&PushConfig> {
        let named = |config: &&PushConfig| config.webhook.id.as_deref() == Some(id);
        self.known.iter().find(named)
    }

    /// Asks the agent whether the task exists at all; returns what the client is told if it does not.
    async fn missing(&self, trail: &mut Trail) -> Option<Result<Reply, Failure>> {
        let params = json!({ "id": self.id, "historyLength": 0 });
        match self.ask(Operation::GetTask, &params, trail).await {
            Ok((Said::Result(_), _)) => None,
            Ok((said @ Said::Error(_), _)) => Some(self.refused(&said).await),
            Err(failure) => Some(Err(failure)),
        }
    }

    /// Asks the agent for something in the gateway's own words.
    async fn ask(
        &self,
        operation: Operation,
        params: &Value,
        trail: &mut Trail,
    ) -> Result<(Said, Bridge), Failure> {
        let params = RawValue::from_string(params.to_string())
            .map_err(|_| Failure::internal("the parameters of a request could not be written"))?;
        let own = Call {
            target: Target::Agent(self.agent.spec.id.clone()),
            dialect: Dialect::V1,
            operation,
            params,
            losses: LossLedger::default(),
            ..self.call.clone()
        };
        let exchanged = exchange(self.gateway, &own, (self.agent, self.endpoint), trail)
            .await
            .map_err(|broken| broken.failure)?;
        let Exchanged {
            content, bridge, ..
        } = exchanged;
        match content {
            Content::One(said) => Ok((said, bridge)),
            Content::Events(_) => Err(Failure::internal("the agent answered a stream")),
        }
    }

    /// Passes an error of the agent on.
    async fn refused(&self, said: &Said) -> Result<Reply, Failure> {
        let ids = Ids::of(self.gateway, self.call, &self.agent.spec.id);
        let bridge = Bridge::between(self.call, self.endpoint);
        let from = (self.endpoint, bridge);
        let body = Relay::new(self.gateway, self.call, self.agent, ids, from)
            .one(said)
            .await?;
        Ok(Reply {
            decision: None,
            extensions: Vec::new(),
            body,
        })
    }

    /// Answers in the client's version.
    fn answer(&self, result: Value) -> Result<Reply, Failure> {
        let translator = Translator::new(Dialect::V1, self.call.dialect);
        let result = translator
            .result(self.call.operation, result, &mut Losses::default())
            .map_err(|error| Failure::internal(&error.message))?;
        let payload = Payload::Result(result.to_string().into());
        Ok(Reply {
            decision: None,
            extensions: Vec::new(),
            body: ReplyBody::One(payload),
        })
    }
}

fn new_callback() -> Result<Callback, Failure> {
    Callback::new().ok_or_else(|| Failure::internal("the system gave no random numbers"))
}

/// The gateway has no address that agents could notify.
fn unavailable() -> Failure {
    let kind = ErrorKind::PushNotificationNotSupported;
    Failure::unsupported(
        kind,
        "push notifications, as it has no address that agents reach it at",
    )
}

fn unreadable(error: &StoreError) -> Failure {
    tracing::error!(error = %error, "webhooks could not be read or written");
    Failure::internal("the webhooks of the task could not be read or written")
}
