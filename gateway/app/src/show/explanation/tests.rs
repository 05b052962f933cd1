use gateway_core::{
    Profile, RouteDecision,
    decision::{Candidate, Discard, MatchedRule},
    route::{Recorded, SignalValues, contributions, counterfactual::explain},
};
use serde_json::json;

use super::*;

/// Fit, quality, availability, latency, cost, risk besides that of fit and cost.
fn candidate(agent: &str, values: [f64; 6]) -> Candidate {
    let [fit, quality, availability, latency, cost, other] = values;
    let terms = json!({ "effect": other, "uncertainty": 0.15 * (1.0 - fit), "cost": 0.1 * cost });
    let risk = other + 0.15 * (1.0 - fit) + 0.1 * cost;
    let candidate = json!({
        "agent": agent, "skill": "main", "verdict": "outscored",
        "signals": {
            "fit": { "raw": fit, "value": fit },
            "quality": { "raw": quality, "value": quality },
            "availability": { "raw": availability, "value": availability },
            "latency": { "raw": latency * 5000.0, "value": latency },
            "cost": { "raw": cost * 0.1, "value": cost },
            "risk": { "raw": risk, "value": risk, "terms": terms },
        },
    });
    serde_json::from_value(candidate).unwrap()
}

fn decision(profile: &Profile, mut candidates: Vec<Candidate>) -> RouteDecision {
    for candidate in &mut candidates {
        let signals = candidate.signals.as_ref().unwrap();
        let parts = contributions(&profile.weights, &SignalValues::from(signals));
        let failed = Recorded::of(signals)
            .unwrap()
            .failed_limit(profile, &Default::default());
        candidate.score = Some(parts.score());
        candidate.contributions = Some(parts);
        candidate.reason = candidate.reason.or(failed);
        if candidate.reason.is_some() {
            candidate.verdict = Verdict::Discarded;
            let fit = candidate.signals.as_ref().unwrap().fit.value;
            candidate
                .detail
                .get_or_insert(format!("fit {fit:.2} is below the floor 0.25"));
        }
    }
    candidates[0].verdict = Verdict::Chosen;
    let mut decision: RouteDecision = serde_json::from_value(json!({
        "id": "d-1", "at": "2026-11-30T10:00:00Z", "kind": "scored",
        "caller": { "subject": "anonymous" }, "operation": "SendMessage", "client_version": "1.0",
        "request": {
            "digest": "sha256:0", "text_chars": 9, "input_modes": ["text/plain"],
            "accepted_output_modes": [], "streaming": false, "data_keys": [], "hints": {},
        },
        "versions": { "config": "c", "catalog": "k", "profile": profile.version() },
        "weights": profile.weights, "candidates": [],
    }))
    .unwrap();
    decision.candidates = candidates;
    decision
}

fn federation(profile: &Profile) -> RouteDecision {
    let mut candidates = vec![
        candidate("payments", [0.995, 0.92, 1.0, 0.5, 0.333, 0.1]),
        candidate("regulations", [0.70, 0.90, 1.0, 0.5, 0.067, 0.05]),
        candidate("helper", [0.20, 0.95, 1.0, 0.1, 0.033, 0.05]),
        candidate("scholarships", [0.01, 0.40, 0.5, 0.9, 1.0, 0.4]),
        candidate("letters", [0.9, 0.9, 1.0, 0.1, 0.0, 0.0]),
    ];
    for candidate in &mut candidates[1..2] {
        candidate.detail = Some("0.0637 behind `payments`".to_owned());
    }
    let letters = &mut candidates[4];
    letters.reason = Some(Discard::Streaming);
    letters.detail = Some("a stream was asked for and the card says streaming is off".to_owned());
    let mut decision = decision(profile, candidates);
    decision.candidates[4].signals = None;
    decision.candidates[4].contributions = None;
    decision.candidates[4].score = None;
    decision
}

#[test]
fn explanation_of_a_scored_decision() {
    let profile = Profile::balanced();
    insta::assert_snapshot!(whole(&explain(
        &federation(&profile),
        [&profile.clone().into()]
    )));
}

#[test]
fn explanation_after_the_profile_has_changed() {
    let profile = Profile::balanced();
    let now = Profile {
        min_fit: 0.5,
        ..Profile::balanced()
    };
    insta::assert_snapshot!(whole(&explain(&federation(&profile), [&now.into()])));
}

#[test]
fn explanation_of_what_went_to_nobody_to_a_fallback_or_by_chance() {
    let profile = Profile::balanced();
    let mut nobody = federation(&profile);
    nobody.kind = DecisionKind::NoFit;
    nobody.candidates.drain(..2);
    let mut fallback = federation(&profile);
    fallback.kind = DecisionKind::Fallback;
    fallback.candidates.drain(..2);
    fallback.candidates[0].verdict = Verdict::Chosen;
    fallback.candidates[0].reason = None;
    let mut explored = federation(&profile);
    explored.propensity = 0.025;
    explored.candidates[0].verdict = Verdict::Outscored;
    explored.candidates[1].verdict = Verdict::Chosen;
    explored.candidates.truncate(2);
    let shown =
        [nobody, fallback, explored].map(|one| whole(&explain(&one, [&profile.clone().into()])));
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn who_turned_a_message_away_is_said() {
    let profile = Profile::balanced();
    let mut turned_away = federation(&profile);
    turned_away.kind = DecisionKind::Rejected;
    turned_away.candidates.clear();
    turned_away.rule = Some(MatchedRule {
        name: "numbers".to_owned(),
        action: RuleAction::Reject,
        agents: Vec::new(),
        profile: None,
        max_effect: None,
        detail: Some("No numbers,\nplease.".to_owned()),
    });
    let mut failed = turned_away.clone();
    let rule = failed.rule.as_mut().unwrap();
    rule.action = RuleAction::Failed;
    let mut ambiguous = federation(&profile);
    ambiguous.kind = DecisionKind::Ambiguous;
    ambiguous.candidates.truncate(1);
    ambiguous.candidates[0].verdict = Verdict::Outscored;
    let shown = [turned_away, failed, ambiguous]
        .map(|one| whole(&explain(&one, [&profile.clone().into()])));
    insta::assert_snapshot!(shown.join("\n\n"));
}
