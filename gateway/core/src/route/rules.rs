//! Routing rules: conditions on a message and its caller that are asked before anybody is scored.
//!
//! Rules name the candidates, choose the profile, lower the allowed effect or turn the message away. A restriction must
//! not be skipped, so that a rule that cannot be evaluated turns the message away as well.

mod condition;
mod infer;
mod input;
mod lower;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::{
    condition::{Condition, ConditionError, Hint, LONGEST_CONDITION},
    input::{RuleInput, Sent},
};

use crate::{
    agent::{AgentId, Effect},
    decision::{MatchedRule, RuleAction},
};

/// The rules of a gateway, in order; the first that matches decides.
#[derive(Debug, Clone, Default)]
pub struct Rules(Arc<[Rule]>);

/// A condition and what follows from it.
#[derive(Debug)]
pub struct Rule {
    /// Names the rule in records and metrics; unique.
    pub name: String,
    /// When it matches.
    pub when: Condition,
    /// What follows.
    pub then: Then,
}

/// What follows when a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// This agent gets the message if it meets the requirements, whatever its fit.
    Pin(AgentId),
    /// The choice is narrowed.
    Use(Narrowing),
    /// The message is turned away with this text.
    Reject(String),
}

/// How a rule narrows a choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// The only candidates; everybody if empty.
    pub agents: Vec<AgentId>,
    /// The profile.
    pub profile: Option<String>,
    /// The effect allowed at most.
    pub max_effect: Option<Effect>,
}

/// What the rules say about a message.
#[derive(Debug, Clone, Copy)]
pub enum RuleVerdict<'r> {
    /// No rule matches.
    Unmatched,
    /// This rule matches and says how to choose.
    Matched(&'r Rule),
    /// This rule matches and turns the message away with this text.
    Rejected(&'r Rule, &'r str),
    /// The condition of this rule cannot be evaluated for this reason, so the message is turned away.
    Failed(&'r Rule, &'static str),
    /// This rule asks for the message text, which the record does not hold.
    TextMissing(&'r Rule),
}

impl Rules {
    /// Takes the rules in order.
    #[must_use]
    pub fn new(rules: Vec<Rule>) -> Self {
        Self(rules.into())
    }

    /// Returns the rules in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Rule] {
        &self.0
    }

    /// Asks one rule after the other until one matches.
    #[must_use]
    pub fn decide(&self, input: &RuleInput<'_>) -> RuleVerdict<'_> {
        if self.0.is_empty() {
            return RuleVerdict::Unmatched;
        }
        let scope = input.scope();
        for rule in &*self.0 {
            if input.text.is_none() && rule.when.reads_text() {
                return RuleVerdict::TextMissing(rule);
            }
            match (rule.when.holds(&scope), &rule.then) {
                (Ok(false), _) => {}
                (Ok(true), Then::Reject(text)) => return RuleVerdict::Rejected(rule, text),
                (Ok(true), Then::Pin(_) | Then::Use(_)) => return RuleVerdict::Matched(rule),
                (Err(why), _) => return RuleVerdict::Failed(rule, why),
            }
        }
        RuleVerdict::Unmatched
    }
}

impl Rule {
    /// Returns whether this agent may be a candidate.
    #[must_use]
    pub fn allows(&self, agent: &AgentId) -> bool {
        match &self.then {
            Then::Pin(pinned) => pinned == agent,
            Then::Use(narrowing) => narrowing.agents.is_empty() || narrowing.agents.contains(agent),
            Then::Reject(_) => false,
        }
    }

    /// Returns whether the rule names the agent, so that no fit is asked for.
    #[must_use]
    pub fn pins(&self) -> bool {
        matches!(self.then, Then::Pin(_))
    }

    /// Returns the profile the rule chooses.
    #[must_use]
    pub fn profile(&self) -> Option<&str> {
        self.narrowing()?.profile.as_deref()
    }

    /// Returns the effect the rule allows at most.
    #[must_use]
    pub fn max_effect(&self) -> Option<Effect> {
        self.narrowing()?.max_effect
    }

    fn narrowing(&self) -> Option<&Narrowing> {
        match &self.then {
            Then::Use(narrowing) => Some(narrowing),
            Then::Pin(_) | Then::Reject(_) => None,
        }
    }

    fn record(&self, action: RuleAction, detail: Option<&str>) -> MatchedRule {
        let agents = match &self.then {
            Then::Pin(agent) => vec![agent.clone()],
            Then::Use(narrowing) => narrowing.agents.clone(),
            Then::Reject(_) => Vec::new(),
        };
        MatchedRule {
            name: self.name.clone(),
            action,
            agents,
            profile: self.profile().map(str::to_owned),
            max_effect: self.max_effect(),
            detail: detail.map(str::to_owned),
        }
    }
}

impl<'r> RuleVerdict<'r> {
    /// Returns the rule that says how to choose.
    #[must_use]
    pub fn rule(self) -> Option<&'r Rule> {
        match self {
            Self::Matched(rule) => Some(rule),
            _ => None,
        }
    }

    /// Returns what the record says of the rule; nothing where none matched.
    #[must_use]
    pub fn record(self) -> Option<MatchedRule> {
        match self {
            Self::Unmatched | Self::TextMissing(_) => None,
            Self::Matched(rule) => {
                let action = if rule.pins() {
                    RuleAction::Pin
                } else {
                    RuleAction::Use
                };
                Some(rule.record(action, None))
            }
            Self::Rejected(rule, text) => Some(rule.record(RuleAction::Reject, Some(text))),
            Self::Failed(rule, why) => Some(rule.record(RuleAction::Failed, Some(why))),
        }
    }

    /// Returns whether the message goes to nobody.
    #[must_use]
    pub fn turns_away(self) -> bool {
        !matches!(self, Self::Unmatched | Self::Matched(_))
    }
}
