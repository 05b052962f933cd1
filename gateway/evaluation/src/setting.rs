//! The configuration that decisions are made again with.

use std::collections::BTreeMap;

use gateway_core::{AgentId, OnNoFit, Profile};

/// What of a configuration takes part in a choice among recorded signals.
#[derive(Debug, Clone)]
pub struct Setting {
    profile: Known,
    /// The preference of each agent.
    agents: BTreeMap<AgentId, i32>,
}

/// A profile in the forms that are needed of it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) profile: Profile,
    pub(crate) version: String,
    pub(crate) without_floor: Profile,
}

impl Setting {
    /// Takes over the agents with their preference, and the profile that every decision is made again with.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = (AgentId, i32)>, profile: &Profile) -> Self {
        Self {
            profile: Known::new(profile),
            agents: agents.into_iter().collect(),
        }
    }

    /// Returns the profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile.profile
    }

    /// Returns the profile in the forms that are needed of it.
    pub(crate) fn known(&self) -> &Known {
        &self.profile
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
