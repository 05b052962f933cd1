//! The six signals of a candidate: where each comes from and how it becomes a value in [0,1].
//!
//! Measuring takes no memory, so that it can be done for every agent; describing is for those that a record
//! lists.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tokio::time::Instant;

use super::{features::Features, score::SignalValues};
use crate::{
    agent::Effect,
    catalog::{AgentState, CatalogAgent},
    decision::{Signal, Signals},
    fit::AgentFit,
    learning::{LearnedCost, Quality},
    profile::Profile,
    stats::{Mode, Reading},
};

/// What availability is multiplied with while a card is stale.
const STALE_FACTOR: f64 = 0.8;
/// After this many answers an agent counts as half known.
const NOVELTY_HALF: f64 = 5.0;
/// Share of the reference that an agent nobody has measured is expected to take.
pub(super) const UNKNOWN_LATENCY: f64 = 0.5;
/// What a record says of a latency that nobody has measured or configured.
pub(super) const UNKNOWN: &str = "unknown";
/// The weight of cost in risk.
pub(super) const RISK_OF_COST: f64 = 0.10;
/// The weight of a poor fit in risk.
pub(super) const RISK_OF_UNCERTAINTY: f64 = 0.15;

/// The terms of risk, with their weights; verification lowers it.
const RISK_TERMS: [(&str, f64); 6] = [
    ("effect", 0.40),
    ("irreversibility", 0.15),
    ("cost", RISK_OF_COST),
    ("uncertainty", RISK_OF_UNCERTAINTY),
    ("novelty", 0.10),
    ("verification", -0.10),
];

/// What signals are computed from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) features: &'a Features,
    pub(crate) now: Instant,
    pub(crate) at: Timestamp,
}

/// The signals of one agent as numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    fit_raw: f64,
    pub(crate) fit: f64,
    pub(super) quality: Quality,
    answered: f64,
    headroom: f64,
    freshness: f64,
    latency_seconds: f64,
    latency_source: LatencySource,
    latency: f64,
    pub(crate) cost_raw: f64,
    cost: f64,
    learned_cost: Option<LearnedCost>,
    risk_terms: [f64; 6],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LatencySource {
    MeasuredOfSkill,
    Measured,
    Prior,
    Unknown,
}

impl Measured {
    /// Measures an agent for one of its skills.
    pub(crate) fn take(
        context: Context<'_>,
        agent: &CatalogAgent,
        skill: Option<&str>,
        fit: Option<AgentFit>,
    ) -> Self {
        let hints = &context.features.hints;
        let (fit_raw, fit) = fit.map_or((0.0, 0.0), |fit| (fit.raw, fit.value.clamp(0.0, 1.0)));
        let reading = agent.stats.reading(skill, mode(context), context.now);
        let (latency_seconds, latency_source) = expected_latency(context, agent, &reading);
        // A request's budget replaces the profile's reference.
        let reference_latency = hints
            .max_latency_ms
            .map_or(context.profile.reference_latency.as_secs_f64(), |budget| {
                budget / 1000.0
            });
        let reference_cost = hints.max_cost_eur.unwrap_or(context.profile.reference_cost);
        let (quality, learned_cost) = learned(context, agent, skill);
        let cost_raw = learned_cost.map_or_else(|| agent.spec.cost_of(skill), |cost| cost.mean);
        let cost = ratio(cost_raw, reference_cost);
        Self {
            fit_raw,
            fit,
            quality,
            answered: reading.answer_ratio,
            headroom: headroom(agent),
            freshness: freshness(agent.status.state),
            latency_seconds,
            latency_source,
            latency: ratio(latency_seconds, reference_latency),
            cost_raw,
            cost,
            learned_cost,
            risk_terms: risk_terms(agent, skill, (fit, cost), &reading),
        }
    }

    /// Returns the values that are weighed.
    pub(crate) fn values(&self) -> SignalValues {
        SignalValues {
            fit: self.fit,
            quality: self.quality.value.clamp(0.0, 1.0),
            availability: self.availability(),
            latency: self.latency,
            cost: self.cost,
            risk: self.risk(),
        }
    }

    /// Returns the expected latency in milliseconds, unless it is a mere guess.
    pub(crate) fn known_latency_ms(&self) -> Option<f64> {
        (self.latency_source != LatencySource::Unknown).then_some(self.latency_seconds * 1000.0)
    }

    /// Returns the risk in [0,1].
    pub(crate) fn risk(&self) -> f64 {
        self.risk_terms.iter().sum::<f64>().clamp(0.0, 1.0)
    }

    fn availability(&self) -> f64 {
        self.answered * self.headroom * self.freshness
    }

