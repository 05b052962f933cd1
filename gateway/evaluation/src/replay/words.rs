//! What to know before relying on the numbers of a report, in plain words.

use crate::report::{OffPolicy, Report};

/// Fewer results say little.
const FEW: u64 = 100;

/// Returns what there is to say.
pub(super) fn warnings(report: &Report) -> Vec<String> {
    let mut warnings = of_results(report);
    if let Some(off_policy) = &report.accepted.off_policy {
        warnings.extend(of_estimates(off_policy));
    }
    warnings.extend(of_records(report));
    if report.cost.currencies.len() > 1 {
        warnings.push(format!(
            "costs are added up over several currencies ({})",
            report.cost.currencies.join(", ")
        ));
    }
    warnings
}

fn of_results(report: &Report) -> Vec<String> {
    let judged = report.accepted.before.map_or(0, |before| before.of);
    let mut warnings = Vec::new();
    match judged {
        0 => warnings.push(
            "no decision has a known result, so nothing is said about what would be accepted"
                .to_owned(),
        ),
        1..FEW => warnings.push(format!("only {judged} decisions have a known result")),
        _ => {}
    }
    if judged > 0 && report.accepted.off_policy.is_none() {
        warnings.push(
            "exploration did not run: every choice was certain, so only agreement is known. What the changed choices \
             would have led to is not in the records, and no interval is given for it"
                .to_owned(),
        );
    }
    warnings
}

fn of_records(report: &Report) -> Vec<String> {
    let counted = [
        (
            report.uncertain,
            "choices are not certain, because a record does not tell enough about every agent",
        ),
        (
            report.undecided,
            "decisions cannot be made again, because their records do not tell enough to begin with; shares of choices, \
             estimates, costs and latencies are not about them",
        ),
        (
            report.broken + report.unreadable,
            "decisions are unreadable or contradict themselves; nobody knows what becomes of them",
        ),
        (
            report.improper_propensity,
            "decisions hold propensities that cannot be right (each is from 1e-6 to 1, those of one decision sum up to 1, \
             and that of the chosen one stands there twice); the estimates are not about them",
        ),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    counted
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
}

fn of_estimates(off_policy: &OffPolicy) -> Vec<String> {
    let mut warnings = Vec::new();
    if off_policy.doubly_robust.interval.is_none() {
        warnings.push(format!(
            "the estimates rest on too little for an interval ({:.0} effective decisions)",
            off_policy.effective_sample_size
        ));
    }
    if off_policy.unsupported > 0 {
        warnings.push(format!(
            "{} new choices could not have been taken by chance, as far as their records tell; the estimates are not about \
             those decisions",
            off_policy.unsupported
        ));
    }
    let weight = off_policy.mean_weight;
    if weight
        .interval
        .is_some_and(|interval| !interval.covers(1.0))
    {
        warnings.push(format!(
            "the mean weight is {:.2} and not 1: choices were not taken as often as their recorded probabilities say, so \
             the estimates err to one side",
            weight.value
        ));
    }
    warnings
}
