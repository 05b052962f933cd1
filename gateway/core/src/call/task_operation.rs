//! Operations on a task that exists: they go to the agent that owns it.

use std::sync::Arc;

use gateway_protocol::Operation;
use tokio::time::Instant;

use super::{
    Call, Gateway, Reply, ReplyBody, SETTLE_LIMIT, Target, Trail,
    affinity::{self, Ids},
    exchange::{Content, exchange},
    relay::Relay,
    send::supported_versions,
    subscribe,
};
use crate::{
    decision::DecisionKind,
    failure::Failure,
    route::{Features, Question, follow},
};

pub(super) async fn run(
    gateway: &Arc<Gateway>,
    call: &Call,
    trail: &mut Trail,
) -> Result<Reply, Failure> {
    let owner = affinity::owner(gateway, call)?;
    gateway.registry.settled(&owner, SETTLE_LIMIT).await;
    let catalog = gateway.registry.catalog();
    let agent = catalog.agent(&owner).ok_or_else(|| match call.target {
        Target::Agent(_) => Failure::unknown_agent(owner.as_str()),
        Target::Federated => Failure::task_not_found(),
    })?;
    let features = Features {
        extensions: call.extensions.clone(),
        ..Features::default()
    };
    let question = Question {
        catalog: &catalog,
        profile: gateway.profile()?,
        features: &features,
        version: call.version,
        dialect: call.dialect,
        now: Instant::now(),
    };
    let choice = follow(question, agent, DecisionKind::Owner);
    let Some(chosen) = choice.chosen else {
        let candidate = choice
            .candidates
            .first()
            .ok_or_else(Failure::task_not_found)?;
        return Err(Failure::ruled_out(
            candidate,
            call.version,
            &supported_versions(&catalog, &owner),
        ));
    };
    let to = (&chosen.agent, &chosen.endpoint);
    let mut exchanged = exchange(gateway, call, to, trail)
        .await
        .map_err(|broken| broken.failure)?;
    if call.operation == Operation::SubscribeToTask {
        exchanged = subscribe::reconcile(gateway, call, to, exchanged, trail).await?;
    }
    let ids = Ids::of(gateway, call, &owner);
    let from = (&chosen.endpoint, exchanged.bridge);
    let relay = Relay::new(gateway, call, agent, ids, from);
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
