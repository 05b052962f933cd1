//! One exchange with an agent: prepare the request, send it once, measure what comes back.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use gateway_protocol::Version;
use jiff::Timestamp;
use tokio::time::Instant;

use super::{Call, Gateway, Trail, affinity, bridge::Bridge, doubt};
use crate::{
    catalog::{CatalogAgent, Endpoint},
    decision::Attempt,
    failure::Failure,
    ports::{AgentEvent, AgentRequest, AnswerContent, AttemptError, AttemptErrorKind, Said},
    route::ROUTING_EXTENSION,
    stats::{InFlight, Mode},
};

/// What came back from an agent.
pub(super) struct Exchanged {
    /// Extension URIs the agent activated.
    pub(super) extensions: Vec<String>,
    /// The content.
    pub(super) content: Content,
    /// When the request began.
    pub(super) begun: Begun,
    /// What converts the content for the client.
    pub(super) bridge: Bridge,
}

/// The content of an agent's answer.
pub(super) enum Content {
    /// One answer.
    One(Said),
    /// A stream that has just begun.
    Events(Events),
}

/// A stream from an agent, with the place it takes among the agent's requests.
pub(super) struct Events {
    pub(super) items: BoxStream<'static, Result<AgentEvent, AttemptError>>,
    pub(super) place: InFlight,
}

/// When a request began, for the record and the measurements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    pub(super) at: Timestamp,
    pub(super) instant: Instant,
}

impl Begun {
    fn now() -> Self {
        Self {
            at: Timestamp::now(),
            instant: Instant::now(),
        }
    }

    /// Describes the attempt that began then, as it ended now.
    pub(super) fn attempt(
        self,
        agent: &CatalogAgent,
        phase: &str,
        failure: Option<&Failure>,
    ) -> Attempt {
        Attempt {
            agent: agent.spec.id.clone(),
            started_at: self.at,
            phase: phase.to_owned(),
            outcome: failure.map_or("ok", |failure| failure.kind).to_owned(),
            detail: failure.map(|failure| failure.error.message.clone()),
            ms: u64::try_from(self.instant.elapsed().as_millis()).unwrap_or(u64::MAX),
            // They are noted on their own, as they become known.
            losses: BTreeMap::new(),
        }
    }
}

/// How an exchange went wrong, and how far it got.
pub(super) struct Broken {
    pub(super) failure: Failure,
    pub(super) attempt: Attempt,
}

impl Broken {
    /// Tells whether the agent may have got the request all the same.
    pub(super) fn may_have_arrived(&self) -> bool {
        !matches!(self.attempt.phase.as_str(), "prepare" | "connect")
    }
}

/// Sends a call to an agent, once.
pub(super) async fn exchange(
    gateway: &Gateway,
    call: &Call,
    to: (&Arc<CatalogAgent>, &Endpoint),
    trail: &mut Trail,
) -> Result<Exchanged, Box<Broken>> {
    let (agent, endpoint) = to;
    trail.agent = Some(agent.spec.id.clone());
    let begun = Begun::now();
    let broken = |phase: &str, failure: Failure| {
        let attempt = begun.attempt(agent, phase, Some(&failure));
        Box::new(Broken { failure, attempt })
    };
    let limit = agent.spec.limits.max_in_flight;
    let place = agent
        .stats
        .enter(limit)
        .ok_or_else(|| broken("connect", Failure::saturated(&agent.spec.id, limit)))?;
    let mut bridge = Bridge::between(call, endpoint);
    let request =
        request(gateway, call, to, &mut bridge).map_err(|failure| broken("prepare", failure))?;
    let answer = gateway.agents.send(request).await;
    trail.upstream = begun.instant.elapsed();
    let answer = answer.map_err(|error| {
        doubt::after_failure(&gateway.registry, agent, &error);
        broken_by(agent, &error, broken)
    })?;
    let content = match answer.content {
        AnswerContent::Events(items) if call.operation.is_streaming() => {
            Content::Events(Events { items, place })
        }
        AnswerContent::Events(_) => {
            return Err(broken_by(agent, &unexpected_stream(agent), broken));
        }
        AnswerContent::One(said) => {
            agent
                .stats
                .answered(mode(call), trail.upstream, Instant::now());
            trail.agent_error = matches!(said, Said::Error(_));
            doubt::after_answer(&gateway.registry, agent, &said);
            Content::One(said)
        }
    };
    Ok(Exchanged {
        extensions: answer.extensions,
        content,
        begun,
        bridge,
    })
}

fn broken_by(
    agent: &CatalogAgent,
    error: &AttemptError,
    broken: impl Fn(&str, Failure) -> Box<Broken>,
) -> Box<Broken> {
    if error.kind.harms_health() {
        agent.stats.failed(Instant::now());
    }
    broken(error.kind.phase(), Failure::attempt(&agent.spec.id, error))
}

fn unexpected_stream(agent: &CatalogAgent) -> AttemptError {
    AttemptError {
        kind: AttemptErrorKind::Malformed,
        sent: true,
        detail: format!(
            "agent `{}` answered an event stream to a call that is not a stream",
            agent.spec.id
        ),
        retry_after: None,
    }
}

fn request(
    gateway: &Gateway,
    call: &Call,
    to: (&Arc<CatalogAgent>, &Endpoint),
    bridge: &mut Bridge,
) -> Result<AgentRequest, Failure> {
    let (agent, endpoint) = to;
    let params = affinity::inward(gateway, call, &agent.spec.id)?;
    let params = bridge.params(call.operation, params)?;
    // 0.3 has no tenants: there, an address is all that tells them apart.
    let tenant = endpoint.tenant.as_deref();
    let tenant = tenant.filter(|_| endpoint.version == Version::V1);
    let params = affinity::with_tenant(params, tenant);
    Ok(AgentRequest {
        agent: Arc::clone(&agent.spec),
        endpoint: endpoint.clone(),
        operation: call.operation,
        rpc_id: call.rpc_id.clone(),
        params: Bytes::from(params),
        extensions: for_agent(&call.extensions),
        trace: call.trace.clone(),
        losses: call.losses.clone(),
    })
}

/// The gateway's own extension is activated here and is none of the agent's business.
fn for_agent(declared: &[String]) -> Vec<String> {
    declared
        .iter()
        .filter(|uri| *uri != ROUTING_EXTENSION)
        .cloned()
        .collect()
}

pub(super) fn mode(call: &Call) -> Mode {
    if call.operation.is_streaming() {
        Mode::Stream
    } else {
        Mode::Unary
    }
}
