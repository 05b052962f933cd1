//! The course of a message: the routing rule that matched and the profile that holds, before anybody is considered.

use super::{Call, Gateway};
use crate::{
    decision::{MatchedRule, RuleAction},
    failure::Failure,
    profile::VersionedProfile,
    route::{
        Features,
        rules::{Rule, RuleInput, RuleVerdict, Sent},
    },
};

/// What is settled about a message before anybody is considered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course<'g> {
    pub(super) verdict: RuleVerdict<'g>,
    pub(super) profile: &'g VersionedProfile,
}

impl<'g> Course<'g> {
    /// Returns the rule that narrows the choice.
    pub(super) fn rule(self) -> Option<&'g Rule> {
        self.verdict.rule()
    }
}

impl Gateway {
    /// Settles the course of a message that was received. What continues a task follows its task: rules are about
    /// who begins to work on what.
    pub(super) fn course(
        &self,
        call: &Call,
        features: &Features,
        continues_task: bool,
    ) -> Result<Course<'_>, Failure> {
        if let Some(name) = &features.hints.profile {
            self.open_profile(name)?;
        }
        let verdict = if continues_task {
            RuleVerdict::Unmatched
        } else {
            self.ask_rules(call, features)
        };
        let rule = verdict.record();
        if let Some(rule) = &rule {
            self.count_rule(rule);
        }
        let profile = self.profile_of(verdict.rule(), features);
        let profile = profile.ok_or_else(|| {
            Failure::internal("the routing profile of this message does not exist")
        })?;
        Ok(Course { verdict, profile })
    }

    /// Returns what the rules say about a message.
    pub(super) fn ask_rules(&self, call: &Call, features: &Features) -> RuleVerdict<'_> {
        let sent = Sent {
            operation: call.operation.name(),
            version: call.version,
            binding: call.binding,
            caller: &call.caller,
        };
        self.rules.decide(&RuleInput::of(features, sent))
    }

    /// Returns the profile that holds: the rule's word goes before the request's, and that before the default.
    pub(super) fn profile_of(
        &self,
        rule: Option<&Rule>,
        features: &Features,
    ) -> Option<&VersionedProfile> {
        let by_request = features.hints.profile.as_deref();
        let name = rule.and_then(Rule::profile).or(by_request);
        self.profiles.get(name.unwrap_or(&self.default_profile))
    }

    fn open_profile(&self, name: &str) -> Result<(), Failure> {
        let is_open = |profile: &&VersionedProfile| profile.by_request;
        if self.profiles.get(name).as_ref().is_some_and(is_open) {
            return Ok(());
        }
        let open = self.profiles.values().filter(is_open);
        let open: Vec<&str> = open.map(|profile| profile.name.as_str()).collect();
        Err(Failure::closed_profile(name, &open))
    }

    fn count_rule(&self, rule: &MatchedRule) {
        self.observer.rule_matched(&rule.name, rule.action);
        if rule.action == RuleAction::Failed {
            let why = rule.detail.as_deref().unwrap_or_default();
            tracing::warn!(
                rule.name = rule.name,
                "a message was turned away because a routing rule could not be evaluated: {why}"
            );
        }
    }
}
