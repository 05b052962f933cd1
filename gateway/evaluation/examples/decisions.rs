//! Prints random decisions of the example's agents as JSON lines, some of them explored, to try `replay` and `tune` on:
//!
//! `cargo run --release -p gateway-evaluation --example decisions -- 100000 > decisions.jsonl`

use std::io::{BufWriter, Write as _, stdout};

use gateway_core::{
    Profile,
    decision::Signals,
    route::{SignalValues, contributions},
};
use jiff::{SignedDuration, Timestamp};
use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use serde_json::{Value, json};

/// Agents with their configured quality, cost, usual latency in milliseconds, and the share that is accepted in truth.
const AGENTS: [(&str, f64, f64, f64, f64); 5] = [
    ("regulations", 0.90, 0.002, 400.0, 0.85),
    ("payments", 0.92, 0.010, 900.0, 0.80),
    ("scholarships", 0.85, 0.050, 3000.0, 0.95),
    ("letters", 0.80, 0.020, 1500.0, 0.70),
    ("helper", 0.60, 0.001, 200.0, 0.40),
];
/// The share of decisions that are left to chance.
const EPSILON: f64 = 0.2;

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let mut out = BufWriter::new(stdout().lock());
    let mut random = Random(Pcg64Mcg::seed_from_u64(1));
    let profile = Profile {
        max_risk: 0.8,
        ..Profile::balanced()
    };
    for number in 0..wanted.unwrap_or(1000) {
        writeln!(out, "{}", random.decision(number, &profile))?;
    }
    out.flush()
}

struct Random(Pcg64Mcg);

impl Random {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn decision(&mut self, number: u32, profile: &Profile) -> Value {
        let mut candidates = AGENTS.map(|agent| self.candidate(agent, profile));
        let rank = |one: &Value| {
            let fits = one["verdict"] == "outscored";
            (fits, one["score"].as_f64().unwrap_or_default())
        };
        candidates.sort_by(|left, right| {
            rank(right)
                .partial_cmp(&rank(left))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let fitting = candidates
            .iter()
            .filter(|one| one["verdict"] == "outscored")
            .count();
        let kind = if fitting == 0 { "no_fit" } else { "scored" };
        let propensities = propensities(fitting);
        for (candidate, propensity) in candidates.iter_mut().zip(&propensities) {
            candidate["propensity"] = json!(propensity);
        }
        let (place, propensity) = self.choose(&propensities);
        let best = (place > 0).then(|| candidates.first().map(|best| best["agent"].clone()));
        let exploration = (propensity < 1.0).then(|| {
            json!({ "method": "epsilon", "among": fitting, "explored": place > 0, "best": best })
        });
        let mut outcome = json!({ "state": "not_sent", "ms": 0 });
        if let Some(chosen) = candidates.get_mut(place).filter(|_| fitting > 0) {
            chosen["verdict"] = json!("chosen");
            let share = AGENTS
                .iter()
                .find(|agent| chosen["agent"] == agent.0)
                .map_or(0.0, |agent| {
                    agent.4 * (0.6 + 0.4 * number_at(chosen, "fit"))
                });
            let state = if self.unit() < share {
                "completed"
            } else {
                "failed"
            };
            outcome = json!({ "state": state, "ms": 5, "cost": chosen["signals"]["cost"]["raw"] });
        }
        let at =
            Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_796_000_000 + i64::from(number));
        json!({
            "id": format!("decision-{number:07}"), "at": at, "kind": kind,
            "caller": { "subject": "anonymous" }, "operation": "SendMessage", "client_version": "1.0",
            "request": {
                "message_id": format!("message-{number}"), "digest": "sha256:0", "text_chars": 40,
                "input_modes": ["text/plain"], "accepted_output_modes": [], "streaming": false,
                "data_keys": [], "hints": {},
            },
            "versions": { "config": "example", "catalog": "example", "profile": profile.version() },
            "weights": profile.weights, "candidates": candidates, "propensity": propensity,
            "exploration": exploration, "outcome": outcome,
        })
    }

    /// Returns the place of the chosen one and how probable that was.
    fn choose(&mut self, propensities: &[f64]) -> (usize, f64) {
        let mut left = self.unit();
        for (place, propensity) in propensities.iter().enumerate() {
            left -= propensity;
            if left < 0.0 {
                return (place, *propensity);
            }
        }
        (0, 1.0)
    }

    fn candidate(&mut self, agent: (&str, f64, f64, f64, f64), profile: &Profile) -> Value {
        let (id, quality, cost, usual, _) = agent;
        let (fit, latency) = (self.unit().powi(2), usual * (0.5 + self.unit()));
        let cost_value = (cost / profile.reference_cost).min(1.0);
        let latency_value = (latency / 5000.0).min(1.0);
        let terms =
            json!({ "effect": 0.1, "uncertainty": 0.15 * (1.0 - fit), "cost": 0.1 * cost_value });
        let risk = 0.1 + 0.15 * (1.0 - fit) + 0.1 * cost_value;
        let signals = json!({
            "fit": { "raw": 9.0 * fit, "value": fit },
            "quality": { "raw": quality, "value": quality, "why": ["prior"] },
            "availability": { "raw": 1.0, "value": 1.0 },
            "latency": { "raw": latency, "value": latency_value, "why": ["measured"] },
            "cost": { "raw": cost, "value": cost_value, "why": ["EUR", "prior"] },
            "risk": { "raw": risk, "value": risk, "terms": terms },
        });
        let mut candidate = json!({
            "agent": id, "skill": "main", "verdict": "outscored", "signals": signals,
            "interface": { "binding": "JSONRPC", "version": "1.0" },
        });
        if let Ok(signals) = serde_json::from_value::<Signals>(signals) {
            let parts = contributions(&profile.weights, &SignalValues::from(&signals));
            candidate["contributions"] = json!(parts);
            candidate["score"] = json!(parts.score());
        }
        if fit < profile.min_fit {
            candidate["verdict"] = json!("discarded");
            candidate["reason"] = json!("below_min_fit");
        }
        candidate
    }
}

/// Returns how probable each of those that fit is, the best first; nothing where there is no other.
#[expect(clippy::cast_precision_loss, reason = "a handful of agents")]
fn propensities(fitting: usize) -> Vec<f64> {
    let part = EPSILON / fitting as f64;
    match fitting {
        0 | 1 => Vec::new(),
        _ => (0..fitting)
            .map(|place| {
                if place == 0 {
                    1.0 - EPSILON + part
                } else {
                    part
                }
            })
            .collect(),
    }
}

fn number_at(candidate: &Value, signal: &str) -> f64 {
    candidate["signals"][signal]["value"]
        .as_f64()
        .unwrap_or_default()
}
