//! One exchange with an agent: send a request, read what kind of answer it is, measure both.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use gateway_protocol::{
    jsonrpc::{self, Outcome, Response},
    sse,
};
use jiff::Timestamp;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{Call, Gateway, Trail, affinity};
use crate::{
    catalog::{CatalogAgent, Endpoint},
    decision::Attempt,
    failure::Failure,
    ports::{AgentRequest, AnswerBody, AttemptError},
    route::ROUTING_EXTENSION,
    stats::{InFlight, Mode},
};

/// What came back from an agent.
pub(super) struct Exchanged {
    /// Extension URIs the agent activated.
    pub(super) extensions: Vec<String>,
    /// The content.
    pub(super) content: Content,
}

/// The content of an agent's answer.
pub(super) enum Content {
    /// The raw result.
    Result(Box<RawValue>),
    /// The raw error object.
    Error(Box<RawValue>),
    /// A stream that has just begun.
    Events(Events),
}

/// A stream from an agent, with the place it takes among the agent's requests.
pub(super) struct Events {
    pub(super) items: BoxStream<'static, Result<sse::Item, AttemptError>>,
    pub(super) place: InFlight,
    pub(super) begun: Begun,
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
        }
    }
}

/// How an exchange went wrong, and how far it got.
pub(super) struct Broken {
    pub(super) failure: Failure,
    pub(super) attempt: Attempt,
}

impl Broken {
    /// Tells whether the agent may have got the request.
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
) -> Result<(Exchanged, Begun), Box<Broken>> {
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
    let request =
        request(gateway, call, agent, endpoint).map_err(|failure| broken("prepare", failure))?;
    let answer = gateway.agents.send(request).await;
    trail.upstream = begun.instant.elapsed();
    let answer = answer.map_err(|error| {
        agent.stats.failed(Instant::now());
        broken(error.kind.phase(), Failure::attempt(&agent.spec.id, &error))
    })?;
    let content = match answer.body {
        AnswerBody::Events(items) if call.operation.is_streaming() => Content::Events(Events {
            items,
            place,
            begun,
        }),
        AnswerBody::Events(_) => {
            agent.stats.failed(Instant::now());
            let found = "an event stream to a call that is not a stream";
            return Err(broken(
                "response",
                Failure::malformed(&agent.spec.id, answer.status, found),
            ));
        }
        AnswerBody::Whole(body) => match read(&body) {
            Ok(content) => {
                agent
                    .stats
                    .answered(mode(call), trail.upstream, Instant::now());
                content
            }
            Err(found) => {
                count_malformed(agent, answer.status);
                let mut failure = Failure::malformed(&agent.spec.id, answer.status, &found);
                failure.retry_after = answer.retry_after;
                return Err(broken("response", failure));
            }
        },
    };
    trail.agent_error = matches!(content, Content::Error(_));
    Ok((
        Exchanged {
            extensions: answer.extensions,
            content,
        },
        begun,
    ))
}

fn request(
    gateway: &Gateway,
    call: &Call,
    agent: &CatalogAgent,
    endpoint: &Endpoint,
) -> Result<AgentRequest, Failure> {
    let params = affinity::inward(gateway, call, &agent.spec.id)?;
    let params = affinity::with_tenant(params, endpoint.tenant.as_deref());
    let method = call
        .operation
        .method(endpoint.version)
        .ok_or_else(|| Failure::internal("the operation has no method in the agent's version"))?;
    Ok(AgentRequest {
        agent: Arc::clone(&agent.spec),
        url: endpoint.url.clone(),
        version: endpoint.version,
        streaming: call.operation.is_streaming(),
        body: Bytes::from(jsonrpc::request(call.rpc_id.as_deref(), method, &params)),
        extensions: for_agent(&call.extensions),
        trace: call.trace.clone(),
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

fn read(body: &[u8]) -> Result<Content, String> {
    match Response::parse(body)
        .map_err(|malformed| malformed.to_string())?
        .outcome
    {
        Outcome::Result(result) => Ok(Content::Result(result.to_owned())),
        Outcome::Error(error) => Ok(Content::Error(error.to_owned())),
    }
}

pub(super) fn mode(call: &Call) -> Mode {
    if call.operation.is_streaming() {
        Mode::Stream
    } else {
        Mode::Unary
    }
}

/// Client mistakes (4xx) say nothing about an agent's health; an overloaded one sheds load on purpose.
fn count_malformed(agent: &CatalogAgent, status: u16) {
    if !(400..500).contains(&status) && status != 503 {
        agent.stats.failed(Instant::now());
    }
}
