//! What the numbers say about each agent: the requirement it fails, or its score.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use aws_lc_rs::digest::{SHA256, digest};

use super::{
    choice::Question,
    detail::{Checked, detail},
    requirements,
    score::contributions,
    signals::{Context, Measured},
};
use crate::{
    agent::AgentId,
    catalog::{CatalogAgent, Endpoint},
    decision::{Candidate, DecisionKind, Discard, InterfaceChoice, Verdict},
    fit::AgentFit,
};
/// Scores this close count as equal.
pub(super) const TIE: f64 = 1e-9;

/// How well each agent fits, by its position in the catalog.
pub(super) type Fits = HashMap<usize, AgentFit>;

/// What the numbers say about one agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assessed<'a> {
    position: usize,
    pub(super) agent: &'a Arc<CatalogAgent>,
    pub(super) endpoint: Option<&'a Endpoint>,
    skill: Option<usize>,
    measured: Option<Measured>,
    pub(super) score: f64,
    pub(super) failed: Option<Discard>,
}

/// Searches all cards for a message; one without text is searched by the names of its data.
pub(super) fn fits(question: Question<'_>) -> Fits {
    let features = question.features;
    let data_keys;
    let text = if features.text.trim().is_empty() {
        data_keys = features.data_keys.join(" ");
        &data_keys
    } else {
        &features.text
    };
    let index = question.catalog.fit();
    let found = if features.hints.skill.is_some() {
        index.score_named(text, |position| named_skill(question, position))
    } else {
        index.score(text)
    };
    found.into_iter().map(|fit| (fit.agent, fit)).collect()
}

/// Returns the position of the skill the client named in the card of an agent.
fn named_skill(question: Question<'_>, position: usize) -> Option<usize> {
    let agent = question.catalog.agents().get(position)?;
    let accepted = agent.status.accepted.as_ref()?;
    requirements::requested(agent, accepted, question.features).ok()?
}

/// Assesses every agent of the catalog.
pub(super) fn everybody<'a>(question: Question<'a>, fits: &Fits) -> Vec<Assessed<'a>> {
    let agents = question.catalog.agents().iter().enumerate();
    agents
        .map(|(position, agent)| assess(question, position, agent, fits.get(&position)))
        .collect()
}

fn assess<'a>(
    question: Question<'a>,
    position: usize,
    agent: &'a Arc<CatalogAgent>,
    fit: Option<&AgentFit>,
) -> Assessed<'a> {
    let mut assessed = Assessed {
        position,
        agent,
        endpoint: None,
        skill: None,
        measured: None,
        score: f64::NEG_INFINITY,
        failed: None,
    };
    assessed.failed = check(question, &mut assessed, fit).err();
    assessed
}

/// Checks one requirement after the other, from the cheapest to those that need the signals.
fn check(
    question: Question<'_>,
    assessed: &mut Assessed<'_>,
    fit: Option<&AgentFit>,
) -> Result<(), Discard> {
    let (agent, features) = (assessed.agent, question.features);
    let (accepted, endpoint) = requirements::reachable(agent, &question)?;
    assessed.endpoint = Some(endpoint);
    requirements::trusted(agent)?;
    let requested = requirements::requested(agent, accepted, features)?;
    assessed.skill = requested.or_else(|| fit.and_then(|fit| fit.skill));
    requirements::capable(accepted, features)?;
    requirements::modes(accepted, assessed.skill, features)?;
    requirements::has_room(agent)?;
    let measured = measure(question, assessed, fit);
    requirements::affordable(&measured, question.profile, features)
}

/// Takes the signals and the score.
fn measure(
    question: Question<'_>,
    assessed: &mut Assessed<'_>,
    fit: Option<&AgentFit>,
) -> Measured {
    let context = Context {
        profile: question.profile,
        features: question.features,
        now: question.now,
    };
    let measured = Measured::take(context, assessed.agent, assessed.skill_id(), fit);
    assessed.score = contributions(&question.profile.weights, &measured.values()).score();
    assessed.measured = Some(measured);
    measured
}

