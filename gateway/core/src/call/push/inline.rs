//! A webhook that is registered along with a message: taken out of the parameters, replaced by a callback, and bound
//! to the task once an answer or a notification names it.

use std::ops::Range;

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::{
    super::{Call, Gateway, Target, affinity},
    found::Found,
};
use crate::{
    agent::AgentId,
    failure::Failure,
    ports::{ConfirmedPush, Webhook},
    push::{Callback, Names},
};

/// A webhook from the configuration of a message.
#[derive(Debug)]
pub(in crate::call) struct Registration {
    webhook: Webhook,
    /// Where it stands in the parameters.
    place: Range<usize>,
    callback: Callback,
}

/// A registration that waits for its task.
#[derive(Debug, Clone)]
pub(in crate::call) struct Unbound {
    callback: String,
    has_id: bool,
}

impl Registration {
    /// Reads and checks the webhook of a message, if it has one.
    ///
    /// # Errors
    /// -32602 with the field that cannot be used; -32003 when the gateway cannot relay.
    pub(in crate::call) async fn read(
        gateway: &Gateway,
        call: &Call,
    ) -> Result<Option<Self>, Failure> {
        let found = Found::within(&call.params, call.dialect).map_err(Failure::bad_request)?;
        let Some(found) = found else { return Ok(None) };
        if !gateway.push.is_available() {
            return Err(super::unavailable());
        }
        let config = found.as_v1().map_err(Failure::bad_request)?;
        let names = Names {
            prefix: found.prefix(),
            ..super::request::names(call.dialect)
        };
        let allow = &gateway.push.settings.allow;
        let webhook = Webhook::read(&config, names, allow).map_err(Failure::bad_request)?;
        gateway
            .check_webhook(&webhook, &format!("{}url", found.prefix()))
            .await?;
        let callback = super::new_callback()?;
        Ok(Some(Self {
            webhook,
            place: found.place,
            callback,
        }))
    }

    /// Stores the registration and returns the call as its agent gets it, with the callback in place of the webhook.
    pub(in crate::call) async fn register(
        &self,
        gateway: &Gateway,
        call: &Call,
        agent: &AgentId,
    ) -> Result<Call, Failure> {
        let task_id = continued_task(gateway, call)?;
        let with = (&self.callback, self.webhook.clone());
        let config = gateway.new_push_config(call, agent, with, task_id);
        gateway.add_push(config).await?;
        let base = gateway.push.settings.callback_base.as_ref();
        let base = base.ok_or_else(super::unavailable)?;
        let callback = self.callback.config(base, call.dialect).to_string();
        let mut params = call.params.get().to_owned();
        params.replace_range(self.place.clone(), &callback);
        let params = RawValue::from_string(params)
            .map_err(|_| Failure::internal("parameters were spoilt on the way"))?;
        Ok(Call {
            params,
            ..call.clone()
        })
    }

    /// Returns what is needed to bind the registration to its task.
    pub(in crate::call) fn unbound(&self) -> Unbound {
        Unbound {
            callback: self.callback.name(),
            has_id: self.webhook.id.is_some(),
        }
    }
}

impl Unbound {
    /// Binds the registration to the task that the message led to. `shown_id` is the task's id for the client.
    pub(in crate::call) async fn bind(
        self,
        gateway: &Gateway,
        agent: &AgentId,
        (task_id, shown_id): (&str, String),
    ) {
        let confirmed = ConfirmedPush {
            callback: self.callback,
            task_id: task_id.to_owned(),
            default_id: if self.has_id { String::new() } else { shown_id },
            agent_config_id: None,
            at: Timestamp::now(),
        };
        gateway.confirm_push(agent, confirmed).await;
    }

    /// Forgets the registration: the message led to no task.
    pub(in crate::call) async fn forget(self, gateway: &Gateway) {
        gateway.remove_push(&self.callback).await;
    }
}

/// Returns the task that a message continues, as its agent knows it: then no answer is needed to know it.
fn continued_task(gateway: &Gateway, call: &Call) -> Result<Option<String>, Failure> {
    let id = gateway_protocol::ids::task_id(call.operation, call.dialect, &call.params);
    match (id, &call.target) {
        (None, _) => Ok(None),
        (Some(id), Target::Agent(_)) => Ok(Some(id.into_owned())),
        (Some(id), Target::Federated) => {
            affinity::task(gateway, call, &id).map(|(_, upstream)| Some(upstream))
        }
    }
}
