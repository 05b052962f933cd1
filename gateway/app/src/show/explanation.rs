//! Explanations in words: why one was chosen, and what would have made each other one win.

use gateway_core::{
    decision::{Discard, Verdict},
    route::{
        SignalName,
        counterfactual::{Change, Explanation, Lead, Requirement, WhyChosen, WhyNot, Win},
    },
};

use super::one_line;

/// Contributions smaller than this are not worth a word.
const SLIGHT: f64 = 0.0005;

/// Renders an explanation.
pub(crate) fn whole(explanation: &Explanation) -> String {
    let mut lines = Vec::new();
    match &explanation.chosen {
        Some(chosen) => lines.extend(why(chosen)),
        None => lines.push("nobody was chosen: no agent met all requirements".to_owned()),
    }
    if !explanation.others.is_empty() {
        lines.push("why not the others:".to_owned());
    }
    for other in &explanation.others {
        lines.extend(why_not(other));
    }
    if explanation.unlisted > 0 {
        let count = explanation.unlisted;
        lines.push(format!(
            "{count} more were considered; the record counts them only"
        ));
    }
    let is_limited = explanation.others.iter().any(|other| {
        let mut requirements = other.requirements.iter();
        requirements.any(|requirement| requirement.limit.is_none())
    });
    if is_limited {
        lines.push(
            "the profile has changed since, so its floor and ceiling then are known by the words of the record only"
                .to_owned(),
        );
    }
    lines.join("\n")
}

fn why(chosen: &WhyChosen) -> Vec<String> {
    let WhyChosen { agent, score, .. } = chosen;
    let score = score
        .map(|score| format!(" with {score:.4}"))
        .unwrap_or_default();
    let against = chosen.against.as_ref();
    let behind = against
        .zip(chosen.margin)
        .map(|(other, margin)| format!("{:.4} ahead of `{other}`", margin + 0.0));
    let behind = behind.unwrap_or_default();
    let how = match chosen.by {
        Win::Score => format!("has the highest score{score}, {behind}"),
        Win::Tie => format!(
            "scores{score} like `{}` and comes first by preference or by message id",
            against.map(ToString::to_string).unwrap_or_default()
        ),
        Win::Exploration => format!(
            "was taken by chance{score}, with a probability of {:.3}; `{}` scored {:.4} more",
            chosen.propensity,
            against.map(ToString::to_string).unwrap_or_default(),
            chosen.margin.unwrap_or_default().abs()
        ),
        Win::Alone => format!("is the only one that met all requirements{score}"),
        Win::Fallback => "is the fallback of the profile: no agent fitted".to_owned(),
        Win::Address => "was addressed by task, context or path; nothing was scored".to_owned(),
    };
    let mut lines = vec![format!("`{agent}` {how}")];
    if let Some(lead) = leads(&chosen.lead) {
        lines.push(format!("  it leads by {lead}"));
    }
    lines
}

