//! What a discarded candidate needs to meet the requirements, and what would come of it.

use gateway_core::{
    decision::Discard,
    route::counterfactual::{Requirement, WhyNot},
};

/// Says what must be met and what comes of it.
pub(super) fn requirements(other: &WhyNot) -> Option<String> {
    if let Some(Discard::EffectCeiling | Discard::ExcludedByRule) = other.reason {
        return Some("  no signal would change that".to_owned());
    }
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
