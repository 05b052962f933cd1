//! What changed between two cards.

use agent_cards::Change;

use crate::show::one_line;

/// Lists changes, drift marked as such, and counts them.
pub(crate) fn list(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no change".to_owned();
    }
    let mut lines: Vec<String> = changes.iter().map(one).collect();
    let drift = changes.iter().filter(|change| change.is_drift()).count();
    let ending = if changes.len() == 1 { "" } else { "s" };
    lines.push(format!(
        "{} change{ending}, {drift} of drift",
        changes.len()
    ));
    lines.join("\n")
}

fn one(change: &Change) -> String {
    let mark = if change.is_drift() { "drift" } else { "" };
    let kind = change.kind.as_str();
    let message = one_line(&format!("{} ({})", change.message, change.pointer));
    format!("{mark:<6} {kind:<17} {message}")
}
