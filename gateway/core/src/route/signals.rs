//! The six signals of a candidate: where each comes from and how it becomes a value in [0,1].

use std::collections::BTreeMap;

use tokio::time::Instant;

use crate::{
    agent::Effect,
    catalog::{AgentState, CatalogAgent},
    decision::{Signal, Signals},
    fit::AgentFit,
    profile::Profile,
    route::features::Features,
    stats::Mode,
};

/// What availability is multiplied with while a card is stale.
const STALE_FACTOR: f64 = 0.8;
/// After this many answers an agent counts as half known.
const NOVELTY_HALF: f64 = 5.0;
/// Share of the reference that an agent nobody has measured is expected to take.
const UNKNOWN_LATENCY: f64 = 0.5;

/// Weights of the risk terms: effect, irreversibility, cost, uncertainty, novelty, verification.
const RISK_WEIGHTS: RiskWeights = RiskWeights {
    effect: 0.40,
    irreversibility: 0.15,
    cost: 0.10,
    uncertainty: 0.15,
    novelty: 0.10,
    verification: 0.10,
};

struct RiskWeights {
    effect: f64,
    irreversibility: f64,
    cost: f64,
    uncertainty: f64,
    novelty: f64,
    verification: f64,
}

/// What signals are computed from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) features: &'a Features,
    pub(crate) now: Instant,
}

/// Computes the signals of an agent for its best skill.
pub(crate) fn signals(
    context: Context<'_>,
    agent: &CatalogAgent,
    skill: Option<&str>,
    fit: Option<&AgentFit>,
) -> Signals {
    let fit = fit.map_or_else(Signal::default, |fit| Signal {
        raw: fit.raw,
        value: fit.value.clamp(0.0, 1.0),
        why: fit.why.clone(),
        ..Signal::default()
    });
    let quality = agent.spec.quality_of(skill);
    let cost = cost(context, agent, skill);
    let risk = risk(agent, skill, fit.value, cost.value);
    Signals {
        fit,
        quality: Signal {
            raw: quality,
            value: quality.clamp(0.0, 1.0),
            why: vec!["prior".to_owned()],
            ..Signal::default()
        },
        availability: availability(context, agent),
        latency: latency(context, agent),
        cost,
        risk,
    }
}

fn availability(context: Context<'_>, agent: &CatalogAgent) -> Signal {
    let answered = agent.stats.answer_ratio(context.now);
    let headroom = headroom(agent);
    let freshness = match agent.status.state {
        AgentState::Ready => 1.0,
        AgentState::Stale => STALE_FACTOR,
        AgentState::Pending | AgentState::Unavailable => 0.0,
    };
    let value = answered * headroom * freshness;
    Signal {
        raw: value,
        value,
        why: Vec::new(),
        terms: terms([
            ("answered", answered),
            ("headroom", headroom),
            ("card_freshness", freshness),
        ]),
    }
}

/// Full until half of the places are taken, then falling to zero: a little load says nothing about an agent.
#[expect(
    clippy::cast_precision_loss,
    reason = "request counts are far below 2^52"
)]
fn headroom(agent: &CatalogAgent) -> f64 {
    let (taken, limit) = (
        agent.stats.in_flight() as f64,
        agent.spec.limits.max_in_flight as f64,
    );
    (2.0 * (1.0 - taken / limit)).clamp(0.0, 1.0)
}

fn latency(context: Context<'_>, agent: &CatalogAgent) -> Signal {
    let mode = if context.features.streaming {
        Mode::Stream
    } else {
        Mode::Unary
    };
    let reference = reference_latency(context);
    let (seconds, source) = match (agent.stats.latency(mode), agent.spec.latency) {
        (Some(measured), _) => (measured.as_secs_f64(), "measured"),
        (None, Some(prior)) => (prior.as_secs_f64(), "prior"),
        (None, None) => (
            context.profile.reference_latency.as_secs_f64() * UNKNOWN_LATENCY,
            "unknown",
        ),
    };
    Signal {
        raw: seconds * 1000.0,
        value: ratio(seconds, reference),
        why: vec![source.to_owned()],
        ..Signal::default()
    }
}

/// A request's budget replaces the profile's reference.
fn reference_latency(context: Context<'_>) -> f64 {
    match context.features.hints.max_latency_ms {
        Some(budget) => budget / 1000.0,
        None => context.profile.reference_latency.as_secs_f64(),
    }
}

fn cost(context: Context<'_>, agent: &CatalogAgent, skill: Option<&str>) -> Signal {
    let reference = context
        .features
        .hints
        .max_cost_eur
        .unwrap_or(context.profile.reference_cost);
    let cost = agent.spec.cost_of(skill);
    Signal {
        raw: cost,
        value: ratio(cost, reference),
        why: vec![agent.spec.cost.currency.clone()],
        ..Signal::default()
    }
}

/// `value / reference`, cut at 1; anything is too much where the reference is zero.
fn ratio(value: f64, reference: f64) -> f64 {
    if value <= 0.0 {
        0.0
    } else if reference <= 0.0 {
        1.0
    } else {
        (value / reference).min(1.0)
    }
}

/// `ρ = wE·effect + wR·irreversibility + wC·cost + wU·(1−S) + wN·novelty − wV·verification`.
fn risk(agent: &CatalogAgent, skill: Option<&str>, fit: f64, cost: f64) -> Signal {
    let effect = agent.spec.effect_of(skill);
    let weights = &RISK_WEIGHTS;
    let terms = terms([
        ("effect", weights.effect * effect_value(effect)),
        (
            "irreversibility",
            if effect == Effect::ExternalEffect {
                weights.irreversibility
            } else {
                0.0
            },
        ),
        ("cost", weights.cost * cost),
        ("uncertainty", weights.uncertainty * (1.0 - fit)),
        (
            "novelty",
            weights.novelty * novelty(agent.stats.successes()),
        ),
        ("verification", -weights.verification * verification(agent)),
    ]);
    let raw = terms.values().sum();
    Signal {
        raw,
        value: f64::clamp(raw, 0.0, 1.0),
        why: Vec::new(),
        terms,
    }
}

fn effect_value(effect: Effect) -> f64 {
    match effect {
        Effect::Read => 0.0,
        Effect::Prepare => 0.25,
        Effect::ReversibleWrite => 0.5,
        Effect::ExternalEffect => 1.0,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a count of answers since the start"
)]
fn novelty(successes: u64) -> f64 {
    NOVELTY_HALF / (NOVELTY_HALF + successes as f64)
}

/// How surely the agent is who it claims to be: its origin is proven by TLS, or by nothing.
fn verification(agent: &CatalogAgent) -> f64 {
    if agent.spec.url.scheme() == "https" {
        0.5
    } else {
        0.0
    }
}

fn terms<const N: usize>(terms: [(&str, f64); N]) -> BTreeMap<String, f64> {
    terms
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
