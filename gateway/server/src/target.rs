//! Whom a request addresses: all agents, or the one that its path, its tenant or its metadata names.

use gateway_core::{AgentId, Failure, Target};
use gateway_protocol::{Error, ErrorKind, split_tenant};
use serde_json::{Value, value::RawValue};

use crate::State;

/// Finds the agent of a name.
pub(crate) fn agent(state: &State, name: &str) -> Result<Target, Failure> {
    AgentId::parse(name)
        .ok()
        .filter(|id| state.gateway.registry.catalog().agent(id).is_some())
        .map(Target::Agent)
        .ok_or_else(|| Failure::unknown_agent(&name.chars().take(64).collect::<String>()))
}

/// Narrows a target to the agent that another part of the request names; both must mean the same agent.
pub(crate) fn narrow(state: &State, target: Target, name: Option<&str>) -> Result<Target, Failure> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Ok(target);
    };
    match target {
        Target::Federated => agent(state, name),
        Target::Agent(id) if id.as_str() == name => Ok(Target::Agent(id)),
        Target::Agent(id) => {
            let name: String = name.chars().take(64).collect();
            let text = format!("the request names agent `{id}` and agent `{name}`; name one");
            let error = Error::new(ErrorKind::InvalidParams, text);
            Err(Failure::bad_request(error.field_violation(
                "tenant",
                "must name the agent of the address",
            )))
        }
    }
}

/// Narrows a target to the agent that the tenant of 1.0 parameters names, and takes it out of them. It is the
/// gateway's own, as its cards name it; the agent's is added on the way to the agent.
pub(crate) fn narrow_by_tenant(
    state: &State,
    target: Target,
    params: &RawValue,
) -> Result<(Target, Box<RawValue>), Failure> {
    let (tenant, params) = split_tenant(params).map_err(Failure::bad_request)?;
    let target = narrow(state, target, tenant.as_deref())?;
    Ok((target, params.into_owned()))
}

/// Takes the tenant out of a tree of parameters.
pub(crate) fn take_tenant(params: &mut Value) -> Option<String> {
    let tenant = params.as_object_mut()?.shift_remove("tenant")?;
    tenant.as_str().map(str::to_owned)
}
