//! A federation that changes: what its agents are truly like on each day, and what they claim to be.

use std::{sync::Arc, time::Duration};

use gateway_core::{AgentId, AgentSpec, Catalog, Effect, catalog::CatalogAgent, stats::AgentStats};
use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
use routing::{
    Outcome,
    catalog::{NamedCard, catalog},
};
use serde_json::json;

/// What messages are about, and what the agents for it say of themselves.
pub(crate) const KINDS: [(&str, &str); 3] = [
    (
        "please issue an invoice for these hours",
        "issues invoices for hours and goods",
    ),
    (
        "translate this letter for the notary",
        "translates letters and contracts",
    ),
    (
        "will there be a storm in the valley",
        "forecasts storms and other weather",
    ),
];
/// Agents for each of them.
const AGENTS: usize = 5;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, clap::Args)]
pub struct Scale {
    /// Simulated days.
    #[arg(long, default_value_t = 30)]
    pub days: usize,
    /// Messages of each day.
    #[arg(long, default_value_t = 40)]
    pub per_day: usize,
    /// The share of results that somebody judges.
    #[arg(long, default_value_t = 0.5)]
    pub feedback: f64,
}

/// What an agent is truly like on one day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    /// The share of its results that are accepted.
    pub(crate) quality: f64,
    /// The share of its tasks that fail.
    pub(crate) failure: f64,
    pub(crate) cost: f64,
    pub(crate) seconds: f64,
}

/// What chance has in store for one message, the same whatever agent gets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Luck {
    pub(crate) kind: usize,
    pub(crate) fails: f64,
    pub(crate) accepted: f64,
    pub(crate) slow: f64,
    pub(crate) judged: f64,
}

/// A federation over some days, and the messages it gets. The same for every way of choosing.
#[derive(Debug)]
pub struct World {
    /// By agent, then by day.
    truths: Vec<Vec<Truth>>,
    /// The messages, day by day.
    pub(crate) messages: Vec<Luck>,
    pub(crate) scale: Scale,
    pub(crate) seed: u64,
    claims: Vec<f64>,
}

struct Chance(ChaCha8Rng);

impl Chance {
    /// Draws from [0,1).
    fn unit(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / 2.0_f64.powi(32)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

impl World {
    /// Makes the world of a seed.
    #[must_use]
    pub fn new(seed: u64, scale: Scale) -> Self {
        let mut chance = Chance(ChaCha8Rng::seed_from_u64(seed));
        let truths: Vec<_> = (0..KINDS.len() * AGENTS)
            .map(|_| life(&mut chance, scale.days))
            .collect();
        let claims = truths.iter().map(|life| claim(&mut chance, life)).collect();
        let messages = (0..scale.days * scale.per_day).map(|_| luck(&mut chance));
        Self {
            truths,
            messages: messages.collect(),
            scale,
            seed,
            claims,
        }
    }

    /// Returns the day of a message.
    pub(crate) fn day(&self, message: usize) -> usize {
        message / self.scale.per_day.max(1)
    }

    /// Returns what an agent is like on a day.
    pub(crate) fn truth(&self, agent: &AgentId, day: usize) -> Option<Truth> {
        let number = agent.as_str().strip_prefix("agent-")?;
        let life = self.truths.get(number.parse::<usize>().ok()?)?;
        life.get(day).copied()
    }

    /// Returns how probable it is that a record says that a result of an agent was accepted: by those who judge it, else
    /// by the end of its task.
    pub(crate) fn accepted(&self, agent: &AgentId, day: usize) -> Option<f64> {
        let truth = self.truth(agent, day)?;
        let judged = self.scale.feedback;
        Some((1.0 - truth.failure) * (judged * truth.quality + (1.0 - judged)))
    }

    /// Makes the catalog as it is configured on the first day: costs and times are right then, qualities are what
    /// somebody thought.
    ///
    /// # Errors
    /// When a card is none.
    pub fn catalog(&self) -> Outcome<Catalog> {
        let cards = (0..self.truths.len())
            .map(card)
            .collect::<Outcome<Vec<_>>>()?;
        let plain = catalog(&cards)?;
        let agents = (0..self.truths.len()).filter_map(|number| {
            let id = AgentId::parse(&format!("agent-{number}")).ok()?;
            let agent = plain.agent(&id)?;
            let (life, claim) = (self.truths.get(number)?.first()?, self.claims.get(number)?);
            let mut spec = AgentSpec {
                quality: *claim,
                latency: Some(Duration::from_secs_f64(life.seconds)),
                effect: Effect::Read,
                ..AgentSpec::clone(&agent.spec)
            };
            spec.cost.per_request = life.cost;
            Some(Arc::new(CatalogAgent {
                spec: Arc::new(spec),
                stats: Arc::new(AgentStats::default()),
                status: agent.status.clone(),
            }))
        });
        Ok(Catalog::new(agents.collect(), None))
    }
}

/// Draws the days of an agent: small steps, and now and then another release, price or machine.
fn life(chance: &mut Chance, days: usize) -> Vec<Truth> {
    let mut today = Truth {
        quality: chance.between(0.4, 0.95),
        failure: chance.between(0.0, 0.1),
        cost: chance.between(0.03, 0.05),
        seconds: chance.between(0.5, 4.0),
    };
    let mut life = Vec::with_capacity(days);
    for _ in 0..days {
        life.push(today);
        today.quality = (today.quality + chance.between(-0.02, 0.02)).clamp(0.05, 0.98);
        if chance.unit() < 0.05 {
            today.quality = chance.between(0.3, 0.98);
        }
        if chance.unit() < 0.03 {
            today.failure = chance.between(0.0, 0.4);
        }
        if chance.unit() < 0.03 {
            today.cost = chance.between(0.03, 0.06);
        }
        if chance.unit() < 0.05 {
            today.seconds = chance.between(0.5, 6.0);
        }
    }
    life
}

/// Draws what somebody thinks of an agent at the start: right on average, by a quarter at most wrong.
fn claim(chance: &mut Chance, life: &[Truth]) -> f64 {
    let quality = life.first().map_or(0.5, |truth| truth.quality);
    (quality + chance.between(-0.25, 0.25)).clamp(0.05, 0.95)
}

fn luck(chance: &mut Chance) -> Luck {
    Luck {
        kind: usize::from(chance.unit() < 0.5) + usize::from(chance.unit() < 0.3),
        fails: chance.unit(),
        accepted: chance.unit(),
        slow: chance.between(0.6, 1.6),
        judged: chance.unit(),
    }
}

/// Makes the card of an agent; those of one kind say the same.
fn card(number: usize) -> Outcome<NamedCard> {
    let (_, about) = KINDS.get(number / AGENTS).copied().unwrap_or_default();
    let text = json!({
        "name": format!("Agent {number}"), "description": about, "version": "1",
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "main", "name": about, "description": about, "tags": [] }],
        "supportedInterfaces": [
            { "url": "https://agents.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
    });
    NamedCard::parse(&format!("agent-{number}"), &text.to_string())
}
