//! Replays in words and tables.

mod choices;
mod numbers;
mod results;

#[cfg(test)]
mod tests;

use gateway_evaluation::Report;

pub(super) use self::numbers::{estimate, points};
use super::one_line;
use crate::commands::decision_source::Reading;

/// Renders a report.
pub(crate) fn whole(source: &Reading, report: &Report) -> String {
    let mut lines = vec![format!(
        "{} decisions read, {} made again with {}",
        report.read, report.replayed, report.profile
    )];
    lines.extend(others(report));
    lines.extend(unreadable(source));
    lines.extend(left_out(report));
    lines.push(String::new());
    lines.extend(choices::choices(report));
    lines.push(String::new());
    lines.extend(results::accepted(report));
    lines.extend(results::money_and_time(report));
    if !report.warnings.is_empty() {
        lines.push(String::new());
    }
    lines.extend(
        report
            .warnings
            .iter()
            .map(|warning| format!("note: {warning}")),
    );
    lines.join("\n")
}

/// Says which lines were no decision.
pub(super) fn unreadable(source: &Reading) -> Vec<String> {
    if source.unreadable == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!("{} lines are no decision:", source.unreadable)];
    let examples = &source.unreadable_examples;
    lines.extend(
        examples
            .iter()
            .map(|example| format!("  {}", one_line(example))),
    );
    lines
}

/// Says which other profiles took part, by a rule or by request.
fn others(report: &Report) -> Option<String> {
    let others = report.profiles.iter();
    let others = others.filter(|(profile, _)| **profile != report.profile);
    let others: Vec<_> = others
        .map(|(profile, count)| format!("{count} with {profile}"))
        .collect();
    (!others.is_empty()).then(|| format!("of these, by rule or request: {}", others.join(", ")))
}

fn left_out(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if report.duplicates > 0 {
        let count = report.duplicates;
        lines.push(format!("{count} decisions met again; each counts once"));
    }
    if !report.not_scored.is_empty() {
        let kinds = report.not_scored.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        lines.push(format!(
            "not scored, so not made again: {}",
            kinds.join(", ")
        ));
    }
    if report.broken > 0 {
        lines.push(format!("{} records contradict themselves:", report.broken));
        let examples = &report.broken_examples;
        lines.extend(
            examples
                .iter()
                .map(|example| format!("  {}", one_line(example))),
        );
    }
    lines
}
