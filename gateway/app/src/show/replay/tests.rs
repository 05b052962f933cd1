use std::collections::BTreeMap;

use gateway_core::{Effect, Profile, RouteDecision};
use gateway_evaluation::{Participant, Replay, Setting};
use serde_json::json;

use super::*;

fn decision(number: usize, chance: bool) -> RouteDecision {
    let candidate = |agent: &str, fit: f64, cost: f64, verdict: &str, propensity: f64| {
        let signal = |raw: f64, value: f64| json!({ "raw": raw, "value": value });
        let score = 0.3 * fit + 0.25 * 0.5 + 0.15 - 0.1 * 0.2 - 0.1 * cost - 0.1 * 0.2;
        json!({
            "agent": agent, "skill": "main", "verdict": verdict, "score": score,
            "propensity": chance.then_some(propensity),
            "interface": { "binding": "JSONRPC", "version": "1.0" },
            "signals": {
                "fit": signal(fit, fit), "quality": signal(0.5, 0.5),
                "availability": signal(1.0, 1.0), "latency": signal(1000.0, 0.2),
                "cost": { "raw": 0.1 * cost, "value": cost, "why": ["EUR"] }, "risk": signal(0.2, 0.2),
            },
        })
    };
    // Every second message fits one agent only.
    let other = if number.is_multiple_of(2) { 0.6 } else { 0.3 };
    let explores = chance && number % 10 < 2;
    let verdicts = if explores {
        ["outscored", "chosen"]
    } else {
        ["chosen", "outscored"]
    };
    let accepted = if explores {
        number % 20 < 18
    } else {
        number % 5 < 3
    };
    serde_json::from_value(json!({
        "id": format!("d-{number:04}"), "at": "2026-11-30T10:00:00Z", "kind": "scored",
        "caller": { "subject": "anonymous" }, "operation": "SendMessage", "client_version": "1.0",
        "request": {
            "message_id": format!("m-{number}"), "digest": "sha256:0", "text_chars": 9,
            "input_modes": ["text/plain"], "accepted_output_modes": [], "streaming": false,
            "data_keys": [], "hints": {},
        },
        "versions": { "config": "c", "catalog": "k", "profile": Profile::balanced().version() },
        "weights": Profile::balanced().weights,
        "propensity": if chance { if explores { 0.2 } else { 0.8 } } else { 1.0 },
        "exploration": chance.then(|| json!({
            "method": "epsilon", "among": 2, "explored": explores, "best": explores.then_some("payments"),
        })),
        "candidates": [
            candidate("payments", 0.9, 0.5, verdicts[0], 0.8),
            candidate("regulations", other, 0.1, verdicts[1], 0.2),
        ],
        "outcome": { "state": if accepted { "completed" } else { "failed" }, "ms": 5 },
    }))
    .unwrap()
}

fn report(chance: bool) -> Report {
    let reader = || Participant {
        preference: 0,
        effect: Effect::Read,
        skills: BTreeMap::new(),
    };
    let agents = ["payments", "regulations"].map(|agent| (agent.parse_id(), reader()));
    let mut profile = Profile::balanced();
    profile.weights.cost = 0.4;
    let mut replay = Replay::new(Setting::new(agents, &profile));
    for number in 0..400 {
        replay.add(&decision(number, chance));
    }
    let mut pinned = decision(400, false);
    pinned.kind = gateway_core::decision::DecisionKind::Pinned;
    replay.add(&pinned);
    let mut open = decision(401, false);
    open.outcome = None;
    replay.add(&open);
    replay.finish()
}

trait ParseId {
    fn parse_id(&self) -> gateway_core::AgentId;
}

impl ParseId for str {
    fn parse_id(&self) -> gateway_core::AgentId {
        gateway_core::AgentId::parse(self).unwrap()
    }
}

#[test]
fn report_without_exploration() {
    let source = Reading {
        decisions: 402,
        unreadable: 1,
        unreadable_examples: vec!["x.jsonl:7: column 3: expected value".to_owned()],
    };
    insta::assert_snapshot!(whole(&source, &report(false)));
}

#[test]
fn report_with_exploration() {
    insta::assert_snapshot!(whole(&Reading::default(), &report(true)));
}
