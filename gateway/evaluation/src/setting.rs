//! The configuration that decisions are made again with.

use std::collections::BTreeMap;

use gateway_core::{AgentId, AgentSpec, OnNoFit, Profile, agent::Effect, route::rules::Rules};

/// What of a configuration takes part in a choice among recorded signals.
#[derive(Debug, Clone)]
pub struct Setting {
    profile: Known,
    /// The preference of each agent.
    agents: BTreeMap<AgentId, i32>,
    /// What is known of agents beside that.
    specs: BTreeMap<AgentId, AgentSpec>,
    rules: Rules,
    /// Those that rules and requests may name; absent where one profile decides about all.
    profiles: Option<BTreeMap<String, Known>>,
}

/// A profile in the forms that are needed of it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) profile: Profile,
    pub(crate) version: String,
}

impl Setting {
    /// Takes over the agents with their preference, and the profile that every decision is made again with.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = (AgentId, i32)>, profile: &Profile) -> Self {
        Self {
            profile: Known::new(profile),
            agents: agents.into_iter().collect(),
            specs: BTreeMap::new(),
            rules: Rules::default(),
            profiles: None,
        }
    }

    /// Compares the effects of these agents with the ceilings.
    #[must_use]
    pub fn with_effects<'a>(mut self, specs: impl IntoIterator<Item = &'a AgentSpec>) -> Self {
        let specs = specs.into_iter();
        self.specs = specs.map(|spec| (spec.id.clone(), spec.clone())).collect();
        self
    }

    /// Asks these rules about every message.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Lets rules and requests name other profiles than the one of all messages, as they do live.
    #[must_use]
    pub fn with_profiles<'a>(mut self, profiles: impl IntoIterator<Item = &'a Profile>) -> Self {
        let known = |profile: &Profile| (profile.name.clone(), Known::new(profile));
        self.profiles = Some(profiles.into_iter().map(known).collect());
        self
    }

    /// Returns the profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile.profile
    }

    /// Returns the profile of messages for which this one is named, in the forms that are needed of it.
    pub(crate) fn known_by(&self, name: Option<&str>) -> &Known {
        let named = self.profiles.as_ref().zip(name);
        let named = named.and_then(|(profiles, name)| profiles.get(name));
        named.unwrap_or(&self.profile)
    }

    /// Tells whether a request that names this profile is refused.
    pub(crate) fn is_closed(&self, name: &str) -> bool {
        let is_open = |known: &Known| known.profile.by_request;
        let profiles = self.profiles.as_ref();
        profiles.is_some_and(|profiles| !profiles.get(name).is_some_and(is_open))
    }

    pub(crate) fn knows_effect_of(&self, agent: &AgentId) -> bool {
        self.specs.contains_key(agent)
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the effect of an agent, where it is known.
    pub(crate) fn effect_of(&self, agent: &AgentId, skill: Option<&str>) -> Option<Effect> {
        let spec = self.specs.get(agent);
        spec.map(|spec| spec.possible_effect(skill))
    }

    pub(crate) fn agents(&self) -> &BTreeMap<AgentId, i32> {
        &self.agents
    }
}

impl Known {
    fn new(profile: &Profile) -> Self {
        Self {
            profile: profile.clone(),
            version: profile.version(),
        }
    }

    /// Returns the agent that takes what nobody fits.
    pub(crate) fn fallback(&self) -> Option<&AgentId> {
        match &self.profile.on_no_fit {
            OnNoFit::Fallback(agent) => Some(agent),
            OnNoFit::Reject => None,
        }
    }
}
