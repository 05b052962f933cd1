//! Hard requirements: what rules a candidate out before or beside its score.
//!
//! Checks only say which requirement failed, without taking memory, since they run for every agent. The words
//! are in [`super::detail`].

use super::{Question, features::Features, rules::Rule, signals::Measured};
use crate::{
    catalog::{AcceptedCard, AgentState, CatalogAgent, Endpoint},
    decision::Discard,
    fit::AgentFit,
    profile::Profile,
};
use agent_cards::Extension;

/// Returns the card of an agent that has a usable one.
pub(super) fn known(agent: &CatalogAgent) -> Result<&AcceptedCard, Discard> {
    let accepted = agent.status.accepted.as_deref();
    accepted.ok_or_else(|| trusted(agent).err().unwrap_or(Discard::CardUnavailable))
}

/// Checks that the routing rule, if one matched, leaves the agent in.
pub(super) fn allowed(agent: &CatalogAgent, question: &Question<'_>) -> Result<(), Discard> {
    match question.rule {
        Some(rule) if !rule.allows(&agent.spec.id) => Err(Discard::ExcludedByRule),
        _ => Ok(()),
    }
}

/// Returns the card and the interface to call, if the agent can serve the client at all.
pub(super) fn reachable<'a>(
    agent: &'a CatalogAgent,
    question: &Question<'_>,
) -> Result<(&'a AcceptedCard, &'a Endpoint), Discard> {
    let accepted = known(agent)?;
    let endpoint = accepted
        .endpoint(question.version, question.binding)
        .ok_or(Discard::VersionUnreachable)?;
    Ok((accepted, endpoint))
}

/// Checks that the agent may get new tasks: its card is the accepted one.
pub(super) fn trusted(agent: &CatalogAgent) -> Result<(), Discard> {
    match agent.status.state {
        AgentState::Quarantined => Err(Discard::CardQuarantined),
        AgentState::Pending | AgentState::Ready | AgentState::Stale | AgentState::Unavailable => {
            Ok(())
        }
    }
}

/// Returns the position of the skill the client named, if it named one; refuses when it named another agent or
/// a skill this agent lacks. Skills are known by their own id and by `agent.skill`, as the federated card
/// lists them.
pub(super) fn requested(
    agent: &CatalogAgent,
    accepted: &AcceptedCard,
    features: &Features,
) -> Result<Option<usize>, Discard> {
    let id = agent.spec.id.as_str();
    let hints = &features.hints;
    if hints.agent.as_deref().is_some_and(|wanted| wanted != id) {
        return Err(Discard::NotRequested);
    }
    let Some(wanted) = hints.skill.as_deref() else {
        return Ok(None);
    };
    let own = wanted
        .strip_prefix(id)
        .and_then(|rest| rest.strip_prefix('.'));
    accepted
        .card
        .skills()
        .iter()
        .position(|skill| skill.id == wanted || Some(skill.id.as_str()) == own)
        .map(Some)
        .ok_or(Discard::NotRequested)
}

/// Checks what the card says the agent can do.
pub(super) fn capable(accepted: &AcceptedCard, features: &Features) -> Result<(), Discard> {
    if features.streaming && !accepted.card.capabilities().streaming {
        return Err(Discard::Streaming);
    }
    if features.push && !accepted.card.capabilities().push_notifications {
        return Err(Discard::Push);
    }
    match missing_extension(accepted, features) {
        Some(_) => Err(Discard::ExtensionRequired),
        None => Ok(()),
    }
}

/// Returns an extension the agent requires and the client did not declare.
pub(super) fn missing_extension<'a>(
    accepted: &'a AcceptedCard,
    features: &Features,
) -> Option<&'a Extension> {
    let declared = |extension: &Extension| features.extensions.contains(&extension.uri);
    let mut extensions = accepted.card.capabilities().extensions.iter();
    extensions.find(|extension| extension.required && !declared(extension))
}

