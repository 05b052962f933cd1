use std::{collections::BTreeMap, time::Duration};

use gateway_protocol::Version;
use jiff::Timestamp;
use proptest::{array::uniform6, collection::vec, prelude::*};

use super::*;
use crate::{
    caller::Caller,
    decision::{RequestSummary, RuleAction, Signal, Signals, Unlisted, Versions},
    profile::Weights,
    route::{SignalValues, contributions},
    testing::id,
};

/// Signals as live routing records them; the last number is the risk besides that of fit and cost.
fn signals(values: [f64; 6]) -> Signals {
    let [fit, quality, availability, latency, cost, other_risk] = values;
    let plain = |raw: f64, value: f64| Signal {
        raw,
        value,
        ..Signal::default()
    };
    let terms: BTreeMap<String, f64> = [
        ("effect", 0.6 * other_risk),
        ("uncertainty", 0.15 * (1.0 - fit)),
        ("cost", 0.10 * cost),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let risk: f64 = terms.values().sum();
    Signals {
        fit: plain(fit, fit),
        quality: plain(quality, quality),
        availability: plain(availability, availability),
        latency: plain(latency * 5000.0, latency),
        cost: plain(cost * 0.1, cost),
        risk: Signal {
            raw: risk,
            value: risk.clamp(0.0, 1.0),
            terms,
            ..Signal::default()
        },
    }
}

fn candidate(name: &str, signals: Signals, weights: &Weights) -> Candidate {
    let parts = contributions(weights, &SignalValues::from(&signals));
    Candidate {
        agent: id(name),
        skill: Some("main".to_owned()),
        interface: None,
        card: None,
        signals: Some(signals),
        contributions: Some(parts),
        score: Some(parts.score()),
        propensity: None,
        verdict: Verdict::Outscored,
        reason: None,
        detail: None,
    }
}

/// Decides as live routing does, among candidates that are named by their place.
fn decided(given: &[[f64; 6]], profile: &Profile) -> RouteDecision {
    let all = given.iter().enumerate().map(|(place, values)| {
        candidate(
            &format!("agent-{place}"),
            signals(*values),
            &profile.weights,
        )
    });
    let mut candidates: Vec<Candidate> = all.collect();
    for candidate in &mut candidates {
        let recorded = Recorded::of(candidate.signals.as_ref().unwrap()).unwrap();
        candidate.reason = recorded.failed_limit(profile, &Default::default());
        if candidate.reason.is_some() {
            candidate.verdict = Verdict::Discarded;
        }
    }
    let is_discarded = |one: &Candidate| one.verdict == Verdict::Discarded;
    candidates.sort_by(|left, right| {
        is_discarded(left)
            .cmp(&is_discarded(right))
            .then(right.score.unwrap().total_cmp(&left.score.unwrap()))
    });
    let first = candidates.first_mut().unwrap();
    let kind = if first.verdict == Verdict::Discarded {
        DecisionKind::NoFit
    } else {
        first.verdict = Verdict::Chosen;
        DecisionKind::Scored
    };
    RouteDecision {
        id: "d".to_owned(),
        at: Timestamp::UNIX_EPOCH,
        kind,
        caller: Caller::anonymous(),
        operation: "SendMessage".to_owned(),
        client_version: Version::V1,
        request: RequestSummary::default(),
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
        outcome: None,
        feedback: None,
    }
}

fn profile(weights: [f64; 6], min_fit: f64, max_risk: f64) -> Profile {
    let [fit, quality, availability, latency, cost, risk] = weights;
    Profile {
        weights: Weights {
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
        },
        min_fit,
        max_risk,
        reference_latency: Duration::from_secs(5),
        ..Profile::balanced()
    }
}

fn change(why: &WhyNot, signal: SignalName) -> Change {
    let found = why.changes.iter().find(|change| change.signal == signal);
    *found.unwrap_or_else(|| panic!("{signal:?} is missing in {why:?}"))
}

/// Puts other signals in the place of a candidate's, and tells whether it then wins.
fn wins(decision: &RouteDecision, agent: &AgentId, profile: &Profile, with: Recorded) -> bool {
    let keeps_limits = with
        .failed_limit(profile, &decision.request.hints)
        .is_none();
    let others = decision
        .candidates
        .iter()
        .filter(|other| other.agent != *agent && other.verdict != Verdict::Discarded);
    let best = others
        .filter_map(|other| other.score)
        .fold(f64::NEG_INFINITY, f64::max);
    keeps_limits && with.score(&profile.weights) > best + TIE
}

fn met(why: &WhyNot, recorded: Recorded) -> Recorded {
    why.requirements
        .iter()
        .fold(recorded, |recorded, requirement| {
            recorded.with(requirement.signal, requirement.limit.unwrap())
        })
}

proptest! {
    #[test]
    fn a_named_change_makes_its_candidate_win_and_a_smaller_one_does_not(
        given in vec(uniform6(0.0..=1.0_f64), 2..6),
        weights in uniform6(0.02..1.0_f64),
        min_fit in 0.0..0.6_f64,
        max_risk in 0.3..1.0_f64,
    ) {
        let profile = profile(weights, min_fit, max_risk);
        let decision = decided(&given, &profile);
        let explained = explain(&decision, [&profile.clone().into()]);
        prop_assert_eq!(explained.others.len() + usize::from(explained.chosen.is_some()), given.len());
        for why in &explained.others {
            let of = |one: &&Candidate| one.agent == why.agent;
            let candidate = decision.candidates.iter().find(of).unwrap();
            let recorded = Recorded::of(candidate.signals.as_ref().unwrap()).unwrap();
            let recorded = met(why, recorded);
            prop_assert_eq!(recorded.failed_limit(&profile, &decision.request.hints), None);
            let now = wins(&decision, &why.agent, &profile, recorded);
            prop_assert_eq!(why.wins_then.unwrap_or(false), now);
            prop_assert_eq!(why.changes.is_empty(), now);
            for change in &why.changes {
                let best = if change.signal.adds() { 1.0 } else { 0.0 };
                let Some(to) = change.to else {
                    let at_best = recorded.with(change.signal, best);
                    prop_assert!(!wins(&decision, &why.agent, &profile, at_best), "{:?}", change);
                    continue;
                };
                let changed = recorded.with(change.signal, to);
                prop_assert!(wins(&decision, &why.agent, &profile, changed), "{:?}", change);
                let less = to + (change.from - to) * 1e-6;
                prop_assume!((less - to).abs() > 1e-9);
                let smaller = recorded.with(change.signal, less);
                prop_assert!(!wins(&decision, &why.agent, &profile, smaller), "{:?}", change);
            }
        }
    }

    #[test]
    fn the_same_references_leave_every_bit_as_recorded(values in uniform6(0.0..=1.0_f64)) {
        let recorded = Recorded::of(&signals(values)).unwrap();
        let again = recorded.under(&Profile::balanced(), &Default::default());
        prop_assert_eq!(again, recorded);
    }
}

const BETTER: [f64; 6] = [0.9, 0.8, 1.0, 0.5, 0.2, 0.2];

#[test]
fn risk_follows_fit_and_cost_as_it_does_live() {
    let weights = [0.3, 0.25, 0.15, 0.1, 0.1, 0.5];
    let profile = profile(weights, 0.25, 0.9);
    let decision = decided(&[BETTER, [0.5, 0.8, 1.0, 0.5, 0.2, 0.2]], &profile);
    let explained = explain(&decision, [&profile.into()]);
    let fit = change(&explained.others[0], SignalName::Fit);
    assert!(fit.risk_follows);
    // Both differ in nothing but fit, so what is missing is all of it.
    assert!((fit.to.unwrap() - 0.9).abs() < 1e-6, "{fit:?}");
}

#[test]
fn without_terms_risk_is_held_and_the_change_says_so() {
    let profile = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.9);
    let mut decision = decided(&[BETTER, [0.5, 0.8, 1.0, 0.5, 0.2, 0.2]], &profile);
    for candidate in &mut decision.candidates {
        candidate.signals.as_mut().unwrap().risk.terms.clear();
    }
    let explained = explain(&decision, [&profile.into()]);
    let fit = change(&explained.others[0], SignalName::Fit);
    assert!(!fit.risk_follows);
    // Lower risk would have done a part of it.
    assert!(fit.to.unwrap() > 0.9 + 1e-6, "{fit:?}");
}

