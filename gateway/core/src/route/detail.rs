//! The words for a failed requirement, with the values compared.

use super::{
    choice::Question,
    effects,
    requirements::{input_modes, missing_extension, output_modes, unread_mode},
    signals::Measured,
};
use crate::{
    catalog::{AcceptedCard, CatalogAgent},
    decision::Discard,
};

/// What a requirement was checked on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checked<'a> {
    pub(super) agent: &'a CatalogAgent,
    pub(super) skill: Option<usize>,
    pub(super) measured: Option<&'a Measured>,
}

/// Says why an agent was discarded.
pub(super) fn detail(question: Question<'_>, checked: Checked<'_>, reason: Discard) -> String {
    let agent = checked.agent;
    match (&agent.status.accepted, reason) {
        (None, Discard::CardQuarantined) => {
            "it is not known whether its card changed, and it has not been accepted yet".to_owned()
        }
        (_, Discard::ExcludedByRule) => {
            let name = question.rule.map_or("", |rule| rule.name.as_str());
            format!("the rule `{name}` leaves it out")
        }
        (None, _) => agent
            .status
            .problem
            .clone()
            .unwrap_or_else(|| "its card has not been fetched yet".to_owned()),
        // Its signals were measured for the record only.
        (Some(accepted), Discard::EffectCeiling) => of_card(question, checked, accepted, reason),
        (Some(accepted), _) => match checked.measured {
            Some(measured) => of_signals(question, measured, reason),
            None => of_card(question, checked, accepted, reason),
        },
    }
}

fn of_card(
    question: Question<'_>,
    checked: Checked<'_>,
    accepted: &AcceptedCard,
    reason: Discard,
) -> String {
    let features = question.features;
    let hints = &features.hints;
    match reason {
        Discard::NotRequested => match (&hints.agent, &hints.skill) {
            (Some(wanted), _) if wanted != checked.agent.spec.id.as_str() => {
                format!("the client named the agent `{wanted}`")
            }
            (_, wanted) => {
                let wanted = wanted.as_deref().unwrap_or_default();
                format!("the client named the skill `{wanted}`, which it lacks")
            }
        },
        Discard::EffectCeiling => {
            let card_skills = accepted.card.skills();
            let skill = checked.skill.and_then(|position| card_skills.get(position));
            let skill = skill.map(|skill| skill.id.as_str());
            effects::above_ceiling(&checked.agent.spec, skill, question)
        }
        Discard::CardQuarantined => "its card changed and has not been accepted yet".to_owned(),
        Discard::VersionUnreachable => {
            "the card has no interface of A2A 0.3 or 1.0 in a known binding".to_owned()
        }
        Discard::Streaming => {
            "a stream was asked for and the card says streaming is off".to_owned()
        }
        Discard::Push => {
            "push notifications were asked for and the card says they are off".to_owned()
        }
        Discard::ExtensionRequired => {
            let uri = missing_extension(accepted, features).map(|extension| extension.uri.as_str());
            format!(
                "the agent requires the extension `{}`",
                uri.unwrap_or_default()
            )
        }
        Discard::InputMode => format!(
            "the message holds {}, the agent takes {}",
            unread_mode(accepted, checked.skill, features).unwrap_or_default(),
            input_modes(accepted, checked.skill).join(", ")
        ),
        Discard::OutputMode => format!(
            "the client accepts {}, the agent gives {}",
            features.accepted_output_modes.join(", "),
            output_modes(accepted, checked.skill).join(", ")
        ),
        _ => format!(
            "{} of {} requests are under way",
            checked.agent.stats.in_flight(),
            checked.agent.spec.limits.max_in_flight
        ),
    }
}

fn of_signals(question: Question<'_>, measured: &Measured, reason: Discard) -> String {
    let (hints, profile) = (&question.features.hints, question.profile);
    match reason {
        Discard::BudgetCost => format!(
            "cost {:.4} is above the budget {:.4}",
            measured.cost_raw,
            hints.max_cost_eur.unwrap_or_default()
        ),
        Discard::BudgetLatency => format!(
            "latency {:.0} ms is above the budget {:.0} ms",
            measured.known_latency_ms().unwrap_or_default(),
            hints.max_latency_ms.unwrap_or_default()
        ),
        Discard::RiskCeiling => format!(
            "risk {:.2} is above the ceiling {:.2}",
            measured.risk(),
            profile.max_risk
        ),
        _ => format!(
            "fit {:.2} is below the floor {:.2}",
            measured.fit, profile.min_fit
        ),
    }
}
