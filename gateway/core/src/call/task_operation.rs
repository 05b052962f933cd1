//! Operations on a task that exists: they go to the agent that owns it.

use std::sync::Arc;

use gateway_protocol::Operation;

use super::{
    Call, Gateway, Reply, ReplyBody, Trail,
    affinity::{self, Ids},
    exchange::{Content, exchange},
    reach::Reached,
    relay::Relay,
    subscribe,
};
use crate::{agent::AgentId, failure::Failure, ports::Note, route::Features};

pub(super) async fn run(
    gateway: &Arc<Gateway>,
    call: &Call,
    trail: &mut Trail,
) -> Result<Reply, Failure> {
    let owner = affinity::owner(gateway, call)?;
    let reached = Reached::wait(gateway, call, &owner).await?;
    let features = Features {
        extensions: call.extensions.clone(),
        ..Features::default()
    };
    let chosen = reached.choose(gateway, call, &features)?;
    let to = (&chosen.agent, &chosen.endpoint);
    if call.operation == Operation::CancelTask {
        note_cancel(gateway, call, &owner).await?;
    }
    let mut exchanged = exchange(gateway, call, to, trail)
        .await
        .map_err(|broken| broken.failure)?;
    if call.operation == Operation::SubscribeToTask {
        exchanged = subscribe::reconcile(gateway, call, to, exchanged, trail).await?;
    }
    let ids = Ids::of(gateway, call, &owner);
    let from = (&chosen.endpoint, exchanged.bridge);
    let relay = Relay::new(gateway, call, &chosen.agent, ids, from);
    let body = match exchanged.content {
        Content::One(said) => relay.one(&said).await?,
        Content::Events(events) => {
            let task_id = affinity::task_of(gateway, call)?;
            ReplyBody::Events(relay.about(task_id).stream(events, exchanged.begun))
        }
    };
    Ok(Reply {
        decision: None,
        extensions: exchanged.extensions,
        body,
    })
}

/// Notes who wants the cancellation, before it can be seen.
async fn note_cancel(gateway: &Gateway, call: &Call, owner: &AgentId) -> Result<(), Failure> {
    let task_id = affinity::task_of(gateway, call)?;
    let agent = owner.clone();
    gateway.note(Note::CancelAsked { agent, task_id }).await;
    Ok(())
}