#[test]
fn a_floor_says_how_far_off_and_whether_that_would_do() {
    let profile = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.9);
    let decision = decided(
        &[
            [0.3, 0.2, 0.2, 0.9, 0.9, 0.9],
            [0.18, 1.0, 1.0, 0.0, 0.0, 0.0],
            [0.18, 0.0, 0.1, 1.0, 1.0, 1.0],
        ],
        &profile,
    );
    let explained = explain(&decision, [&profile.into()]);
    for (agent, would_win) in [("agent-1", true), ("agent-2", false)] {
        let why = explained
            .others
            .iter()
            .find(|why| why.agent.as_str() == agent)
            .unwrap();
        assert_eq!(why.reason, Some(Discard::BelowMinFit));
        let requirement = why.requirements[0];
        assert_eq!((requirement.has, requirement.limit), (0.18, Some(0.25)));
        assert_eq!(why.wins_then, Some(would_win), "{why:?}");
    }
}

#[test]
fn limits_that_are_no_longer_known_are_not_made_up() {
    let then = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.9);
    let now = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.5, 0.9);
    let decision = decided(
        &[
            [0.3, 0.9, 0.9, 0.0, 0.0, 0.0],
            [0.18, 0.0, 0.0, 1.0, 1.0, 1.0],
        ],
        &then,
    );
    let explained = explain(&decision, [&now.into()]);
    assert!(!explained.limits_known);
    let why = &explained.others[0];
    assert_eq!(why.requirements[0].limit, None);
    assert_eq!((why.wins_then, why.score_then), (None, None));
}

