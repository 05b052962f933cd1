//! The extended card of one agent (A2A §3.1.11): asked of the agent for each caller, never kept, never merged into
//! the public card.
//!
//! The result is the agent's own card. The listener publishes it with the gateway's addresses, as it does with
//! public cards.

use std::sync::Arc;

use bytes::Bytes;
use gateway_protocol::{ErrorKind, Version};

use super::{
    Call, Gateway, Payload, Reply, ReplyBody, Target, Trail,
    exchange::{Content, exchange},
    reach::Reached,
};
use crate::{agent::AgentId, failure::Failure, ports::Said};

pub(super) async fn run(
    gateway: &Arc<Gateway>,
    call: &Call,
    trail: &mut Trail,
) -> Result<Reply, Failure> {
    // The federation has no card beyond the public one.
    let Target::Agent(id) = &call.target else {
        return Err(not_configured(call));
    };
    let agent = &Reached::wait(gateway, call, id).await?.agent;
    let accepted = agent.status.accepted.as_ref();
    let accepted = accepted.ok_or_else(|| unavailable(id, agent.status.problem.as_deref()))?;
    if !accepted.card.capabilities().extended_card {
        return Err(not_configured(call));
    }
    let endpoint = accepted
        .endpoint(call.version, call.binding)
        .ok_or_else(|| not_configured(call))?;
    let exchanged = exchange(gateway, call, (agent, endpoint), trail)
        .await
        .map_err(|broken| broken.failure)?;
    let payload = match exchanged.content {
        Content::One(Said::Result(card)) => Payload::Result(bytes_of(&card)),
        Content::One(Said::Error(error)) => Payload::Error(bytes_of(&error)),
        Content::Events(_) => return Err(Failure::internal("a card cannot be a stream")),
    };
    Ok(Reply {
        decision: None,
        extensions: exchanged.extensions,
        body: ReplyBody::One(payload),
    })
}

fn bytes_of(raw: &serde_json::value::RawValue) -> Bytes {
    Bytes::copy_from_slice(raw.get().as_bytes())
}

fn unavailable(agent: &AgentId, problem: Option<&str>) -> Failure {
    let problem = problem.unwrap_or("its card has not been fetched yet");
    Failure::unavailable(agent, problem)
}

/// What each version says of an agent without an extended card.
fn not_configured(call: &Call) -> Failure {
    let kind = match call.version {
        Version::V03 => ErrorKind::ExtendedAgentCardNotConfigured,
        Version::V1 => ErrorKind::UnsupportedOperation,
    };
    Failure::unsupported(kind, "an extended card here")
}