/// Names what a margin is made of: `fit +0.205, cost -0.026`.
fn leads(leads: &[Lead]) -> Option<String> {
    let worth = leads.iter().filter(|lead| lead.by.abs() >= SLIGHT);
    let named: Vec<_> = worth
        .map(|lead| format!("{} {:+.3}", lead.signal.as_str(), lead.by))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

fn why_not(other: &WhyNot) -> Vec<String> {
    let mut lines = vec![match (other.verdict, other.reason) {
        (Verdict::Discarded, Some(reason)) => {
            let detail = other.detail.as_deref().map(one_line).unwrap_or_default();
            format!("`{}` {reason}: {detail}", other.agent)
        }
        _ => format!(
            "`{}` {}",
            other.agent,
            other.detail.as_deref().unwrap_or("was outscored")
        ),
    }];
    if other.verdict != Verdict::Discarded
        && let Some(lags) = leads(&other.lags)
    {
        lines.push(format!("  it lags by {lags}"));
    }
    lines.extend(requirements(other));
    lines.extend(changes(other));
    lines
}

/// Says what must be met and what comes of it.
fn requirements(other: &WhyNot) -> Option<String> {
    if other.reason.is_some() && other.requirements.is_empty() {
        return Some(
            "  it was not scored, so whether it would win otherwise is not known".to_owned(),
        );
    }
    if other.reason.is_none() {
        let wins = other.wins_then == Some(true);
        return wins.then(|| "  it has the highest score".to_owned());
    }
    let needs: Vec<_> = other.requirements.iter().map(needs).collect();
    let then = match (other.wins_then, other.score_then) {
        (Some(true), Some(score)) => format!("with that it scores {score:.4} and wins"),
        (Some(false), Some(score)) => format!("with that it scores {score:.4} and does not win"),
        (Some(true), None) => "with that it wins".to_owned(),
        (_, _) => "whether it wins with that is not known".to_owned(),
    };
    Some(format!("  it needs {}; {then}", needs.join(" and ")))
}

fn needs(requirement: &Requirement) -> String {
    let Requirement {
        reason, has, limit, ..
    } = *requirement;
    let Some(limit) = limit else {
        return match reason {
            Discard::BelowMinFit => format!("more fit than {has:.3}"),
            _ => format!("less risk than {has:.3}"),
        };
    };
    let off = (limit - has).abs();
    match reason {
        Discard::BelowMinFit => format!("a fit of {limit:.3} and has {has:.3}, {off:.3} less"),
        Discard::RiskCeiling => {
            format!("a risk of at most {limit:.3} and has {has:.3}, {off:.3} more")
        }
        Discard::BudgetCost => format!("a cost of at most {limit} and has {has}, {off:.4} more"),
        _ => format!("a latency of at most {limit:.0} ms and has {has:.0} ms, {off:.0} ms more"),
    }
}

/// Names the change of each signal that makes it win, and those signals that cannot alone.
fn changes(other: &WhyNot) -> Vec<String> {
    if other.changes.is_empty() {
        return Vec::new();
    }
    let (enough, too_little): (Vec<_>, Vec<_>) =
        other.changes.iter().partition(|change| change.to.is_some());
    let mut lines = Vec::new();
    let named: Vec<_> = enough.into_iter().filter_map(change).collect();
    if !named.is_empty() {
        lines.push(format!("  it wins with {}", named.join(", or ")));
    }
    let names: Vec<_> = too_little
        .iter()
        .map(|change| change.signal.as_str())
        .collect();
    if let [most @ .., last] = names.as_slice() {
        let joined = if most.is_empty() {
            format!("{last} alone")
        } else {
            format!("{} or {last} alone", most.join(", "))
        };
        lines.push(format!("  {joined} cannot do it"));
    }
    lines
}

fn change(change: &Change) -> Option<String> {
    let (name, from, to) = (change.signal.as_str(), change.from, change.to?);
    let to = outward(to, change.signal.adds());
    let raw = match (change.signal, change.to_raw) {
        (SignalName::Latency, Some(raw)) => format!(" ({raw:.0} ms)"),
        (SignalName::Cost, Some(raw)) => format!(" ({raw:.4})"),
        _ => String::new(),
    };
    let held = match change.signal {
        SignalName::Fit | SignalName::Cost if !change.risk_follows => ", risk held",
        _ => "",
    };
    Some(format!("{name} from {from:.3} to {to:.3}{raw}{held}"))
}

/// Rounds away from the present value, so that what is shown wins too.
fn outward(value: f64, up: bool) -> f64 {
    let thousandths = value * 1000.0;
    if up {
        (thousandths.ceil() / 1000.0).min(1.0)
    } else {
        thousandths.floor() / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use gateway_core::{
        Profile, RouteDecision,
        decision::{Candidate, DecisionKind},
        route::{Recorded, SignalValues, contributions, counterfactual::explain},
    };
    use serde_json::json;

    use super::*;

    /// Fit, quality, availability, latency, cost, risk besides that of fit and cost.
    fn candidate(agent: &str, values: [f64; 6]) -> Candidate {
        let [fit, quality, availability, latency, cost, other] = values;
        let terms =
            json!({ "effect": other, "uncertainty": 0.15 * (1.0 - fit), "cost": 0.1 * cost });
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
        letters.detail =
            Some("a stream was asked for and the card says streaming is off".to_owned());
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
        let shown = [nobody, fallback, explored]
            .map(|one| whole(&explain(&one, [&profile.clone().into()])));
        insta::assert_snapshot!(shown.join("\n\n"));
    }

    #[test]
    fn what_is_shown_wins_as_well() {
        assert_eq!((outward(0.5201, true), outward(0.9999, true)), (0.521, 1.0));
        assert_eq!(
            (outward(0.5209, false), outward(0.0001, false)),
            (0.520, 0.0)
        );
    }
}
