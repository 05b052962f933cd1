//! The ceiling of effects: profile, rule and request each set one, and the lowest holds.

use super::Question;
use crate::{
    agent::{AgentSpec, Effect},
    decision::Discard,
};

/// The lowest ceiling, and who set it.
#[derive(Debug, Clone, Copy)]
struct Ceiling<'a> {
    effect: Effect,
    set_by: SetBy<'a>,
}

#[derive(Debug, Clone, Copy)]
enum SetBy<'a> {
    Profile(&'a str),
    Rule(&'a str),
    Request,
}

/// Checks the effect of an agent: that of a skill, else the highest it may have.
pub(super) fn within_ceiling(
    spec: &AgentSpec,
    skill: Option<&str>,
    question: Question<'_>,
) -> Result<(), Discard> {
    if spec.effect_of(skill) <= ceiling(question).effect {
        Ok(())
    } else {
        Err(Discard::EffectCeiling)
    }
}

/// Says in words why an agent is above the ceiling.
pub(super) fn above_ceiling(
    spec: &AgentSpec,
    skill: Option<&str>,
    question: Question<'_>,
) -> String {
    let Ceiling { effect, set_by } = ceiling(question);
    let set_by = match set_by {
        SetBy::Profile(name) => format!("the profile `{name}`"),
        SetBy::Rule(name) => format!("the rule `{name}`"),
        SetBy::Request => "the client".to_owned(),
    };
    let of_agent = spec.effect_of(skill);
    format!("its effect {of_agent} is above the ceiling {effect} set by {set_by}")
}

fn ceiling(question: Question<'_>) -> Ceiling<'_> {
    let profile = question.profile;
    let mut lowest = Ceiling {
        effect: profile.max_effect,
        set_by: SetBy::Profile(&profile.name),
    };
    let of_rule = question
        .rule
        .and_then(|rule| Some((rule.max_effect()?, SetBy::Rule(&rule.name))));
    let of_request = question.features.hints.max_effect;
    let of_request = of_request.map(|effect| (effect, SetBy::Request));
    for (effect, set_by) in of_rule.into_iter().chain(of_request) {
        if effect < lowest.effect {
            lowest = Ceiling { effect, set_by };
        }
    }
    lowest
}
