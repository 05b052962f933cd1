//! Which choices change, and which are not certain.

use gateway_evaluation::{Change, Doubt, Report};

use super::numbers::rate;
use crate::show::{new_table, one_line};

/// Changes that are listed; `--json` has them all.
const LISTED: usize = 20;

pub(super) fn choices(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let agreement = report.agreement.as_ref();
    lines.push(format!(
        "same choice  {}; {} change",
        agreement.map_or_else(|| "–".to_owned(), rate),
        report.changed
    ));
    if !report.changes.is_empty() {
        lines.push(changes(&report.changes));
    }
    if report.uncertain > 0 {
        let doubts = report.doubts.iter();
        let doubts: Vec<_> = doubts
            .map(|(doubt, count)| format!("{count} {}", words(*doubt)))
            .collect();
        lines.push(format!(
            "not certain  {}: {}",
            report.uncertain,
            doubts.join(", ")
        ));
    }
    for (why, count) in &report.undecidable {
        lines.push(format!("not decidable  {count}: {}", one_line(why)));
    }
    if report.turned_away > 0 {
        let count = report.turned_away;
        lines.push(format!(
            "turned away  {count}, by a rule or for a profile that no request may choose"
        ));
    }
    if report.explored > 0 {
        let count = report.explored;
        lines.push(format!(
            "explored     {count}; the choice without chance is what is compared"
        ));
    }
    lines
}

fn changes(changes: &[Change]) -> String {
    let mut table = new_table(["from", "to", "decisions", "clearest"]);
    for change in changes.iter().take(LISTED) {
        let examples = change.examples.iter().map(|example| match example.lead {
            Some(lead) => format!("{} ({lead:+.4})", example.decision),
            None => example.decision.clone(),
        });
        table.add_row([
            who(change.from.as_deref()),
            who(change.to.as_deref()),
            change.count.to_string(),
            examples.collect::<Vec<_>>().join("\n"),
        ]);
    }
    match changes.len().checked_sub(LISTED) {
        None | Some(0) => table.to_string(),
        Some(more) => format!("{table}\nand {more} other pairs of agents; --json has all"),
    }
}

fn who(agent: Option<&str>) -> String {
    agent.unwrap_or("nobody").to_owned()
}

fn words(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::NewAgent => "because of agents that are new",
        Doubt::Unlisted => "because of candidates that are counted only",
        Doubt::CardUnchecked => "because the winner's card had not been looked at",
        Doubt::NotMeasured => "because of candidates without signals",
        Doubt::LikenessUnknown => "because it is not recorded how much others are alike",
    }
}
