//! What tests of several modules need: a gateway with one agent that is no network away.

mod nothing;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use agent_cards::{Card, TrustedKeys};
use async_trait::async_trait;
use axum::{
    body::Body,
    http::{HeaderMap, Request, StatusCode},
};
use futures_util::{StreamExt as _, stream};
use gateway_core::{
    AgentAuth, AgentId, AgentSpec, CardPolicy, CardTrust, Cost, Effect, FitEngine, Gateway, Limits,
    Profile, Registry, ServeCard,
    ports::{
        AgentAnswer, AgentClient, AgentEvent, AgentRequest, AnswerContent, AttemptError, CardFetch,
        FetchedCard, Said,
    },
    route::rules::Rules,
    task::{contexts::Contexts, seal::KeyRing},
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json, value::to_raw_value};
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;
use url::Url;

use crate::{Metrics, Settings, State};
pub(crate) use nothing::CALLBACK;

/// The largest request body the gateway takes.
pub(crate) const MAX_BODY: usize = 4096;

/// Settings as they are by default, but for limits that tests can reach.
pub(crate) fn settings() -> Settings {
    Settings {
        public_url: None,
        trusted_proxies: Vec::new(),
        max_body: MAX_BODY,
        body_time: Duration::from_millis(300),
        keep_alive: Duration::from_secs(60),
        unread: Duration::from_secs(60),
        card_key: None,
        admin_is_local: true,
        strict_versions: false,
    }
}

/// What an agent does with a request.
type Answers = dyn Fn(&AgentRequest) -> Result<AgentAnswer, AttemptError> + Send + Sync;

/// A gateway with the agents `alpha` and `beta`, which answer alike in 1.0 over JSON-RPC.
pub(crate) struct World {
    pub(crate) state: State,
    seen: Arc<Mutex<Vec<AgentRequest>>>,
}

impl World {
    pub(crate) fn new(
        answers: impl Fn(&AgentRequest) -> Result<AgentAnswer, AttemptError> + Send + Sync + 'static,
    ) -> Self {
        let seen = Arc::default();
        let agents = Agents {
            answers: Box::new(answers),
            seen: Arc::clone(&seen),
        };
        let metrics = Arc::new(Metrics::default());
        let gateway = Gateway {
            registry: registry(&["alpha", "beta"]),
            store: Arc::new(nothing::NoStore),
            agents: Arc::new(agents),
            seals: Arc::new(KeyRing::new(&[[7; 32]]).unwrap()),
            contexts: Contexts::default(),
            rules: Rules::default(),
            record_text: false,
            profiles: BTreeMap::from([("balanced".to_owned(), profile().into())]),
            default_profile: "balanced".to_owned(),
            shadow: Vec::new(),
            config_version: "test".to_owned(),
            observer: Arc::clone(&metrics) as _,
            learner: gateway_core::Learner::new(gateway_core::Learning::default()),
            fit: FitEngine::Lexical,
            push: nothing::push(),
            work: TaskTracker::new(),
        };
        Self {
            state: State::new(Arc::new(gateway), metrics, settings()),
            seen,
        }
    }

    /// Makes a world whose agents answer every request with the same result.
    pub(crate) fn answering(result: Value) -> Self {
        Self::new(move |_| Ok(one(Said::Result(to_raw_value(&result).unwrap()))))
    }

    /// Makes a world whose agents answer every request with the same events.
    pub(crate) fn streaming(events: Vec<Said>) -> Self {
        Self::new(move |_| Ok(several(events.clone())))
    }

    /// Takes requests that name no version for 0.3.
    pub(crate) fn strict(mut self) -> Self {
        Arc::make_mut(&mut self.state.settings).strict_versions = true;
        self
    }

    /// Returns what the agents were asked: who, and with which parameters.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .map(|request| {
                let params = serde_json::from_slice(&request.params).unwrap();
                (request.agent.id.as_str().to_owned(), params)
            })
            .collect()
    }

    /// Returns the bytes of the parameters that the agents were sent last.
    pub(crate) fn last_params(&self) -> String {
        let seen = self.seen.lock().unwrap();
        String::from_utf8(seen.last().unwrap().params.to_vec()).unwrap()
    }

    /// Sends a request to the public router.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answered {
        let router = crate::public_router(self.state.clone());
        let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answered {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    /// Returns the metrics as text.
    pub(crate) fn metrics(&self) -> String {
        self.state.metrics.render(&self.state)
    }
}

