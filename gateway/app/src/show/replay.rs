//! Replays in words and tables.

use gateway_evaluation::{
    Accepted, BeforeAfter, Change, Doubt, Estimate, Interval, OffPolicy, Range, Rate, Report,
};

use super::{new_table, one_line};
use crate::commands::decision_source::Reading;

/// Changes that are listed; `--json` has them all.
const LISTED: usize = 20;

/// Renders a report.
pub(crate) fn whole(source: &Reading, report: &Report) -> String {
    let mut lines = vec![format!(
        "{} decisions read, {} made again with {}",
        report.read,
        report.replayed,
        profiles(report)
    )];
    lines.extend(unreadable(source));
    lines.extend(left_out(report));
    lines.push(String::new());
    lines.extend(choices(report));
    lines.push(String::new());
    lines.extend(accepted(report));
    lines.extend(money_and_time(report));
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

/// Names the profile, or each of several with its number of decisions.
fn profiles(report: &Report) -> String {
    if report.profiles.keys().all(|name| *name == report.profile) {
        return report.profile.clone();
    }
    let named = report.profiles.iter();
    let named: Vec<_> = named
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    named.join(", ")
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

fn left_out(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
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

fn choices(report: &Report) -> Vec<String> {
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
    if report.turned_away > 0 {
        lines.push(format!(
            "turned away  {} by a rule, or because the profile the request asks for is not open",
            report.turned_away
        ));
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
        Doubt::NoText => "because a rule asks for text that is not recorded",
        Doubt::Rival => "because a rival of the new choice is not recorded",
    }
}

fn accepted(report: &Report) -> Vec<String> {
    let Accepted {
        before,
        matched,
        after,
        difference,
        off_policy,
    } = &report.accepted;
    let Some(before) = before else {
        return vec!["accepted     not known of any decision".to_owned()];
    };
    let unjudged = report.unjudged;
    let mut lines = vec![
        format!(
            "accepted     {} of those whose result is known",
            rate(before)
        ),
        format!(
            "             not known: {} canceled, {} open, {} not sent",
            unjudged.canceled, unjudged.open, unjudged.not_sent
        ),
    ];
    lines.extend(
        matched
            .as_ref()
            .map(|matched| format!("             {} where both choose alike", rate(matched))),
    );
    if let Some(off_policy) = off_policy {
        lines.extend(estimates(off_policy));
    }
    if let (Some(after), Some(difference)) = (after, difference) {
        let found = if off_policy.is_some() {
            "all told"
        } else {
            "possible"
        };
        lines.push(format!(
            "with it      {found} {}, a change of {}",
            range(after, percent),
            range(difference, points)
        ));
    }
    lines
}

fn estimates(off_policy: &OffPolicy) -> Vec<String> {
    vec![
        format!(
            "estimated    on {} decisions with exploration or without change (effective {:.0}):",
            off_policy.decisions, off_policy.effective_sample_size
        ),
        format!(
            "  doubly robust                    {}",
            estimate(&off_policy.doubly_robust, percent)
        ),
        format!(
            "  inverse propensity               {}",
            estimate(&off_policy.inverse_propensity, percent)
        ),
        format!(
            "  inverse propensity, normalised   {}",
            estimate(&off_policy.self_normalised, percent)
        ),
        format!(
            "  change, doubly robust            {}",
            estimate(&off_policy.difference, points)
        ),
    ]
}

fn money_and_time(report: &Report) -> Vec<String> {
    let cost = &report.cost;
    let mut lines = Vec::new();
    let currencies = cost.currencies.join("+");
    if let BeforeAfter {
        before: Some(before),
        after: Some(after),
    } = cost.per_request
    {
        lines.push(format!(
            "cost         {before:.4} → {after:.4} {currencies} a message"
        ));
    }
    if let (Some(before), Some(after)) = (cost.per_accepted_before, &cost.per_accepted_after) {
        let money = |amount: f64| format!("{amount:.4}");
        let change = cost.per_accepted_change.as_ref();
        let change = change.map(|change| format!(" ({})", range(change, signed_percent)));
        lines.push(format!(
            "             {before:.4} → {} {currencies} an accepted result{}",
            range(after, money),
            change.unwrap_or_default()
        ));
    }
    if let BeforeAfter {
        before: Some(before),
        after: Some(after),
    } = report.latency_ms
    {
        lines.push(format!(
            "latency      {before:.0} → {after:.0} ms expected, median"
        ));
    }
    lines
}

fn rate(rate: &Rate) -> String {
    let Rate {
        value,
        of,
        interval,
    } = rate;
    format!(
        "{} of {of} ({})",
        percent(*value),
        within(interval, percent)
    )
}

pub(super) fn estimate(estimate: &Estimate, show: impl Fn(f64) -> String) -> String {
    let value = show(estimate.value);
    match &estimate.interval {
        Some(interval) => format!("{value} ({})", within(interval, show)),
        None => format!("{value} (no interval)"),
    }
}

fn within(interval: &Interval, show: impl Fn(f64) -> String) -> String {
    format!("95 %: {} to {}", show(interval.low), show(interval.high))
}

fn range(range: &Range, show: impl Fn(f64) -> String) -> String {
    if range.is_point() {
        show(range.low)
    } else {
        format!("{} to {}", show(range.low), show(range.high))
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share + 0.0)
}

fn signed_percent(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share + 0.0)
}

pub(super) fn points(share: f64) -> String {
    format!("{:+.1} pt", 100.0 * share + 0.0)
}

#[cfg(test)]
mod tests {
    use gateway_core::{Profile, RouteDecision};
    use gateway_evaluation::{Replay, Setting};
    use serde_json::json;

    use super::*;

    fn decision(number: usize, chance: bool) -> RouteDecision {
        let candidate = |agent: &str, fit: f64, cost: f64, verdict: &str| {
            let signal = |raw: f64, value: f64| json!({ "raw": raw, "value": value });
            let score = 0.3 * fit + 0.25 * 0.5 + 0.15 - 0.1 * 0.2 - 0.1 * cost - 0.1 * 0.2;
            json!({
                "agent": agent, "skill": "main", "verdict": verdict, "score": score,
                "interface": { "binding": "JSONRPC", "version": "1.0" },
                "signals": {
                    "fit": signal(fit, fit), "quality": signal(0.5, 0.5),
                    "availability": signal(1.0, 1.0), "latency": signal(1000.0, 0.2),
                    "cost": { "raw": 0.1 * cost, "value": cost, "why": ["EUR"] }, "risk": signal(0.2, 0.2),
                },
            })
        };
        // Every second message fits one agent only.
        let other = if number.is_multiple_of(2) { 0.6 } else { 0.3 };
        let explores = chance && number % 10 < 2;
        let verdicts = if explores {
            ["outscored", "chosen"]
        } else {
            ["chosen", "outscored"]
        };
        let accepted = if explores {
            number % 20 < 18
        } else {
            number % 5 < 3
        };
        serde_json::from_value(json!({
            "id": format!("d-{number:04}"), "at": "2026-11-30T10:00:00Z", "kind": "scored",
            "caller": { "subject": "anonymous" }, "operation": "SendMessage", "client_version": "1.0",
            "request": {
                "message_id": format!("m-{number}"), "digest": "sha256:0", "text_chars": 9,
                "input_modes": ["text/plain"], "accepted_output_modes": [], "streaming": false,
                "data_keys": [], "hints": {},
            },
            "versions": { "config": "c", "catalog": "k", "profile": Profile::balanced().version() },
            "weights": Profile::balanced().weights,
            "propensity": if chance { if explores { 0.2 } else { 0.8 } } else { 1.0 },
            "candidates": [
                candidate("payments", 0.9, 0.5, verdicts[0]),
                candidate("regulations", other, 0.1, verdicts[1]),
            ],
            "outcome": { "state": if accepted { "completed" } else { "failed" }, "ms": 5 },
        }))
        .unwrap()
    }

    fn report(chance: bool) -> Report {
        let agents = ["payments", "regulations"].map(|agent| (agent.parse_id(), 0));
        let mut profile = Profile::balanced();
        profile.weights.cost = 0.4;
        let mut replay = Replay::new(Setting::new(agents, &profile));
        for number in 0..400 {
            replay.add(&decision(number, chance));
        }
        let mut pinned = decision(400, false);
        pinned.kind = gateway_core::decision::DecisionKind::Pinned;
        replay.add(&pinned);
        let mut open = decision(401, false);
        open.outcome = None;
        replay.add(&open);
        replay.finish()
    }

    trait ParseId {
        fn parse_id(&self) -> gateway_core::AgentId;
    }

    impl ParseId for str {
        fn parse_id(&self) -> gateway_core::AgentId {
            gateway_core::AgentId::parse(self).unwrap()
        }
    }

    #[test]
    fn report_without_exploration() {
        let source = Reading {
            decisions: 402,
            unreadable: 1,
            unreadable_examples: vec!["x.jsonl:7: column 3: expected value".to_owned()],
        };
        insta::assert_snapshot!(whole(&source, &report(false)));
    }

    #[test]
    fn report_with_exploration() {
        insta::assert_snapshot!(whole(&Reading::default(), &report(true)));
    }
}
