//! Asking an agent for a task that a stream has left open, and what is told of it in the words of a stream.

use std::sync::Arc;

use gateway_protocol::{Operation, translate::Dialect, view::ResultView};
use serde_json::{Value, json, value::RawValue};

use super::{
    Call, Gateway, Target, Trail,
    exchange::{Content, exchange},
};
use crate::{
    catalog::{CatalogAgent, Endpoint},
    losses::LossLedger,
    ports::Said,
};

/// Asks for a task in the gateway's own words, at the interface that a call has gone to.
#[derive(Debug)]
pub(super) struct Lookup {
    call: Call,
    agent: Arc<CatalogAgent>,
    endpoint: Endpoint,
}

impl Lookup {
    pub(super) fn new(call: &Call, agent: &Arc<CatalogAgent>, endpoint: &Endpoint) -> Self {
        // The parameters of the call may be large, and are not needed any more.
        let call = Call {
            target: Target::Agent(agent.spec.id.clone()),
            version: call.version,
            binding: call.binding,
            dialect: Dialect::V1,
            operation: Operation::GetTask,
            rpc_id: call.rpc_id.clone(),
            params: RawValue::NULL.to_owned(),
            extensions: call.extensions.clone(),
            caller: call.caller.clone(),
            trace: call.trace.clone(),
            received: call.received,
            // What the gateway asks on its own is no loss of the client's.
            losses: LossLedger::default(),
        };
        Self {
            call,
            agent: Arc::clone(agent),
            endpoint: endpoint.clone(),
        }
    }

    /// Asks once for a task by the agent's own id. Returns it in the words of the agent.
    pub(super) async fn task(&self, gateway: &Gateway, id: &str) -> Option<Box<RawValue>> {
        let params = json!({ "id": id, "historyLength": 0 });
        let get = Call {
            params: RawValue::from_string(params.to_string()).ok()?,
            ..self.call.clone()
        };
        let to = (&self.agent, &self.endpoint);
        let exchanged = exchange(gateway, &get, to, &mut Trail::default()).await;
        match exchanged.ok()?.content {
            Content::One(Said::Result(task)) => Some(task),
            Content::One(Said::Error(_)) | Content::Events(_) => None,
        }
    }
}

/// Gives a task the form it has as a stream event: protobuf wraps it.
pub(super) fn as_event(dialect: Dialect, task: &RawValue) -> Box<RawValue> {
    let is_wrapped = !ResultView::read(dialect, task).path.is_empty();
    match dialect {
        Dialect::V03Proto | Dialect::V1 if !is_wrapped => {
            RawValue::from_string(format!(r#"{{"task":{}}}"#, task.get()))
                .unwrap_or_else(|_| task.to_owned())
        }
        Dialect::V03 | Dialect::V03Proto | Dialect::V1 => task.to_owned(),
    }
}

/// Makes the event that tells the state of a task as the last thing of a stream.
pub(super) fn closing_event(
    dialect: Dialect,
    task: &RawValue,
    client: Dialect,
) -> Option<Box<RawValue>> {
    let view = ResultView::read(dialect, task);
    let tree: Value = serde_json::from_str(task.get()).ok()?;
    let status = view
        .path
        .iter()
        .try_fold(&tree, |tree, name| tree.get(name))?;
    let mut event = json!({ "taskId": view.task_id?, "status": status.get("status")? });
    if let Some(context) = view.context_id {
        event["contextId"] = json!(context);
    }
    // Clients of 0.3 wait for it; 1.0 does not know it.
    if client != Dialect::V1 {
        event["final"] = true.into();
    }
    let event = match dialect {
        Dialect::V03 => {
            event["kind"] = "status-update".into();
            event
        }
        Dialect::V03Proto | Dialect::V1 => json!({ "statusUpdate": event }),
    };
    RawValue::from_string(event.to_string()).ok()
}
