//! Hard requirements: what rules a candidate out before or beside its score.

use gateway_protocol::Version;

use crate::{
    catalog::{AcceptedCard, CatalogAgent, Endpoint},
    decision::{Discard, Signals},
    profile::Profile,
    route::features::Features,
};

/// A failed requirement, with the values compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) reason: Discard,
    pub(crate) detail: String,
}

fn failed(reason: Discard, detail: impl Into<String>) -> Failed {
    Failed {
        reason,
        detail: detail.into(),
    }
}

/// Returns the card and the interface to call, if the agent can serve a client of this version at all.
pub(crate) fn reachable(
    agent: &CatalogAgent,
    version: Version,
) -> Result<(&AcceptedCard, &Endpoint), Failed> {
    let Some(accepted) = &agent.status.accepted else {
        let detail = agent.status.problem.clone();
        return Err(failed(
            Discard::CardUnavailable,
            detail.unwrap_or_else(|| "its card has not been fetched yet".to_owned()),
        ));
    };
    match accepted.endpoint(version) {
        Some(endpoint) => Ok((accepted, endpoint)),
        None => Err(failed(
            Discard::VersionUnreachable,
            version_detail(accepted, version),
        )),
    }
}

fn version_detail(accepted: &AcceptedCard, version: Version) -> String {
    let versions: Vec<_> = accepted
        .versions()
        .iter()
        .map(|version| version.as_str())
        .collect();
    if versions.is_empty() {
        format!("the client speaks {version} and the card has no JSON-RPC interface of 0.3 or 1.0")
    } else {
        format!(
            "the client speaks {version}, the agent {} over JSON-RPC",
            versions.join(", ")
        )
    }
}

/// Checks what the card says the agent can do.
pub(crate) fn capable(accepted: &AcceptedCard, features: &Features) -> Result<(), Failed> {
    let capabilities = accepted.card.capabilities();
    if features.streaming && !capabilities.streaming {
        return Err(failed(
            Discard::Streaming,
            "a stream was asked for and the card says streaming is off",
        ));
    }
    for extension in capabilities
        .extensions
        .iter()
        .filter(|extension| extension.required)
    {
        if !features.extensions.contains(&extension.uri) {
            let detail = format!("the agent requires the extension `{}`", extension.uri);
            return Err(failed(Discard::ExtensionRequired, detail));
        }
    }
    Ok(())
}

/// Checks the media types in and out against a skill, or the card's defaults.
pub(crate) fn modes(
    accepted: &AcceptedCard,
    skill: Option<usize>,
    features: &Features,
) -> Result<(), Failed> {
    let card = &accepted.card;
    let skill = skill.and_then(|position| card.skills().get(position));
    let inputs = skill.map_or(card.default_input_modes(), |skill| card.input_modes(skill));
    let outputs = skill.map_or(card.default_output_modes(), |skill| {
        card.output_modes(skill)
    });
    if let Some(mode) = features
        .input_modes
        .iter()
        .find(|mode| !accepts(inputs, mode))
    {
        let detail = format!(
            "the message holds {mode}, the agent takes {}",
            inputs.join(", ")
        );
        return Err(failed(Discard::InputMode, detail));
    }
    let wanted = &features.accepted_output_modes;
    if !wanted.is_empty()
        && !outputs.is_empty()
        && !wanted.iter().any(|mode| accepts(outputs, mode))
    {
        let detail = format!(
            "the client accepts {}, the agent gives {}",
            wanted.join(", "),
            outputs.join(", ")
        );
        return Err(failed(Discard::OutputMode, detail));
    }
    Ok(())
}

/// An empty list says nothing, so it rules nothing out. Plain text is the mode every A2A agent reads, and
/// `text` is what older cards call it.
fn accepts(modes: &[String], wanted: &str) -> bool {
    modes.is_empty() || modes.iter().any(|mode| media_types_match(mode, wanted))
}

fn media_types_match(left: &str, right: &str) -> bool {
    let (left, right) = (essence(left), essence(right));
    let wildcard = |pattern: &str, other: &str| {
        pattern == "*/*"
            || pattern == "*"
            || pattern
                .strip_suffix("/*")
                .is_some_and(|kind| other.split('/').next() == Some(kind))
    };
    left == right || wildcard(&left, &right) || wildcard(&right, &left)
}

fn essence(media_type: &str) -> String {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "text" => "text/plain".to_owned(),
        "json" | "data" => "application/json".to_owned(),
        _ => essence,
    }
}

/// Checks the signals against the profile's limits and the caller's budget.
pub(crate) fn affordable(
    signals: &Signals,
    profile: &Profile,
    features: &Features,
    fit_matters: bool,
) -> Result<(), Failed> {
    if fit_matters && signals.fit.value < profile.min_fit {
        let detail = format!(
            "fit {:.2} is below the floor {:.2}",
            signals.fit.value, profile.min_fit
        );
        return Err(failed(Discard::BelowMinFit, detail));
    }
    let hints = &features.hints;
    if let Some(budget) = hints
        .max_cost_eur
        .filter(|budget| signals.cost.raw > *budget)
    {
        let detail = format!(
            "cost {:.4} is above the budget {budget:.4}",
            signals.cost.raw
        );
        return Err(failed(Discard::BudgetCost, detail));
    }
    let known = signals
        .latency
        .why
        .first()
        .is_none_or(|source| source != "unknown");
    if let Some(budget) = hints
        .max_latency_ms
        .filter(|budget| known && signals.latency.raw > *budget)
    {
        let detail = format!(
            "latency {:.0} ms is above the budget {budget:.0} ms",
            signals.latency.raw
        );
        return Err(failed(Discard::BudgetLatency, detail));
    }
    if signals.risk.value > profile.max_risk {
        let detail = format!(
            "risk {:.2} is above the ceiling {:.2}",
            signals.risk.value, profile.max_risk
        );
        return Err(failed(Discard::RiskCeiling, detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::media_types_match;

    #[test]
    fn media_types_match_without_parameters_case_and_with_wildcards() {
        for (left, right) in [
            ("text/plain", "text/plain; charset=utf-8"),
            ("Text/Plain", "text/plain"),
            ("text", "text/plain"),
            ("image/*", "image/png"),
            ("application/json", "*/*"),
        ] {
            assert!(media_types_match(left, right), "{left} {right}");
        }
        for (left, right) in [
            ("text/plain", "text/html"),
            ("image/*", "imagex/png"),
            ("", "text/plain"),
        ] {
            assert!(!media_types_match(left, right), "{left} {right}");
        }
    }
}
