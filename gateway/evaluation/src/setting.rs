//! The configuration that decisions are made again with.

use std::collections::BTreeMap;

use gateway_core::{AgentId, AgentSpec, Effect, OnNoFit, Profile, route::rules::Rules};

/// What of a configuration takes part in a choice among recorded signals.
#[derive(Debug, Clone)]
pub struct Setting {
    profiles: BTreeMap<String, Known>,
    default: Known,
    agents: BTreeMap<AgentId, Participant>,
    rules: Rules,
    version: Option<String>,
}

/// What of an agent's configuration takes part.
#[derive(Debug, Clone)]
pub struct Participant {
    /// Decides between equal scores.
    pub preference: i32,
    /// The effect of its skills, unless one says otherwise.
    pub effect: Effect,
    /// The effects of those that do.
    pub skills: BTreeMap<String, Effect>,
}

/// A profile in the forms that are needed of it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) profile: Profile,
    pub(crate) version: String,
    pub(crate) without_floor: Profile,
}

impl Setting {
    /// Takes over the agents, and the profile of messages for which neither a rule nor the request names one.
    #[must_use]
    pub fn new(
        agents: impl IntoIterator<Item = (AgentId, Participant)>,
        default: &Profile,
    ) -> Self {
        let known = Known::new(default);
        Self {
            profiles: BTreeMap::from([(default.name.clone(), known.clone())]),
            default: known,
            agents: agents.into_iter().collect(),
            rules: Rules::default(),
            version: None,
        }
    }

    /// Takes over the profiles that rules and requests may name.
    #[must_use]
    pub fn with_profiles<'p>(mut self, profiles: impl IntoIterator<Item = &'p Profile>) -> Self {
        let profiles = profiles.into_iter();
        self.profiles
            .extend(profiles.map(|profile| (profile.name.clone(), Known::new(profile))));
        self
    }

    /// Takes over the routing rules.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Takes over the hash of the configuration, by which decisions of the very same one are known.
    #[must_use]
    pub fn of_configuration(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    /// Returns the default profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.default.profile
    }

    pub(crate) fn default_profile(&self) -> &Known {
        &self.default
    }

    pub(crate) fn profile_named(&self, name: &str) -> Option<&Known> {
        self.profiles.get(name)
    }

    pub(crate) fn agents(&self) -> &BTreeMap<AgentId, Participant> {
        &self.agents
    }

    pub(crate) fn preference(&self, agent: &AgentId) -> i32 {
        self.agents
            .get(agent)
            .map_or(0, |participant| participant.preference)
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }
}

impl From<&AgentSpec> for Participant {
    fn from(spec: &AgentSpec) -> Self {
        let skills = spec.skills.iter();
        Self {
            preference: spec.preference,
            effect: spec.effect,
            skills: skills
                .filter_map(|(skill, settings)| Some((skill.clone(), settings.effect?)))
                .collect(),
        }
    }
}

impl Participant {
    /// Returns the effect a message may have: that of the skill, else the highest of all.
    pub(crate) fn effect_of(&self, skill: Option<&str>) -> Effect {
        match skill {
            Some(skill) => self.skills.get(skill).copied().unwrap_or(self.effect),
            None => {
                let of_skills = self.skills.values().copied();
                of_skills.fold(self.effect, Effect::max)
            }
        }
    }

    /// Returns the lowest effect that any of its skills may have.
    pub(crate) fn least_effect(&self) -> Effect {
        let of_skills = self.skills.values().copied();
        of_skills.fold(self.effect, Effect::min)
    }
}

impl Known {
    fn new(profile: &Profile) -> Self {
        Self {
            profile: profile.clone(),
            version: profile.version(),
            without_floor: Profile {
                min_fit: 0.0,
                ..profile.clone()
            },
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
