//! Listing tasks (A2A 1.0 §3.1.4).
//!
//! An agent of 1.0 lists its own tasks on its own path. On the federated endpoint, and for agents of 0.3, which
//! cannot list, the gateway lists the tasks it has seen for the caller: order and filters come from its index, what
//! is still running or has more to show is asked of its agent.

mod page;

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use gateway_protocol::{
    IdKind, Operation, TaskState, Version,
    translate::{Dialect, Losses, Translator},
};
use jiff::Timestamp;
use serde_json::{Value, json, value::RawValue};

use super::{
    Call, Gateway, Payload, Reply, ReplyBody, SETTLE_LIMIT, Target, Trail,
    affinity::{self, Ids},
    task_operation,
};
use crate::{
    agent::AgentId,
    failure::Failure,
    ports::{KnownTask, TaskFilter},
    task::seal::SEALED_PREFIX,
};
use page::Asked;

/// Tasks asked of their agents at the same time.
const CONCURRENCY: usize = 8;

pub(super) async fn run(
    gateway: &Arc<Gateway>,
    call: &Call,
    trail: &mut Trail,
) -> Result<Reply, Failure> {
    if let Target::Agent(id) = &call.target
        && lists_itself(gateway, id, call).await
    {
        return task_operation::run(gateway, call, trail).await;
    }
    let asked = Asked::read(&call.params)?;
    let filter = filter(gateway, call, &asked);
    let page = match filter {
        Some(filter) => gateway.store.tasks(&filter).await.map_err(|error| {
            tracing::error!(error = %error, "tasks could not be listed");
            Failure::internal("the tasks could not be read")
        })?,
        None => crate::ports::TaskPage::default(),
    };
    let next = page.tasks.last().filter(|_| page.tasks.len() == asked.size);
    let next = next
        .map(|last| page::token(&last.place))
        .unwrap_or_default();
    let mut details = Vec::with_capacity(page.tasks.len());
    for task in &page.tasks {
        details.push(shown(gateway, call, &asked, task));
    }
    let tasks: Vec<Value> = stream::iter(details).buffered(CONCURRENCY).collect().await;
    let result = json!({
        "tasks": tasks,
        "nextPageToken": next,
        "pageSize": asked.size,
        "totalSize": page.total,
    });
    let mut losses = Losses::default();
    let result = Translator::new(Dialect::V1, call.dialect)
        .result(call.operation, result, &mut losses)
        .map_err(|error| Failure::internal(&error.message))?;
    call.losses.add(&losses);
    Ok(Reply {
        decision: None,
        extensions: Vec::new(),
        body: ReplyBody::One(Payload::Result(result.to_string().into())),
    })
}

async fn lists_itself(gateway: &Gateway, agent: &AgentId, call: &Call) -> bool {
    gateway.registry.settled(agent, SETTLE_LIMIT).await;
    let catalog = gateway.registry.catalog();
    let accepted = catalog
        .agent(agent)
        .and_then(|agent| agent.status.accepted.clone());
    let endpoint =
        accepted.and_then(|accepted| accepted.endpoint(call.version, call.binding).cloned());
    endpoint.is_some_and(|endpoint| endpoint.version == Version::V1)
}

/// Returns the filter of the index; `None` when a sealed context id is not this caller's, so nothing matches.
fn filter(gateway: &Gateway, call: &Call, asked: &Asked) -> Option<TaskFilter> {
    let caller = call.caller.binding();
    let mut agent = match &call.target {
        Target::Agent(id) => Some(id.clone()),
        Target::Federated => None,
    };
    let mut context_id = asked.context_id.clone();
    if let (Target::Federated, Some(id)) = (&call.target, &asked.context_id)
        && id.starts_with(SEALED_PREFIX)
    {
        let sealed = gateway.seals.open(id, &caller)?;
        if sealed.kind != IdKind::Context {
            return None;
        }
        agent = Some(sealed.agent);
        context_id = Some(sealed.upstream);
    }
    Some(TaskFilter {
        caller,
        agent,
        context_id,
        state: asked.state.map(|state| state.as_str().to_owned()),
        since: asked.since,
        after: asked.after.clone(),
        limit: asked.size,
    })
}

/// Returns a task as the client gets it: from its agent where the index does not know enough, else from the
/// index, which is also what is shown of tasks whose agent does not answer.
async fn shown(gateway: &Arc<Gateway>, call: &Call, asked: &Asked, task: &KnownTask) -> Value {
    let mut ids = Ids::of(gateway, call, &task.place.agent);
    if let Some(context) = &task.context_id {
        affinity::recognise_context(gateway, &call.caller.binding(), context, &mut ids).await;
    }
    let outward = |kind, id: &str| ids.outward(kind, id).unwrap_or_else(|| id.to_owned());
    let id = outward(IdKind::Task, &task.place.task_id);
    let state = TaskState::from_wire(&task.state).unwrap_or(TaskState::Unknown);
    if (asked.wants_content() || !state.is_terminal())
        && let Some(fetched) = fetch(gateway, call, asked, (&task.place.agent, &id)).await
    {
        return fetched;
    }
    let changed = Timestamp::from_microsecond(task.place.changed_at).unwrap_or_default();
    let mut known = json!({
        "id": id,
        "status": { "state": page::wire_name(state), "timestamp": format!("{changed:.3}") },
    });
    if let Some(context) = &task.context_id {
        known["contextId"] = json!(outward(IdKind::Context, context));
    }
    if asked.include_artifacts {
        known["artifacts"] = json!([]);
    }
    known
}

async fn fetch(
    gateway: &Arc<Gateway>,
    call: &Call,
    asked: &Asked,
    task: (&AgentId, &str),
) -> Option<Value> {
    let (agent, id) = task;
    let params = json!({ "id": id, "historyLength": asked.history_length.unwrap_or(0) });
    let get = Call {
        target: match call.target {
            Target::Federated => Target::Federated,
            Target::Agent(_) => Target::Agent(agent.clone()),
        },
        dialect: Dialect::V1,
        operation: Operation::GetTask,
        rpc_id: None,
        params: RawValue::from_string(params.to_string()).ok()?,
        ..call.clone()
    };
    let reply = Box::pin(task_operation::run(gateway, &get, &mut Trail::default()))
        .await
        .ok()?;
    let ReplyBody::One(Payload::Result(task)) = reply.body else {
        return None;
    };
    let mut task: Value = serde_json::from_slice(&task).ok()?;
    let members = task.as_object_mut()?;
    if asked.include_artifacts {
        members.entry("artifacts").or_insert_with(|| json!([]));
    } else {
        members.remove("artifacts");
    }
    Some(task)
}
