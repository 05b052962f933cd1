//! The changes of single signals that make a candidate win.

use gateway_core::route::{
    SignalName,
    counterfactual::{Change, WhyNot},
};

/// Names the change of each signal that makes it win, and those signals that cannot alone.
pub(super) fn changes(other: &WhyNot) -> Vec<String> {
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
    use super::*;

    #[test]
    fn what_is_shown_wins_as_well() {
        assert_eq!((outward(0.5201, true), outward(0.9999, true)), (0.521, 1.0));
        assert_eq!(
            (outward(0.5209, false), outward(0.0001, false)),
            (0.520, 0.0)
        );
    }
}
