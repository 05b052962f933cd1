//! The smallest change of one signal that makes a candidate win.

use serde::{Deserialize, Serialize};

use crate::{
    decision::RouteDecision,
    profile::Profile,
    route::recorded::{Recorded, SignalName},
};

/// Halvings of the range of a signal: more than a number has digits.
const HALVINGS: usize = 60;

/// The smallest change of one signal that makes a candidate win, everything else as it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The signal.
    pub signal: SignalName,
    /// Its value.
    pub from: f64,
    /// The value nearest to it that wins; absent where no value of this signal alone does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// `to` in its own unit, milliseconds or money, where the reference is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_raw: Option<f64>,
    /// Whether risk moves along, as it does live when fit or cost change. Where it could and the record does not tell
    /// how, risk is held.
    #[serde(default)]
    pub risk_follows: bool,
}

/// Returns the smallest change of each signal that lifts the score above a target.
pub(super) fn smallest(
    recorded: Recorded,
    decision: &RouteDecision,
    profile: Option<&Profile>,
    target: f64,
) -> Vec<Change> {
    let changes = SignalName::ALL.map(|signal| {
        let to = nearest_winning(
            signal,
            |value| recorded.with(signal, value).score(&decision.weights) > target,
            recorded.value(signal),
        );
        let reference = to.and_then(|_| reference(signal, recorded, decision, profile));
        Change {
            signal,
            from: recorded.value(signal),
            to,
            to_raw: to.zip(reference).map(|(to, reference)| to * reference),
            risk_follows: recorded.risk_follows(signal),
        }
    });
    changes.to_vec()
}

/// Halves the way to the best value of a signal until the nearest one that wins is found.
fn nearest_winning(signal: SignalName, wins: impl Fn(f64) -> bool, from: f64) -> Option<f64> {
    let mut winning = if signal.adds() { 1.0 } else { 0.0 };
    if !wins(winning) {
        return None;
    }
    let mut losing = from;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(losing, winning);
        if wins(middle) {
            winning = middle;
        } else {
            losing = middle;
        }
    }
    Some(winning)
}

/// Returns what counts as 1 of a signal, in its own unit.
fn reference(
    signal: SignalName,
    recorded: Recorded,
    decision: &RouteDecision,
    profile: Option<&Profile>,
) -> Option<f64> {
    let hints = &decision.request.hints;
    let (raw, given, of_profile) = match signal {
        SignalName::Latency => (
            recorded.latency_ms(),
            hints.max_latency_ms,
            profile.map(|profile| profile.reference_latency.as_secs_f64() * 1000.0),
        ),
        SignalName::Cost => (
            Some(recorded.cost()),
            hints.max_cost_eur,
            profile.map(|profile| profile.reference_cost),
        ),
        _ => return None,
    };
    let value = recorded.value(signal);
    let implied = raw.filter(|_| value > 0.0 && value < 1.0);
    given
        .or(of_profile)
        .or_else(|| implied.map(|raw| raw / value))
}
