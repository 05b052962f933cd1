//! Affinity: which agent the ids of a request belong to, and which ids its answer shows.

use std::sync::Arc;

use gateway_protocol::{IdKind, Operation, ids, translate::Dialect, view::MessageView};
use serde_json::value::RawValue;

use super::{Call, Gateway, Target};
use crate::{
    agent::AgentId,
    decision::DecisionKind,
    failure::Failure,
    ports::Note,
    task::seal::{KeyRing, SEALED_PREFIX, Sealed},
};

/// How ids are shown to the client of one call.
#[derive(Debug, Clone)]
pub(super) enum Ids {
    /// As the agent made them.
    Untouched,
    /// Sealed for this caller.
    Sealed(Box<Seals>),
}

#[derive(Debug, Clone)]
pub(super) struct Seals {
    keys: Arc<KeyRing>,
    agent: AgentId,
    caller: String,
    own_context: Option<String>,
}

impl Ids {
    pub(super) fn of(gateway: &Gateway, call: &Call, agent: &AgentId) -> Self {
        match call.target {
            Target::Agent(_) => Self::Untouched,
            Target::Federated => Self::sealed(gateway, agent, call.caller.binding()),
        }
    }

    /// Seals for a caller outside of a call.
    pub(super) fn sealed(gateway: &Gateway, agent: &AgentId, caller: String) -> Self {
        Self::Sealed(Box::new(Seals {
            keys: Arc::clone(&gateway.seals),
            agent: agent.clone(),
            caller,
            own_context: None,
        }))
    }

    /// Leaves a context id as it is because the client itself made it.
    pub(super) fn keep_context(&mut self, context_id: &str) {
        if let Self::Sealed(seals) = self {
            seals.own_context = Some(context_id.to_owned());
        }
    }

    /// Returns the id a client sees for an agent's id; `None` where it is the same.
    pub(super) fn outward(&self, kind: IdKind, upstream: &str) -> Option<String> {
        let Self::Sealed(seals) = self else {
            return None;
        };
        if kind == IdKind::Context && seals.own_context.as_deref() == Some(upstream) {
            return None;
        }
        let sealed = Sealed {
            kind,
            agent: seals.agent.clone(),
            upstream: upstream.to_owned(),
        };
        Some(seals.keys.seal(&sealed, &seals.caller))
    }

    /// Rewrites the ids of a result or event for the client.
    pub(super) fn result(
        &self,
        operation: Operation,
        dialect: Dialect,
        result: &RawValue,
    ) -> Vec<u8> {
        let mut exchange =
            |kind, id: &str| Ok::<_, std::convert::Infallible>(self.outward(kind, id));
        match ids::rewrite_result(operation, dialect, result, &mut exchange) {
            Ok(bytes) => bytes.into_owned(),
        }
    }

    /// Rewrites the ids in the details of an agent's error for the client.
    pub(super) fn error(&self, error: &RawValue) -> Vec<u8> {
        let mut exchange =
            |kind, id: &str| Ok::<_, std::convert::Infallible>(self.outward(kind, id));
        match ids::rewrite_error(error, &mut exchange) {
            Ok(bytes) => bytes.into_owned(),
        }
    }
}

/// Opens the ids of a client's parameters for the agent that gets them.
pub(super) fn inward(gateway: &Gateway, call: &Call, agent: &AgentId) -> Result<Vec<u8>, Failure> {
    let caller = call.caller.binding();
    let mut exchange = |kind, id: &str| match (&call.target, kind) {
        (Target::Agent(_), _) => Ok(None),
        (Target::Federated, IdKind::Context) if !id.starts_with(SEALED_PREFIX) => Ok(None),
        (Target::Federated, _) => {
            let sealed = open(gateway, kind, id, &caller)?;
            if sealed.agent == *agent {
                Ok(Some(sealed.upstream))
            } else {
                Err(Failure::task_not_found())
            }
        }
    };
    ids::rewrite_params(call.operation, call.dialect, &call.params, &mut exchange)
        .map(std::borrow::Cow::into_owned)
}

fn open(gateway: &Gateway, kind: IdKind, id: &str, caller: &str) -> Result<Sealed, Failure> {
    gateway
        .seals
        .open(id, caller)
        .filter(|sealed| sealed.kind == kind)
        .ok_or_else(Failure::task_not_found)
}

/// Returns the agent of the task that an operation is about.
pub(super) fn owner(gateway: &Gateway, call: &Call) -> Result<AgentId, Failure> {
    match &call.target {
        Target::Agent(id) => Ok(id.clone()),
        Target::Federated => {
            let id = ids::task_id(call.operation, call.dialect, &call.params)
                .ok_or_else(Failure::task_not_found)?;
            Ok(open(gateway, IdKind::Task, &id, &call.caller.binding())?.agent)
        }
    }
}

