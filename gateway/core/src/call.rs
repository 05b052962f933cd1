//! The phases of a call: route, prepare, forward, relay, record.
//!
//! Listeners decode a request into a [`Call`] and render the [`Reply`] or [`Failure`] in the caller's binding;
//! everything in between happens here, the same for every binding.

mod affinity;
mod bridge;
mod course;
mod doubt;
mod exchange;
mod explain;
mod extended_card;
mod feedback;
mod list;
mod lookup;
mod push;
mod reach;
mod record;
mod relay;
mod send;
mod stream;
mod subscribe;
mod task_operation;
mod usage;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use gateway_protocol::{Binding, ErrorKind, Operation, Version, translate::Dialect};
use serde_json::value::RawValue;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

pub use explain::{CannotExplain, Explain};
pub use feedback::FeedbackError;

use crate::{
    agent::AgentId,
    caller::Caller,
    failure::Failure,
    learning::Learner,
    losses::LossLedger,
    meaning::FitEngine,
    ports::{AgentClient, Answered, Observer, Store},
    profile::VersionedProfile,
    push::PushRelay,
    registry::Registry,
    route::rules::Rules,
    task::{contexts::Contexts, seal::KeyRing},
    trace::TraceContext,
};

/// How long a call waits for the card of an agent that has just been registered.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);

/// One operation a client asks for.
#[derive(Debug, Clone)]
pub struct Call {
    /// All agents, or one.
    pub target: Target,
    /// The protocol version the client speaks.
    pub version: Version,
    /// The binding it came by.
    pub binding: Binding,
    /// The JSON dialect of parameters and answers: that of the client's binding and version.
    pub dialect: Dialect,
    /// What it asks for.
    pub operation: Operation,
    /// The id of the JSON-RPC request as spelled, used towards the agent as well.
    pub rpc_id: Option<Box<RawValue>>,
    /// The parameters as received.
    pub params: Box<RawValue>,
    /// Extension URIs the client declares.
    pub extensions: Vec<String>,
    /// Who calls.
    pub caller: Caller,
    /// The trace the call belongs to.
    pub trace: TraceContext,
    /// When it was accepted.
    pub received: Instant,
    /// What its conversions lose.
    pub losses: LossLedger,
}

/// Whom a client addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The gateway: it chooses the agent, and ids are sealed.
    Federated,
    /// One agent by its path: ids pass untouched.
    Agent(AgentId),
}

/// What a client gets.
#[derive(Debug)]
pub struct Reply {
    /// The decision behind it.
    pub decision: Option<String>,
    /// Extension URIs the agent activated.
    pub extensions: Vec<String>,
    /// The content.
    pub body: ReplyBody,
}

/// The content of a reply, without its envelope.
pub enum ReplyBody {
    /// One answer.
    One(Payload),
    /// Events as they arrive.
    Events(BoxStream<'static, RelayItem>),
}

impl fmt::Debug for ReplyBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(payload) => formatter.debug_tuple("One").field(payload).finish(),
            Self::Events(_) => formatter.write_str("Events(..)"),
        }
    }
}

/// What stands in the `result` or `error` member of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// A result, as JSON.
    Result(Bytes),
    /// An error object, as JSON.
    Error(Bytes),
}

/// One thing on a relayed stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelayItem {
    /// An event.
    Event {
        /// Its SSE name.
        name: Option<String>,
        /// Its SSE id.
        id: Option<String>,
        /// Its content.
        payload: Payload,
    },
    /// A comment, which keeps the connection alive.
    Comment(String),
}

impl RelayItem {
    /// Makes an event without SSE name or id.
    fn unnamed(payload: Payload) -> Self {
        Self::Event {
            name: None,
            id: None,
            payload,
        }
    }
}

/// Everything calls need.
#[derive(Debug)]
pub struct Gateway {
    /// The agents.
    pub registry: Arc<Registry>,
    /// Where decisions and tasks are recorded.
    pub store: Arc<dyn Store>,
    /// The leg towards agents.
    pub agents: Arc<dyn AgentClient>,
    /// What seals ids.
    pub seals: Arc<KeyRing>,
    /// What is known of contexts of the clients' own making.
    pub contexts: Contexts,
    /// What is asked of every message before anybody is considered.
    pub rules: Rules,
    /// Whether decisions hold the text of their message.
    pub record_text: bool,
    /// Routing profiles by name.
    pub profiles: BTreeMap<String, VersionedProfile>,
    /// The profile of calls that name none.
    pub default_profile: String,
    /// The names of the profiles that decide beside the one in use, without effect.
    pub shadow: Vec<String>,
    /// Hash of the configuration.
    pub config_version: String,
    /// What keeps current what decisions have taught.
    pub learner: Learner,
    /// What says how well an agent fits.
    pub fit: FitEngine,
    /// The relay of push notifications.
    pub push: PushRelay,
    /// Who counts.
    pub observer: Arc<dyn Observer>,
    /// Work that outlives the connection it came from; shutdown waits for it.
    pub work: TaskTracker,
}

