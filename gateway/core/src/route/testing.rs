//! What tests of several parts of routing need: questions about small catalogs, and agents that have learned.

use std::sync::Arc;

use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use serde_json::json;
use tokio::time::Instant;

use super::{Choice, Features, Question, choose_beside};
use crate::{
    agent::AgentSpec,
    catalog::{Catalog, CatalogAgent},
    learning::{Counts, Learning, Lesson, Lessons},
    profile::{Profile, VersionedProfile},
    testing::{card, ready},
};

/// What an agent that issues invoices says of itself.
pub(super) const INVOICES: &str = "issue invoices and take payments";

/// A question in plain text under a message id.
pub(super) fn asked(text: &str, message_id: &str) -> Features {
    Features {
        message_id: Some(message_id.to_owned()),
        text: text.to_owned(),
        input_modes: vec!["text/plain".to_owned()],
        ..Features::default()
    }
}

/// An agent whose card says one thing.
pub(super) fn agent(spec: AgentSpec, about: &str) -> Arc<CatalogAgent> {
    let card = card(spec.id.as_str(), about, &json!({}));
    ready(spec, card)
}

/// Decides at a fixed moment, beside shadow profiles.
pub(super) fn decide_beside(
    catalog: &Catalog,
    profile: &Profile,
    features: &Features,
    shadows: &[&Profile],
) -> Choice {
    let shadows: Vec<VersionedProfile> = shadows
        .iter()
        .map(|shadow| (*shadow).clone().into())
        .collect();
    let question = Question {
        catalog,
        profile: &profile.clone().into(),
        rule: None,
        features,
        meaning: None,
        version: Version::V1,
        binding: Binding::JsonRpc,
        now: Instant::now(),
        at: Timestamp::UNIX_EPOCH,
    };
    choose_beside(question, &shadows.iter().collect::<Vec<_>>())
}

/// Decides at a fixed moment.
pub(super) fn decide(catalog: &Catalog, profile: &Profile, features: &Features) -> Choice {
    decide_beside(catalog, profile, features, &[])
}

/// The name of the chosen agent.
pub(super) fn chosen(choice: &Choice) -> Option<&str> {
    let chosen = choice.chosen.as_ref()?;
    Some(chosen.agent.spec.id.as_str())
}

/// Teaches an agent that so many tasks of its skill were completed and failed today.
pub(super) fn teach(agent: &CatalogAgent, completed: f64, failed: f64) {
    let mut lessons = Lessons::default();
    lessons.take_in(vec![Lesson {
        revision: 1,
        agent: agent.spec.id.clone(),
        skill: Some("main".to_owned()),
        day: 0,
        counts: Counts {
            completed,
            failed,
            ..Counts::default()
        },
    }]);
    let learned = lessons.fold(&agent.spec.id, Learning::default(), Timestamp::UNIX_EPOCH);
    agent.stats.learned.store(Arc::new(learned));
}