/// Returns the owner of a task and the id it has there, from the id that the client of a call knows.
pub(super) fn task(gateway: &Gateway, call: &Call, id: &str) -> Result<(AgentId, String), Failure> {
    match &call.target {
        Target::Agent(agent) => Ok((agent.clone(), id.to_owned())),
        Target::Federated => {
            let sealed = open(gateway, IdKind::Task, id, &call.caller.binding())?;
            Ok((sealed.agent, sealed.upstream))
        }
    }
}

/// Returns the id that the task of an operation has at its agent.
pub(super) fn task_of(gateway: &Gateway, call: &Call) -> Result<String, Failure> {
    let id = ids::task_id(call.operation, call.dialect, &call.params)
        .ok_or_else(Failure::task_not_found)?;
    task(gateway, call, &id).map(|(_, upstream)| upstream)
}

/// What the ids of a message say about where it belongs.
#[derive(Debug, Default)]
pub(super) struct Continuation {
    /// The agent that must get it.
    pub(super) agent: Option<(AgentId, DecisionKind)>,
    /// The context id, if the client made it.
    pub(super) own_context: Option<String>,
}

impl Continuation {
    /// Takes an agent as the one to continue with, unless an earlier id already says another.
    /// Returns whether the message continues a task rather than begin one.
    pub(super) fn continues_task(&self) -> bool {
        matches!(self.agent, Some((_, DecisionKind::Owner)))
    }

    fn claim(&mut self, agent: AgentId, kind: DecisionKind, field: &str) -> Result<(), Failure> {
        match &self.agent {
            Some((owner, _)) if *owner != agent => Err(Failure::mixed_owners(field)),
            Some(_) => Ok(()),
            None => {
                self.agent = Some((agent, kind));
                Ok(())
            }
        }
    }
}

/// Finds the agent that a message on the federated endpoint continues with: the owner of its task, else of
/// its context, else of the first task it refers to. All of its ids must belong to that agent.
pub(super) async fn continuation(
    gateway: &Gateway,
    call: &Call,
    message: &MessageView<'_>,
) -> Result<Continuation, Failure> {
    let caller = call.caller.binding();
    let mut found = Continuation::default();
    if let Some(id) = &message.task_id {
        let agent = open(gateway, IdKind::Task, id, &caller)?.agent;
        found.claim(agent, DecisionKind::Owner, "message.taskId")?;
    }
    if let Some(id) = &message.context_id {
        let agent = if id.starts_with(SEALED_PREFIX) {
            Some(open(gateway, IdKind::Context, id, &caller)?.agent)
        } else {
            found.own_context = Some(id.to_string());
            context_agent(gateway, &caller, id).await?
        };
        if let Some(agent) = agent {
            found.claim(agent, DecisionKind::Context, "message.contextId")?;
        }
    }
    for id in &message.reference_task_ids {
        let agent = open(gateway, IdKind::Task, id, &caller)?.agent;
        found.claim(agent, DecisionKind::Context, "message.referenceTaskIds")?;
    }
    Ok(found)
}

async fn context_agent(
    gateway: &Gateway,
    caller: &str,
    id: &str,
) -> Result<Option<AgentId>, Failure> {
    let known = gateway.contexts.agent(&*gateway.store, caller, id);
    known.await.map_err(|error| {
        tracing::error!(error = %error, "the agent of a context could not be looked up");
        Failure::internal("the agent of the context could not be looked up")
    })
}

/// Remembers which agent got a context of the client's own making.
pub(super) async fn remember_context(
    gateway: &Gateway,
    call: &Call,
    context_id: &str,
    agent: &AgentId,
) {
    let note = Note::Context {
        caller: call.caller.binding(),
        context_id: context_id.to_owned(),
        agent: agent.clone(),
        at: jiff::Timestamp::now(),
    };
    gateway.note(note).await;
}

/// Finds out whether the context in an agent's answer is one the client made, and so must stay as it is.
/// Sends know it from the request; later operations ask the store.
pub(super) async fn recognise_context(
    gateway: &Gateway,
    caller: &str,
    context_id: &str,
    ids: &mut Ids,
) {
    let Ids::Sealed(seals) = &*ids else { return };
    let known = context_agent(gateway, caller, context_id).await;
    if matches!(known, Ok(Some(agent)) if agent == seals.agent) {
        ids.keep_context(context_id);
    }
}

/// Names the tenant that an interface belongs to (A2A 1.0 §8.3.2); it stands first among the parameters.
pub(super) fn with_tenant(params: Vec<u8>, tenant: Option<&str>) -> Vec<u8> {
    let Some(tenant) = tenant else { return params };
    let Some(open) = params.iter().position(|&byte| byte == b'{') else {
        return params;
    };
    let rest = &params[open + 1..];
    let empty = rest.trim_ascii_start().first() == Some(&b'}');
    let mut named = Vec::with_capacity(params.len() + tenant.len() + 16);
    named.extend_from_slice(b"{\"tenant\":");
    named.extend_from_slice(serde_json::Value::from(tenant).to_string().as_bytes());
    if !empty {
        named.push(b',');
    }
    named.extend_from_slice(rest);
    named
}