    /// Describes the signals for the record; `why` are the words that speak for the fit.
    pub(crate) fn describe(&self, agent: &CatalogAgent, why: &[String]) -> Signals {
        let values = self.values();
        let said = |raw: f64, value: f64, why: &str| Signal {
            raw,
            value,
            why: vec![why.to_owned()],
            terms: BTreeMap::new(),
        };
        let made_of = |raw: f64, value: f64, terms: BTreeMap<String, f64>| Signal {
            raw,
            value,
            why: Vec::new(),
            terms,
        };
        let source = match self.latency_source {
            LatencySource::MeasuredOfSkill => "measured for the skill",
            LatencySource::Measured => "measured",
            LatencySource::Prior => "prior",
            LatencySource::Unknown => UNKNOWN,
        };
        Signals {
            fit: Signal {
                raw: self.fit_raw,
                value: values.fit,
                why: why.to_vec(),
                terms: BTreeMap::new(),
            },
            quality: quality(&self.quality, values.quality),
            availability: made_of(
                values.availability,
                values.availability,
                named([
                    ("answered", self.answered),
                    ("headroom", self.headroom),
                    ("card_freshness", self.freshness),
                ]),
            ),
            latency: said(self.latency_seconds * 1000.0, values.latency, source),
            cost: Signal {
                raw: self.cost_raw,
                value: values.cost,
                why: vec![
                    agent.spec.cost.currency.clone(),
                    source_of_cost(self.learned_cost),
                ],
                terms: BTreeMap::new(),
            },
            risk: made_of(
                self.risk_terms.iter().sum(),
                values.risk,
                named(std::array::from_fn::<_, 6, _>(|term| {
                    (RISK_TERMS[term].0, self.risk_terms[term])
                })),
            ),
        }
    }
}

fn freshness(state: AgentState) -> f64 {
    match state {
        AgentState::Ready => 1.0,
        AgentState::Stale => STALE_FACTOR,
        AgentState::Pending | AgentState::Unavailable | AgentState::Quarantined => 0.0,
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

/// Reads what was learned of a skill; costs only where there are enough of them.
fn learned(
    context: Context<'_>,
    agent: &CatalogAgent,
    skill: Option<&str>,
) -> (Quality, Option<LearnedCost>) {
    let prior = agent.spec.quality_of(skill);
    let learned = agent.stats.learned.load();
    match learned.of(skill) {
        Some(learned) => (
            learned.quality(prior, context.at),
            learned.cost().filter(LearnedCost::suffices),
        ),
        None => (Quality::of_prior(prior), None),
    }
}

fn quality(quality: &Quality, value: f64) -> Signal {
    Signal {
        raw: quality.value,
        value,
        why: vec![match quality.decisions {
            0 => "prior".to_owned(),
            decisions => format!("learned from {decisions}"),
        }],
        terms: named([
            ("prior", quality.prior),
            ("mean", quality.mean),
            ("weight", quality.weight),
        ]),
    }
}

fn source_of_cost(learned: Option<LearnedCost>) -> String {
    match learned {
        None => "prior".to_owned(),
        Some(learned) => format!("learned from {}", learned.known),
    }
}

fn mode(context: Context<'_>) -> Mode {
    if context.features.streaming {
        Mode::Stream
    } else {
        Mode::Unary
    }
}

fn expected_latency(
    context: Context<'_>,
    agent: &CatalogAgent,
    reading: &Reading,
) -> (f64, LatencySource) {
    match (reading.latency, agent.spec.latency) {
        (Some((measured, true)), _) => (measured.as_secs_f64(), LatencySource::MeasuredOfSkill),
        (Some((measured, false)), _) => (measured.as_secs_f64(), LatencySource::Measured),
        (None, Some(prior)) => (prior.as_secs_f64(), LatencySource::Prior),
        (None, None) => {
            let reference = context.profile.reference_latency.as_secs_f64();
            (reference * UNKNOWN_LATENCY, LatencySource::Unknown)
        }
    }
}

/// `value / reference`, cut at 1; anything is too much where the reference is zero.
pub(super) fn ratio(value: f64, reference: f64) -> f64 {
    if value <= 0.0 {
        0.0
    } else if reference <= 0.0 {
        1.0
    } else {
        (value / reference).min(1.0)
    }
}

/// `ρ = wE·effect + wR·irreversibility + wC·cost + wU·(1−S) + wN·novelty − wV·verification`, term by term.
fn risk_terms(
    agent: &CatalogAgent,
    skill: Option<&str>,
    (fit, cost): (f64, f64),
    reading: &Reading,
) -> [f64; 6] {
    let effect = agent.spec.effect_of(skill);
    let amounts = [
        match effect {
            Effect::Read => 0.0,
            Effect::Prepare => 0.25,
            Effect::ReversibleWrite => 0.5,
            Effect::ExternalEffect => 1.0,
        },
        if effect == Effect::ExternalEffect {
            1.0
        } else {
            0.0
        },
        cost,
        1.0 - fit,
        novelty(reading.successes),
        verification(agent),
    ];
    std::array::from_fn(|term| RISK_TERMS[term].1 * amounts[term])
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

fn named<const N: usize>(terms: [(&str, f64); N]) -> BTreeMap<String, f64> {
    terms
        .into_iter()
        // Adding zero turns a negative zero into a plain one.
        .map(|(name, value)| (name.to_owned(), value + 0.0))
        .collect()
}
