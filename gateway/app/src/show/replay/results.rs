//! What results came to: what share is accepted, at what cost and latency.

use gateway_evaluation::{Accepted, BeforeAfter, OffPolicy, Report};

use super::numbers::{estimate, percent, points, range, rate, signed_percent};

pub(super) fn accepted(report: &Report) -> Vec<String> {
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
            "estimated    on {} decisions whose new choice was possible then (effective {:.0}):",
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

pub(super) fn money_and_time(report: &Report) -> Vec<String> {
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
