//! Operations on a task that exists: they go to the agent that owns it.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    Call, Gateway, Payload, Reply, ReplyBody, SETTLE_LIMIT, Target, Trail,
    affinity::{self, Ids},
    exchange::{Content, exchange},
    relay::Relay,
    send::supported_versions,
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
    let (exchanged, _begun) = exchange(gateway, call, (&chosen.agent, &chosen.endpoint), trail)
        .await
        .map_err(|broken| broken.failure)?;
    let relay = Relay::new(gateway, call, agent, Ids::of(gateway, call, &owner));
    let body = match exchanged.content {
        Content::Error(error) => ReplyBody::One(Payload::Error(relay.ids.error(&error).into())),
        Content::Result(result) => relay.one(&result).await,
        Content::Events(events) => ReplyBody::Events(relay.stream(events)),
    };
    Ok(Reply {
        decision: None,
        extensions: exchanged.extensions,
        body,
    })
}
