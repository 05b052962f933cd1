//! The course of a message under a setting: the rule that matches and the profile that holds.

use gateway_core::{
    AgentId, Effect, Profile,
    decision::{Hints, MatchedRule, RouteDecision, RuleAction},
    route::rules::{Rule, RuleInput, RuleVerdict},
};

use crate::{
    rechoice::Undecidable,
    setting::{Known, Setting},
};

/// What is settled before anybody is considered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Course<'s> {
    /// Nobody gets the message: a rule turns it away, or it asks for a profile that no request may choose.
    TurnedAway,
    /// Those that are left are weighed.
    Choose(Path<'s>),
}

/// What a choice is made by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'s> {
    rule: Option<&'s Rule>,
    pub(crate) known: &'s Known,
    ceiling: Effect,
}

impl<'s> Course<'s> {
    /// Settles the course of a recorded message, in the order of live routing.
    pub(crate) fn of(decision: &RouteDecision, setting: &'s Setting) -> Result<Self, Undecidable> {
        let hints = &decision.request.hints;
        let requested = match &hints.profile {
            None => None,
            Some(name) => {
                let known = setting.profile_named(name);
                let Some(open) = known.filter(|known| known.profile.by_request) else {
                    return Ok(Self::TurnedAway);
                };
                Some(open)
            }
        };
        let rule = match setting.rules().decide(&RuleInput::of_record(decision)) {
            RuleVerdict::TextMissing(rule) => {
                return Err(Undecidable::TextMissing(rule.name.clone()));
            }
            RuleVerdict::Rejected(..) | RuleVerdict::Failed(..) => return Ok(Self::TurnedAway),
            RuleVerdict::Matched(rule) => Some(rule),
            RuleVerdict::Unmatched => None,
        };
        let known = match rule.and_then(Rule::profile) {
            // A configuration with such a rule is refused before.
            Some(name) => setting.profile_named(name),
            None => Some(requested.unwrap_or_else(|| setting.default_profile())),
        };
        Ok(known.map_or(Self::TurnedAway, |known| {
            Self::Choose(Path::new(rule, known, hints))
        }))
    }
}

impl<'s> Path<'s> {
    fn new(rule: Option<&'s Rule>, known: &'s Known, hints: &Hints) -> Self {
        let others = rule.and_then(Rule::max_effect).into_iter();
        Self {
            rule,
            known,
            ceiling: others
                .chain(hints.max_effect)
                .fold(known.profile.max_effect, Effect::min),
        }
    }

    /// Tells whether the rule leaves an agent in.
    pub(crate) fn allows(self, agent: &AgentId) -> bool {
        self.rule.is_none_or(|rule| rule.allows(agent))
    }

    /// Tells whether an effect is one that profile, rule and request allow.
    pub(crate) fn is_harmless(self, effect: Effect) -> bool {
        effect <= self.ceiling
    }

    /// Returns the profile as its limits hold: no fit is asked of an agent that a rule names.
    pub(crate) fn limits(self) -> &'s Profile {
        if self.rule.is_some_and(Rule::pins) {
            &self.known.without_floor
        } else {
            &self.known.profile
        }
    }

    /// Tells whether a decision was made by the same profile, narrowed alike.
    pub(crate) fn is_that_of(self, decision: &RouteDecision) -> bool {
        decision.versions.profile == self.known.version
            && self.is_narrowed_as(decision.rule.as_ref())
    }

    /// Tells whether the choice is narrowed as a recorded rule did it.
    pub(crate) fn is_narrowed_as(self, recorded: Option<&MatchedRule>) -> bool {
        match (recorded, self.rule.and_then(matched)) {
            (None, None) => true,
            (Some(then), Some(now)) => {
                (then.action, &then.agents, then.max_effect)
                    == (now.action, &now.agents, now.max_effect)
            }
            // A rule that only chooses a profile narrows nothing.
            (Some(one), None) => is_idle(one),
            (None, Some(one)) => is_idle(&one),
        }
    }
}

fn matched(rule: &Rule) -> Option<MatchedRule> {
    RuleVerdict::Matched(rule).record()
}

fn is_idle(rule: &MatchedRule) -> bool {
    rule.action == RuleAction::Use && rule.agents.is_empty() && rule.max_effect.is_none()
}
