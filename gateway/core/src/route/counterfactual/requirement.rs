//! The limits a discarded candidate failed: how far off it is, and what it would be if it met them.

use serde::{Deserialize, Serialize};

use super::Contest;
use crate::{
    decision::{Discard, RuleAction},
    route::recorded::{Recorded, SignalName},
};

/// A limit that a candidate does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// Which one.
    pub reason: Discard,
    /// The signal it is about.
    pub signal: SignalName,
    /// What the candidate has: fit and risk in [0,1], cost in the agent's currency, latency in milliseconds.
    pub has: f64,
    /// The least or the most it may have, in the same unit; absent where the limits of the profile are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// Meets one limit after the other, each by the least that is needed. Returns them, and the signals then, unless a limit
/// is not known or one that is not about signals was failed.
pub(super) fn meet(
    recorded: Recorded,
    first: Discard,
    contest: Contest<'_>,
) -> (Vec<Requirement>, Option<Recorded>) {
    let mut requirements: Vec<Requirement> = Vec::new();
    let mut recorded = recorded;
    let mut failed = Some(first);
    while let Some(reason) = failed {
        let Some(requirement) = requirement(recorded, reason, contest) else {
            return (requirements, None);
        };
        let repeated = requirements.iter().any(|known| known.reason == reason);
        requirements.push(requirement);
        let Some(limit) = requirement.limit.filter(|_| !repeated) else {
            return (requirements, None);
        };
        recorded = match reason {
            Discard::BudgetCost => recorded.within_cost(limit),
            Discard::BudgetLatency => recorded.within_latency(limit),
            _ => recorded.with(requirement.signal, limit),
        };
        let hints = &contest.decision.request.hints;
        let rule = contest.decision.rule.as_ref();
        let is_pinned = rule.is_some_and(|rule| rule.action == RuleAction::Pin);
        failed = contest.profile.and_then(|profile| {
            if is_pinned {
                recorded.failed_limit_beside_fit(profile, hints)
            } else {
                recorded.failed_limit(profile, hints)
            }
        });
    }
    (requirements, Some(recorded))
}

fn requirement(recorded: Recorded, reason: Discard, contest: Contest<'_>) -> Option<Requirement> {
    let (profile, hints) = (contest.profile, &contest.decision.request.hints);
    let (signal, has, limit) = match reason {
        Discard::BelowMinFit => (
            SignalName::Fit,
            recorded.value(SignalName::Fit),
            profile.map(|profile| profile.min_fit),
        ),
        Discard::RiskCeiling => (
            SignalName::Risk,
            recorded.value(SignalName::Risk),
            profile.map(|profile| profile.max_risk),
        ),
        Discard::BudgetCost => (SignalName::Cost, recorded.cost(), hints.max_cost_eur),
        Discard::BudgetLatency => (
            SignalName::Latency,
            recorded.latency_ms()?,
            hints.max_latency_ms,
        ),
        _ => return None,
    };
    Some(Requirement {
        reason,
        signal,
        has,
        limit,
    })
}