#[test]
fn latency_is_named_in_milliseconds_too() {
    let profile = profile([0.3, 0.25, 0.15, 0.3, 0.1, 0.1], 0.25, 0.9);
    let decision = decided(&[BETTER, [0.9, 0.8, 1.0, 0.9, 0.2, 0.2]], &profile);
    let latency = change(
        &explain(&decision, [&profile.into()]).others[0],
        SignalName::Latency,
    );
    assert!(
        (latency.to_raw.unwrap() - 2500.0).abs() < 0.1,
        "{latency:?}"
    );
}

#[test]
fn what_chance_passed_over_is_told_from_what_lost() {
    let profile = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.9);
    let mut decision = decided(&[BETTER, [0.5, 0.8, 1.0, 0.5, 0.2, 0.2]], &profile);
    decision.propensity = 0.05;
    for candidate in &mut decision.candidates {
        candidate.verdict = match candidate.verdict {
            Verdict::Chosen => Verdict::Outscored,
            _ => Verdict::Chosen,
        };
    }
    let explained = explain(&decision, [&profile.into()]);
    assert_eq!(explained.chosen.unwrap().by, Win::Exploration);
    assert_eq!(explained.others[0].wins_then, Some(true));
    assert!(explained.others[0].changes.is_empty());
}

#[test]
fn signals_out_of_range_explain_nothing_and_break_nothing() {
    let profile = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.9);
    let mut decision = decided(&[BETTER, BETTER], &profile);
    decision.candidates[1].signals.as_mut().unwrap().fit.value = f64::NAN;
    let explained = explain(&decision, [&profile.into()]);
    assert!(explained.others[0].changes.is_empty());
}

#[test]
fn of_whom_a_rule_names_no_fit_is_needed() {
    let profile = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.5);
    let mut decision = decided(&[[0.1, 0.9, 1.0, 0.1, 0.1, 0.9]], &profile);
    decision.candidates[0].reason = Some(Discard::RiskCeiling);
    decision.rule = Some(MatchedRule {
        name: "named".to_owned(),
        action: RuleAction::Pin,
        agents: vec![decision.candidates[0].agent.clone()],
        profile: None,
        max_effect: None,
        detail: None,
    });
    let explanation = explain(&decision, [&profile.into()]);
    let needed = explanation.others[0].requirements.iter();
    let needed: Vec<_> = needed.map(|requirement| requirement.reason).collect();
    assert_eq!(needed, [Discard::RiskCeiling]);
}

#[test]
fn no_signal_brings_back_whom_a_rule_or_a_ceiling_leaves_out() {
    let profile = profile([0.3, 0.25, 0.15, 0.1, 0.1, 0.1], 0.25, 0.9);
    for reason in [Discard::ExcludedByRule, Discard::EffectCeiling] {
        let mut decision = decided(&[BETTER, BETTER], &profile);
        decision.candidates[1].verdict = Verdict::Discarded;
        decision.candidates[1].reason = Some(reason);
        let explained = explain(&decision, [&profile.clone().into()]);
        let other = &explained.others[0];
        assert!(
            other.changes.is_empty() && other.wins_then.is_none(),
            "{other:?}"
        );
    }
}
