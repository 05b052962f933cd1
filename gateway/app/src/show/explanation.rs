//! Explanations in words: why one was chosen, and what would have made each other one win.

mod changes;
mod needs;

#[cfg(test)]
mod tests;

use gateway_core::{
    decision::{DecisionKind, RuleAction, Verdict},
    route::counterfactual::{Explanation, Lead, WhyChosen, WhyNot, Win},
};

use self::{changes::changes, needs::requirements};
use super::one_line;

/// Contributions smaller than this are not worth a word.
const SLIGHT: f64 = 0.0005;

/// Renders an explanation.
pub(crate) fn whole(explanation: &Explanation) -> String {
    let mut lines = Vec::new();
    match &explanation.chosen {
        Some(chosen) => lines.extend(why(chosen)),
        None => lines.push(why_nobody(explanation)),
    }
    if !explanation.others.is_empty() {
        let whom = match explanation.chosen {
            Some(_) => "why not the others:",
            None => "why none of them:",
        };
        lines.push(whom.to_owned());
    }
    for other in &explanation.others {
        lines.extend(why_not(other));
    }
    if explanation.unlisted > 0 {
        let count = explanation.unlisted;
        lines.push(format!(
            "{count} more were considered; the record counts them only"
        ));
    }
    let is_limited = explanation.others.iter().any(|other| {
        let mut requirements = other.requirements.iter();
        requirements.any(|requirement| requirement.limit.is_none())
    });
    if is_limited {
        lines.push(
            "the profile has changed since, so its floor and ceiling then are known by the words of the record only"
                .to_owned(),
        );
    }
    lines.join("\n")
}

fn why_nobody(explanation: &Explanation) -> String {
    let why = match (explanation.kind, &explanation.rule) {
        (DecisionKind::Rejected, Some(rule)) => format!(
            "the rule `{}` {}: {}",
            rule.name,
            match rule.action {
                RuleAction::Failed => "could not be evaluated",
                _ => "turned the message away",
            },
            one_line(rule.detail.as_deref().unwrap_or_default())
        ),
        (DecisionKind::Rejected, None) => "a routing rule turned the message away".to_owned(),
        (DecisionKind::Ambiguous, _) => {
            "the best agents fit alike, and the profile rejects guesses".to_owned()
        }
        _ => "no agent met all requirements".to_owned(),
    };
    format!("nobody was chosen: {why}")
}

fn why(chosen: &WhyChosen) -> Vec<String> {
    let WhyChosen { agent, score, .. } = chosen;
    let score = score
        .map(|score| format!(" with {score:.4}"))
        .unwrap_or_default();
    let against = chosen.against.as_ref();
    let behind = against
        .zip(chosen.margin)
        .map(|(other, margin)| format!("{:.4} ahead of `{other}`", margin + 0.0));
    let behind = behind.unwrap_or_default();
    let how = match chosen.by {
        Win::Score => format!("has the highest score{score}, {behind}"),
        Win::Tie => format!(
            "scores{score} like `{}` and comes first by preference or by message id",
            against.map(ToString::to_string).unwrap_or_default()
        ),
        Win::Exploration => format!(
            "was taken by chance{score}, with a probability of {:.3}; `{}` scored {:.4} more",
            chosen.propensity,
            against.map(ToString::to_string).unwrap_or_default(),
            chosen.margin.unwrap_or_default().abs()
        ),
        Win::Alone => format!("is the only one that met all requirements{score}"),
        Win::Fallback => "is the fallback of the profile: no agent fitted".to_owned(),
        Win::Address => "was addressed by task, context or path; nothing was scored".to_owned(),
    };
    let mut lines = vec![format!("`{agent}` {how}")];
    if let Some(lead) = leads(&chosen.lead) {
        lines.push(format!("  it leads by {lead}"));
    }
    lines
}

/// Names what a margin is made of: `fit +0.205, cost -0.026`.
fn leads(leads: &[Lead]) -> Option<String> {
    let worth = leads.iter().filter(|lead| lead.by.abs() >= SLIGHT);
    let named: Vec<_> = worth
        .map(|lead| format!("{} {:+.3}", lead.signal.as_str(), lead.by))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

fn why_not(other: &WhyNot) -> Vec<String> {
    let mut lines = vec![match (other.verdict, other.reason) {
        (Verdict::Discarded, Some(reason)) => {
            let detail = other.detail.as_deref().map(one_line).unwrap_or_default();
            format!("`{}` {reason}: {detail}", other.agent)
        }
        _ => format!(
            "`{}` {}",
            other.agent,
            other.detail.as_deref().unwrap_or("was outscored")
        ),
    }];
    if other.verdict != Verdict::Discarded
        && let Some(lags) = leads(&other.lags)
    {
        lines.push(format!("  it lags by {lags}"));
    }
    lines.extend(requirements(other));
    lines.extend(changes(other));
    lines
}
