//! Decisions for tests, as live routing records them.

use std::collections::BTreeMap;

use gateway_core::{
    AgentId, Caller, Effect, Profile, RouteDecision,
    decision::{
        Candidate, DecisionKind, Explored, InterfaceChoice, Outcome, RequestSummary, Signal,
        Signals, Unlisted, Verdict, Versions,
    },
    profile::Method,
    route::{Recorded, SignalValues, TIE, contributions, tie_break},
};
use gateway_protocol::{Binding, Version};
use jiff::Timestamp;

use crate::setting::{Participant, Setting};

pub(crate) fn agent(place: usize) -> AgentId {
    AgentId::parse(&format!("agent-{place}")).unwrap()
}

/// The setting with so many agents.
pub(crate) fn setting(agents: usize, profile: &Profile) -> Setting {
    Setting::new((0..agents).map(|place| (agent(place), reader())), profile)
}

/// An agent that only reads.
pub(crate) fn reader() -> Participant {
    Participant {
        preference: 0,
        effect: Effect::Read,
        skills: BTreeMap::new(),
    }
}

/// A profile with other weights: fit, quality, availability, latency, cost, risk.
pub(crate) fn weighing(weights: [f64; 6]) -> Profile {
    Profile {
        weights: weights.into(),
        ..Profile::balanced()
    }
}

/// A completed decision among agents with these signals, made with the built-in profile.
pub(crate) fn decision(given: &[[f64; 6]]) -> RouteDecision {
    decided("d-1", given, &Profile::balanced())
}

/// A completed decision among agents with these signals.
pub(crate) fn decided(id: &str, given: &[[f64; 6]], profile: &Profile) -> RouteDecision {
    let candidates = given.iter().enumerate();
    let mut candidates: Vec<_> = candidates
        .map(|(place, values)| candidate(place, *values, profile))
        .collect();
    let message = format!("m-{id}");
    rank(&mut candidates, &message);
    let chosen = candidates
        .first_mut()
        .filter(|first| first.verdict == Verdict::Outscored);
    let kind = match chosen {
        Some(first) => {
            first.verdict = Verdict::Chosen;
            DecisionKind::Scored
        }
        None => DecisionKind::NoFit,
    };
    RouteDecision {
        id: id.to_owned(),
        at: Timestamp::UNIX_EPOCH,
        kind,
        caller: Caller::anonymous(),
        operation: "SendMessage".to_owned(),
        client_version: Version::V1,
        request: RequestSummary {
            message_id: Some(message),
            ..RequestSummary::default()
        },
        rule: None,
        versions: Versions {
            profile: profile.version(),
            ..Versions::default()
        },
        weights: profile.weights,
        trace_id: None,
        candidates,
        unlisted: Unlisted::default(),
        margin: None,
        propensity: 1.0,
        exploration: None,
        ambiguity: None,
        shadow: Default::default(),
        attempts: Vec::new(),
        outcome: Some(Outcome {
            state: "completed".to_owned(),
            task_id: None,
            error: None,
            cost: None,
            ms: 1,
            finished_at: None,
        }),
        feedback: None,
    }
}

/// The decision with this share of messages left to chance, which took one of the agents.
pub(crate) fn explored(mut decision: RouteDecision, share: f64, taken: usize) -> RouteDecision {
    let fitting = decision.candidates.iter_mut();
    let mut fitting: Vec<_> = fitting
        .take_while(|one| one.verdict != Verdict::Discarded)
        .collect();
    let among = fitting.len();
    let best = fitting[0].agent.clone();
    for candidate in &mut fitting {
        let part = share / among as f64;
        let is_best = candidate.agent == best;
        let propensity = if is_best { 1.0 - share + part } else { part };
        candidate.propensity = Some(propensity);
        candidate.verdict = Verdict::Outscored;
        if candidate.agent == agent(taken) {
            candidate.verdict = Verdict::Chosen;
            decision.propensity = propensity;
        }
    }
    let explored = best != agent(taken);
    decision.exploration = Some(Explored {
        method: Method::Epsilon,
        among,
        explored,
        best: explored.then_some(best),
    });
    decision
}

fn candidate(place: usize, values: [f64; 6], profile: &Profile) -> Candidate {
    let signals = signals(values);
    let recorded = Recorded::of(&signals).unwrap();
    let reason = recorded.failed_limit(profile, &Default::default());
    let parts = contributions(&profile.weights, &SignalValues::from(&signals));
    Candidate {
        agent: agent(place),
        skill: Some("main".to_owned()),
        interface: Some(InterfaceChoice {
            binding: Binding::JsonRpc,
            version: Version::V1,
        }),
        card: None,
        signals: Some(signals),
        contributions: Some(parts),
        score: Some(parts.score()),
        propensity: None,
        verdict: match reason {
            Some(_) => Verdict::Discarded,
            None => Verdict::Outscored,
        },
        reason,
        detail: None,
    }
}

fn rank(candidates: &mut [Candidate], message: &str) {
    let score = |one: &Candidate| one.score.unwrap();
    let is_discarded = |one: &Candidate| one.verdict == Verdict::Discarded;
    candidates.sort_by(|left, right| {
        is_discarded(left)
            .cmp(&is_discarded(right))
            .then(score(right).total_cmp(&score(left)))
    });
    let best = score(&candidates[0]);
    let tied = candidates
        .iter()
        .take_while(|one| !is_discarded(one) && score(one) >= best - TIE)
        .count();
    candidates[..tied].sort_by_key(|one| std::cmp::Reverse(tie_break(0, message, &one.agent)));
}

/// Signals as live routing records them with the built-in references.
pub(crate) fn signals(values: [f64; 6]) -> Signals {
    let [fit, quality, availability, latency, cost, risk] = values;
    let plain = |raw: f64, value: f64| Signal {
        raw,
        value,
        ..Signal::default()
    };
    Signals {
        fit: plain(fit, fit),
        quality: plain(quality, quality),
        availability: plain(availability, availability),
        latency: plain(latency * 5000.0, latency),
        cost: Signal {
            why: vec!["EUR".to_owned(), "prior".to_owned()],
            ..plain(cost * 0.1, cost)
        },
        risk: Signal {
            terms: BTreeMap::new(),
            ..plain(risk, risk)
        },
    }
}
