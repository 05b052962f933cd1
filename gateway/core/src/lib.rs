#![doc = include_str!("../README.md")]

pub mod agent;
pub mod call;
pub mod caller;
pub mod catalog;
pub mod decision;
pub mod digest;
pub mod failure;
pub mod feedback;
pub mod fit;
pub mod learning;
pub mod losses;
pub mod meaning;
pub mod moment;
pub mod ports;
pub mod profile;
pub mod push;
pub mod registry;
pub mod route;
pub mod stats;
pub mod task;
#[cfg(test)]
mod testing;
pub mod trace;

pub use agent::{
    AgentAuth, AgentId, AgentSpec, CardPolicy, CardTrust, Cost, Effect, Limits, OnDrift, ServeCard,
    SkillSpec,
};
pub use call::{Call, Gateway, Payload, RelayItem, Reply, ReplyBody, Target};
pub use caller::Caller;
pub use catalog::{AgentState, Catalog};
pub use decision::RouteDecision;
pub use failure::Failure;
pub use feedback::Feedback;
pub use learning::{Learner, Learning};
pub use losses::LossLedger;
pub use meaning::FitEngine;
pub use profile::{
    AmbiguityRule, Exploration, OnAmbiguous, OnNoFit, Profile, VersionedProfile, Weights,
};
pub use push::{PushRelay, PushSettings};
pub use registry::{NotAccepted, Registry};
