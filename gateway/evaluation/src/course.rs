//! The course of a recorded message under a setting: the rule that matches it and the profile that holds.

use gateway_core::{
    agent::Effect,
    decision::{Candidate, RouteDecision},
    route::rules::{Rule, RuleInput, RuleVerdict, Then},
};

use crate::setting::{Known, Setting};

/// What a setting settles about a message before anybody is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course<'s> {
    /// The profile that holds.
    pub(crate) known: &'s Known,
    /// The rule that narrows the choice.
    rule: Option<&'s Rule>,
    /// Whether the message goes to nobody.
    pub(crate) turned_away: bool,
    /// Whether a rule asks for text that the record does not hold; the rule that matched then is taken to match again.
    pub(crate) is_guess: bool,
    ceiling: Effect,
}

impl<'s> Course<'s> {
    /// Asks the rules and finds the profile, as live.
    pub(crate) fn of(decision: &RouteDecision, setting: &'s Setting) -> Self {
        let rules = setting.rules();
        let (mut rule, mut turned_away, is_guess) =
            match rules.decide(&RuleInput::of_record(decision)) {
                RuleVerdict::Unmatched => (None, false, false),
                RuleVerdict::Matched(rule) => (Some(rule), false, false),
                RuleVerdict::Rejected(..) | RuleVerdict::Failed(..) => (None, true, false),
                RuleVerdict::TextMissing(_) => (known_rule(decision, setting), false, true),
            };
        if rule.is_some_and(|rule| matches!(rule.then, Then::Reject(_))) {
            (rule, turned_away) = (None, true);
        }
        let hints = &decision.request.hints;
        let asked = hints.profile.as_deref();
        if asked.is_some_and(|name| setting.is_closed(name)) {
            turned_away = true;
        }
        let known = setting.known_by(rule.and_then(Rule::profile).or(asked));
        let others = [rule.and_then(Rule::max_effect), hints.max_effect];
        let ceiling = others
            .into_iter()
            .flatten()
            .fold(known.profile.max_effect, Effect::min);
        Self {
            known,
            rule,
            turned_away,
            is_guess,
            ceiling,
        }
    }

    /// Tells whether the rule leaves the candidate in.
    pub(crate) fn allows(self, candidate: &Candidate) -> bool {
        self.rule.is_none_or(|rule| rule.allows(&candidate.agent))
    }

    /// Tells whether the effect of the candidate, as configured now, is within the ceiling.
    pub(crate) fn within_ceiling(self, candidate: &Candidate, setting: &Setting) -> bool {
        let effect = setting.effect_of(&candidate.agent, candidate.skill.as_deref());
        effect.is_none_or(|effect| effect <= self.ceiling)
    }

    /// Tells whether the rule names the agent, so that no fit is asked for.
    pub(crate) fn pins(self) -> bool {
        self.rule.is_some_and(Rule::pins)
    }

    /// Tells whether the rule leaves in others than the one that matched when the decision was made.
    pub(crate) fn leaves_in_others(self, decision: &RouteDecision) -> bool {
        let Some(then) = decision
            .rule
            .as_ref()
            .filter(|rule| !rule.agents.is_empty())
        else {
            return false;
        };
        match self.rule.map(|rule| &rule.then) {
            Some(Then::Pin(agent)) => !then.agents.contains(agent),
            Some(Then::Use(narrowing)) => {
                let mut agents = narrowing.agents.iter();
                narrowing.agents.is_empty() || agents.any(|agent| !then.agents.contains(agent))
            }
            Some(Then::Reject(_)) => false,
            None => true,
        }
    }
}

fn known_rule<'s>(decision: &RouteDecision, setting: &'s Setting) -> Option<&'s Rule> {
    let name = &decision.rule.as_ref()?.name;
    let mut rules = setting.rules().as_slice().iter();
    rules.find(|rule| rule.name == *name)
}

#[cfg(test)]
mod tests;