/// A response, read whole.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answered {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }
}

pub(crate) fn result(value: &Value) -> Said {
    Said::Result(to_raw_value(value).unwrap())
}

pub(crate) fn error(value: &Value) -> Said {
    Said::Error(to_raw_value(value).unwrap())
}

pub(crate) fn one(said: Said) -> AgentAnswer {
    AgentAnswer {
        extensions: vec!["https://x.example/e".to_owned()],
        content: AnswerContent::One(said),
    }
}

fn several(events: Vec<Said>) -> AgentAnswer {
    let events = events.into_iter().map(|said| {
        Ok(AgentEvent::Event {
            name: None,
            id: None,
            said,
        })
    });
    AgentAnswer {
        extensions: Vec::new(),
        content: AnswerContent::Events(stream::iter(events).boxed()),
    }
}

struct Agents {
    answers: Box<Answers>,
    seen: Arc<Mutex<Vec<AgentRequest>>>,
}

impl fmt::Debug for Agents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Agents")
    }
}

#[async_trait]
impl AgentClient for Agents {
    async fn send(&self, request: AgentRequest) -> Result<AgentAnswer, AttemptError> {
        let answer = (self.answers)(&request);
        self.seen.lock().unwrap().push(request);
        answer
    }
}

fn registry(names: &[&str]) -> Arc<Registry> {
    let specs: Vec<_> = names.iter().map(|name| spec(name)).collect();
    let fetched = specs.iter().map(|spec| (spec.id.clone(), fetched()));
    let fetched = fetched.collect();
    let registry = Registry::new(specs);
    registry.apply(fetched, jiff::Timestamp::now());
    registry
}

fn spec(name: &str) -> AgentSpec {
    AgentSpec {
        id: AgentId::parse(name).unwrap(),
        url: Url::parse("http://agent.test/").unwrap(),
        card: CardPolicy {
            trust: CardTrust::default(),
            serve: ServeCard::default(),
            url: None,
            auth: AgentAuth::None,
            ttl: Duration::from_secs(300),
            max_stale: Duration::from_secs(3600),
            timeout: Duration::from_secs(10),
            max_bytes: 1 << 20,
        },
        auth: AgentAuth::None,
        limits: Limits {
            connect: Duration::from_secs(5),
            timeout: Duration::from_secs(60),
            stream_idle: Duration::from_secs(300),
            max_in_flight: 4,
            max_response_bytes: 1 << 24,
            max_event_bytes: 1 << 22,
        },
        quality: 0.8,
        latency: None,
        cost: Cost {
            per_request: 0.0,
            usage_pointer: None,
            per_unit: 1.0,
            currency: "EUR".to_owned(),
        },
        effect: Effect::Read,
        preference: 0,
        skills: BTreeMap::new(),
        own: [].into(),
    }
}

fn fetched() -> CardFetch {
    let card = json!({
        "name": "echo", "description": "says hello", "version": "1",
        "capabilities": { "streaming": true, "pushNotifications": true, "extendedAgentCard": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "hello", "name": "hello", "description": "says hello", "tags": ["hello"] }],
        "supportedInterfaces": [
            { "url": "http://agent.test/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
    });
    let card = Card::parse(card.to_string().as_bytes()).unwrap();
    CardFetch {
        result: Ok(FetchedCard {
            verification: agent_cards::verify(&card, &TrustedKeys::new()),
            missing_keys: Vec::new(),
            card,
            location: Url::parse("http://agent.test/.well-known/agent-card.json").unwrap(),
            fresh_for: Duration::from_secs(60),
            stale_while_revalidate: Duration::ZERO,
            stale_if_error: None,
        }),
        tried: Vec::new(),
        retry_after: None,
    }
}

fn profile() -> Profile {
    Profile {
        min_fit: 0.0,
        max_risk: 1.0,
        ..Profile::balanced()
    }
}
