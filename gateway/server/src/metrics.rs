//! Prometheus metrics. Labels are bounded: agents, rules and operations come from configuration and protocol.

use std::sync::atomic::AtomicU64;

use gateway_core::{
    AgentId,
    catalog::AgentState,
    decision::{Discard, RuleAction},
    ports::{Answered, Observer},
};
use gateway_protocol::translate::Loss;
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use crate::State;

const SECONDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0,
];
const MARGINS: [f64; 7] = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25];

/// The counters of the gateway.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Family<Timed, Histogram, fn() -> Histogram>,
    overhead: Histogram,
    discards: Family<Reason, Counter>,
    rules: Family<RuleLabel, Counter>,
    events: Family<Agent, Counter>,
    margin: Histogram,
    explorations: Family<ExplorationLabel, Counter>,
    shadows: Family<ShadowLabel, Counter>,
    losses: Family<LossLabel, Counter>,
    deliveries: Family<DeliveryLabel, Counter>,
    card_age: Family<Agent, Gauge<f64, AtomicU64>>,
    in_flight: Family<Agent, Gauge>,
    agents: Family<StateLabel, Gauge>,
    engine: Family<EngineLabel, Gauge>,
    encoded: Gauge,
    unread: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    agent: String,
    operation: &'static str,
    outcome: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Timed {
    agent: String,
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RuleLabel {
    rule: String,
    action: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EngineLabel {
    engine: &'static str,
    fallen_back: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ExplorationLabel {
    method: &'static str,
    explored: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ShadowLabel {
    profile: String,
    agrees: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LossLabel {
    loss: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DeliveryLabel {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Agent {
    agent: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("a2a_gateway"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            overhead: Histogram::new(SECONDS),
            discards: Family::default(),
            rules: Family::default(),
            events: Family::default(),
            margin: Histogram::new(MARGINS),
            explorations: Family::default(),
            shadows: Family::default(),
            losses: Family::default(),
            deliveries: Family::default(),
            card_age: Family::default(),
            in_flight: Family::default(),
            agents: Family::default(),
            engine: Family::default(),
            encoded: Gauge::default(),
            unread: Counter::default(),
        };
        metrics.register();
        metrics.register_beside();
        metrics.register_bridge();
        metrics.register_fit();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "Operations answered", self.requests.clone());
        registry.register_with_unit(
            "request",
            "Time to an answer, or to the start of a stream",
            Unit::Seconds,
            self.seconds.clone(),
        );
        registry.register_with_unit(
            "overhead",
            "Part of it not spent waiting for the agent",
            Unit::Seconds,
            self.overhead.clone(),
        );
        registry.register("discards", "Candidates ruled out", self.discards.clone());
        registry.register(
            "rule_matches",
            "Messages that a routing rule matched, by what it did",
            self.rules.clone(),
        );
        registry.register(
            "stream_events",
            "Stream events relayed",
            self.events.clone(),
        );
        registry.register(
            "decision_margin",
            "Best score minus the next best",
            self.margin.clone(),
        );
        registry.register_with_unit(
            "card_age",
            "Time since the agent confirmed its card",
            Unit::Seconds,
            self.card_age.clone(),
        );
        registry.register("in_flight", "Requests under way", self.in_flight.clone());
        registry.register(
            "agents",
            "Agents by state of their card",
            self.agents.clone(),
        );
    }

    fn register_beside(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "explorations",
            "Choices that chance had a part in, and whether another than the best was taken",
            self.explorations.clone(),
        );
        registry.register(
            "shadow_choices",
            "Messages a shadow profile decided about, and whether it would have taken the best agent too",
            self.shadows.clone(),
        );
    }

    fn register_bridge(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "conversion_losses",
            "Times a conversion between protocol versions left something out",
            self.losses.clone(),
        );
        registry.register(
            "push_deliveries",
            "Deliveries to webhooks that were tried",
            self.deliveries.clone(),
        );
    }

    fn register_fit(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "fit_engine",
            "1 for the engine that says what fits, and whether it stands in for another one",
            self.engine.clone(),
        );
        registry.register(
            "cards_encoded",
            "Agents whose card the sentence encoder has read; the others fit by words alone",
            self.encoded.clone(),
        );
        registry.register(
            "messages_unread",
            "Messages routed by words alone because the sentence encoder did not answer",
            self.unread.clone(),
        );
    }

    /// Renders all metrics in the OpenMetrics text format.
    pub(crate) fn render(&self, state: &State) -> String {
        self.read_catalog(state);
        let mut text = String::new();
        match encode(&mut text, &self.registry) {
            Ok(()) => text,
            Err(error) => format!("# metrics could not be rendered: {error}\n"),
        }
    }

    /// Takes over what is read at the time of a scrape rather than counted.
    fn read_catalog(&self, state: &State) {
        let catalog = state.gateway.registry.catalog();
        let (engine, has_problem) = (
            state.gateway.fit.name(),
            state.gateway.fit.problem().is_some(),
        );
        for fallen_back in [false, true] {
            let label = EngineLabel {
                engine,
                fallen_back,
            };
            let is_so = i64::from(fallen_back == has_problem);
            self.engine.get_or_create(&label).set(is_so);
        }
        let encoded = i64::try_from(catalog.meanings().known()).unwrap_or(i64::MAX);
        self.encoded.set(encoded);
        let now = jiff::Timestamp::now();
        let mut states = AgentState::ALL.map(|state| (state, 0_i64));
        for agent in catalog.agents() {
            let label = Agent {
                agent: agent.spec.id.as_str().to_owned(),
            };
            let in_flight = i64::try_from(agent.stats.in_flight()).unwrap_or(i64::MAX);
            self.in_flight.get_or_create(&label).set(in_flight);
            match &agent.status.accepted {
                Some(accepted) => {
                    let age = now.duration_since(accepted.confirmed_at).as_secs_f64();
                    self.card_age.get_or_create(&label).set(age);
                }
                None => {
                    self.card_age.remove(&label);
                }
            }
            for (state, count) in &mut states {
                *count += i64::from(*state == agent.status.state);
            }
        }
        // Set rather than counted up from nothing: another scrape may run at the same time.
        for (state, count) in states {
            let label = StateLabel {
                state: state.as_str(),
            };
            self.agents.get_or_create(&label).set(count);
        }
    }
}

impl Observer for Metrics {
    fn answered(&self, seen: &Answered<'_>) {
        let agent = seen
            .agent
            .map_or_else(String::new, |agent| agent.as_str().to_owned());
        let operation = seen.operation.name();
        let timed = Timed {
            agent: agent.clone(),
            operation,
        };
        self.requests
            .get_or_create(&Request {
                agent,
                operation,
                outcome: seen.outcome.to_owned(),
            })
            .inc();
        self.seconds
            .get_or_create(&timed)
            .observe(seen.took.as_secs_f64());
        self.overhead
            .observe(seen.took.saturating_sub(seen.upstream).as_secs_f64());
    }

    fn discarded(&self, reason: Discard, count: usize) {
        let reason = reason.as_str();
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.discards
            .get_or_create(&Reason { reason })
            .inc_by(count);
    }

    fn rule_matched(&self, rule: &str, action: RuleAction) {
        let label = RuleLabel {
            rule: rule.to_owned(),
            action: action.as_str(),
        };
        self.rules.get_or_create(&label).inc();
    }

    fn stream_event(&self, agent: &AgentId) {
        self.events
            .get_or_create(&Agent {
                agent: agent.as_str().to_owned(),
            })
            .inc();
    }

    fn lost(&self, loss: Loss, count: u32) {
        self.losses
            .get_or_create(&LossLabel { loss: loss.name() })
            .inc_by(u64::from(count));
    }

    fn pushed(&self, outcome: &'static str) {
        self.deliveries
            .get_or_create(&DeliveryLabel { outcome })
            .inc();
    }

    fn margin(&self, margin: f64) {
        self.margin.observe(margin);
    }

    fn explored(&self, method: &'static str, explored: bool) {
        let label = ExplorationLabel { method, explored };
        self.explorations.get_or_create(&label).inc();
    }

    fn shadowed(&self, profile: &str, agrees: bool) {
        let profile = profile.to_owned();
        let label = ShadowLabel { profile, agrees };
        self.shadows.get_or_create(&label).inc();
    }

    fn unread(&self) {
        self.unread.inc();
    }
}