/// What is known of a call when it ends, for the counters.
#[derive(Debug, Default)]
struct Trail {
    agent: Option<AgentId>,
    upstream: Duration,
    agent_error: bool,
}

impl Gateway {
    /// Handles one call.
    ///
    /// A message that was sent is seen through to its record even when the client disconnects meanwhile.
    ///
    /// # Errors
    /// [`Failure`] for everything that is not the agent's own answer.
    pub async fn handle(self: &Arc<Self>, call: Call) -> Result<Reply, Failure> {
        if call.operation.sends_message() {
            let gateway = Arc::clone(self);
            let sent = self.work.spawn(async move { gateway.run(call).await });
            return sent
                .await
                .unwrap_or_else(|_| Err(Failure::internal("the call was aborted")));
        }
        self.run(call).await
    }

    /// Returns what counts the losses of a new call.
    #[must_use]
    pub fn loss_ledger(&self) -> LossLedger {
        let (observer, store) = (Arc::clone(&self.observer), Arc::clone(&self.store));
        LossLedger::new(observer, store, self.work.clone())
    }

    async fn run(self: &Arc<Self>, call: Call) -> Result<Reply, Failure> {
        let mut trail = Trail::default();
        let result = self.dispatch(&call, &mut trail).await;
        let outcome = match &result {
            Ok(_) if trail.agent_error => "agent_error",
            Ok(_) => "ok",
            Err(failure) => failure.kind,
        };
        log(&call, &trail, outcome, &result);
        self.observer.answered(&Answered {
            agent: trail.agent.as_ref(),
            operation: call.operation,
            outcome,
            took: call.received.elapsed(),
            upstream: trail.upstream,
        });
        result
    }

    async fn dispatch(self: &Arc<Self>, call: &Call, trail: &mut Trail) -> Result<Reply, Failure> {
        gateway_protocol::check_params(call.operation, call.dialect, Some(&call.params))
            .map_err(Failure::bad_request)?;
        match call.operation {
            Operation::SendMessage | Operation::SendStreamingMessage => {
                send::Send {
                    gateway: self,
                    call,
                }
                .run(trail)
                .await
            }
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
                task_operation::run(self, call, trail).await
            }
            Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig => push::run(self, call, trail).await,
            Operation::ListTasks => list::run(self, call, trail).await,
            Operation::GetExtendedAgentCard => extended_card::run(self, call, trail).await,
        }
    }

    fn profile(&self) -> Result<&VersionedProfile, Failure> {
        self.profiles
            .get(&self.default_profile)
            .ok_or_else(|| Failure::internal("the default routing profile does not exist"))
    }

    /// Returns the profiles that decide beside the one in use.
    fn shadows(&self) -> Vec<&VersionedProfile> {
        let names = self.shadow.iter();
        names.filter_map(|name| self.profiles.get(name)).collect()
    }
}

/// Writes one line per call: what the caller did wrong and what went well are for those who look for it.
fn log(call: &Call, trail: &Trail, outcome: &str, result: &Result<Reply, Failure>) {
    let operation = call.operation.name();
    let agent = trail.agent.as_ref().map_or("-", AgentId::as_str);
    let took_ms = u64::try_from(call.received.elapsed().as_millis()).unwrap_or(u64::MAX);
    match result {
        Err(failure) if failure.error.kind == ErrorKind::Internal => tracing::warn!(
            agent.id = agent,
            outcome,
            took_ms,
            trace.id = call.trace.trace_id(),
            decision.id = failure.decision.as_deref().unwrap_or("-"),
            "{operation} failed: {}",
            failure.error.message
        ),
        _ => tracing::debug!(
            agent.id = agent,
            outcome,
            took_ms,
            trace.id = call.trace.trace_id(),
            "{operation} answered"
        ),
    }
}