/// Checks the media types in and out against a skill, or the card's defaults.
pub(super) fn modes(
    accepted: &AcceptedCard,
    skill: Option<usize>,
    features: &Features,
) -> Result<(), Discard> {
    if unread_mode(accepted, skill, features).is_some() {
        return Err(Discard::InputMode);
    }
    let wanted = &features.accepted_output_modes;
    let outputs = output_modes(accepted, skill);
    if wanted.is_empty() || wanted.iter().any(|mode| accepts(outputs, mode)) {
        Ok(())
    } else {
        Err(Discard::OutputMode)
    }
}

/// Returns a media type of the message that the skill does not take.
pub(super) fn unread_mode<'a>(
    accepted: &AcceptedCard,
    skill: Option<usize>,
    features: &'a Features,
) -> Option<&'a str> {
    let inputs = input_modes(accepted, skill);
    let mut modes = features.input_modes.iter().map(String::as_str);
    modes.find(|mode| !accepts(inputs, mode))
}

pub(super) fn input_modes(accepted: &AcceptedCard, skill: Option<usize>) -> &[String] {
    let card = &accepted.card;
    let skill = skill.and_then(|position| card.skills().get(position));
    skill.map_or(card.default_input_modes(), |skill| card.input_modes(skill))
}

pub(super) fn output_modes(accepted: &AcceptedCard, skill: Option<usize>) -> &[String] {
    let card = &accepted.card;
    let skill = skill.and_then(|position| card.skills().get(position));
    skill.map_or(card.default_output_modes(), |skill| {
        card.output_modes(skill)
    })
}

/// Checks that the agent has a place for another request.
pub(super) fn has_room(agent: &CatalogAgent) -> Result<(), Discard> {
    if agent.stats.in_flight() < agent.spec.limits.max_in_flight {
        Ok(())
    } else {
        Err(Discard::Saturated)
    }
}

/// Returns the fit that is demanded of every agent; none where any will do, or where the client names an agent or a
/// skill, or a rule the agent: they have decided about fit themselves.
pub(super) fn floor(question: &Question<'_>) -> Option<f64> {
    let hints = &question.features.hints;
    let is_pinned = question.rule.is_some_and(Rule::pins);
    let is_named = is_pinned || hints.agent.is_some() || hints.skill.is_some();
    Some(question.profile.min_fit).filter(|floor| !is_named && *floor > 0.0)
}

/// Checks that the agent fits as well as is demanded.
pub(super) fn fits_enough(fit: Option<AgentFit>, question: &Question<'_>) -> Result<(), Discard> {
    let value = fit.map_or(0.0, |fit| fit.value);
    match floor(question) {
        Some(floor) if value < floor => Err(Discard::BelowMinFit),
        _ => Ok(()),
    }
}

/// Checks the signals against the profile's limits and the caller's budget.
pub(super) fn within_limits(
    measured: &Measured,
    profile: &Profile,
    features: &Features,
) -> Result<(), Discard> {
    let hints = &features.hints;
    let over = |value: Option<f64>, budget: Option<f64>| {
        value
            .zip(budget)
            .is_some_and(|(value, budget)| value > budget)
    };
    if over(Some(measured.cost_raw), hints.max_cost_eur) {
        Err(Discard::BudgetCost)
    } else if over(measured.known_latency_ms(), hints.max_latency_ms) {
        Err(Discard::BudgetLatency)
    } else if measured.risk() > profile.max_risk {
        Err(Discard::RiskCeiling)
    } else {
        Ok(())
    }
}

/// An empty list says nothing, so it rules nothing out.
fn accepts(modes: &[String], wanted: &str) -> bool {
    modes.is_empty() || modes.iter().any(|mode| media_types_match(mode, wanted))
}

fn media_types_match(left: &str, right: &str) -> bool {
    let (left, right) = (essence(left), essence(right));
    let wildcard = |pattern: &str, other: &str| {
        let kind = other.split('/').next().unwrap_or_default();
        pattern == "*/*"
            || pattern == "*"
            || pattern
                .strip_suffix("/*")
                .is_some_and(|wanted| wanted.eq_ignore_ascii_case(kind))
    };
    left.eq_ignore_ascii_case(right) || wildcard(left, right) || wildcard(right, left)
}

/// Drops parameters, and reads the short names that older cards use.
fn essence(media_type: &str) -> &str {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match essence {
        "text" => "text/plain",
        "json" | "data" => "application/json",
        _ => essence,
    }
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