/// Assesses the fallback agent, which takes what nobody fits, if it meets every requirement that is not about
/// fit. A client that named an agent or a skill wanted that one and no other.
pub(super) fn fallback<'a>(question: Question<'a>, id: &AgentId) -> Option<Assessed<'a>> {
    let hints = &question.features.hints;
    if hints.agent.is_some() || hints.skill.is_some() {
        return None;
    }
    let agents = question.catalog.agents();
    let position = agents.iter().position(|agent| agent.spec.id == *id)?;
    let mut assessed = assess(question, position, agents.get(position)?, None);
    match assessed.failed {
        None => Some(assessed),
        Some(Discard::BelowMinFit) => {
            let measured = assessed.measured.as_ref()?;
            requirements::within_limits(measured, question.profile, question.features).ok()?;
            assessed.failed = None;
            Some(assessed)
        }
        Some(_) => None,
    }
}

/// Sorts candidates by score. Equal scores at the top go by preference, then by a hash of message and agent:
/// the same for a retry, balanced overall, never by the order of the configuration.
pub(super) fn rank(candidates: &mut [Assessed<'_>], message_id: Option<&str>) {
    candidates.sort_unstable_by(|left, right| by_score(left, right));
    let Some(best) = candidates.first().map(|best| best.score) else {
        return;
    };
    let tied = candidates.partition_point(|candidate| candidate.score >= best - TIE);
    if let (Some(tied), true) = (candidates.get_mut(..tied), tied > 1) {
        let message_id = message_id.unwrap_or_default();
        tied.sort_by_cached_key(|candidate| {
            let spec = &candidate.agent.spec;
            Reverse((spec.preference, rendezvous(message_id, &spec.id)))
        });
    }
}

/// Orders by score, highest first, and equal ones by id.
pub(super) fn by_score(left: &Assessed<'_>, right: &Assessed<'_>) -> std::cmp::Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| left.agent.spec.id.cmp(&right.agent.spec.id))
}

fn rendezvous(message_id: &str, agent: &AgentId) -> u64 {
    let digest = digest(&SHA256, format!("{message_id}\n{agent}").as_bytes());
    digest
        .as_ref()
        .iter()
        .take(8)
        .fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

impl Assessed<'_> {
    /// Describes the agent for the record; one that failed nothing as outscored.
    pub(super) fn describe(&self, question: Question<'_>, fits: &Fits) -> Candidate {
        let weights = &question.profile.weights;
        let parts = self
            .measured
            .map(|measured| contributions(weights, &measured.values()));
        let fit = fits.get(&self.position);
        let checked = Checked {
            agent: self.agent,
            skill: self.skill,
            measured: self.measured.as_ref(),
        };
        let accepted = self.agent.status.accepted.as_ref();
        Candidate {
            agent: self.agent.spec.id.clone(),
            skill: self.skill_id().map(str::to_owned),
            interface: self.endpoint.map(|endpoint| InterfaceChoice {
                binding: endpoint.binding,
                version: endpoint.version,
            }),
            card: accepted.map(|accepted| accepted.card.fingerprint().to_owned()),
            signals: self
                .measured
                .map(|measured| measured.describe(self.agent, fit)),
            score: parts.as_ref().map(crate::decision::Contributions::score),
            contributions: parts,
            verdict: match self.failed {
                Some(_) => Verdict::Discarded,
                None => Verdict::Outscored,
            },
            reason: self.failed,
            detail: self.failed.map(|reason| detail(question, checked, reason)),
        }
    }

    fn skill_id(&self) -> Option<&str> {
        let card = &self.agent.status.accepted.as_ref()?.card;
        card.skills()
            .get(self.skill?)
            .map(|skill| skill.id.as_str())
    }
}

/// Assesses one agent that is routed to without scoring. The owner of a task goes on with it whatever its card.
pub(super) fn follow<'a>(
    question: Question<'a>,
    agent: &'a Arc<CatalogAgent>,
    kind: DecisionKind,
) -> Assessed<'a> {
    let reached = requirements::reachable(agent, &question);
    let failed = reached.and_then(|(accepted, _)| {
        if kind != DecisionKind::Owner {
            requirements::trusted(agent)?;
        }
        requirements::capable(accepted, question.features)
    });
    Assessed {
        position: usize::MAX,
        agent,
        endpoint: reached.ok().map(|(_, endpoint)| endpoint),
        skill: None,
        measured: None,
        score: f64::NEG_INFINITY,
        failed: failed.err(),
    }
}
