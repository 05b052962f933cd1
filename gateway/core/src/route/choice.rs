//! The choice: requirements and signals for every agent, the best score wins, everybody is accounted for.

use std::{cmp::Ordering, collections::BTreeMap, collections::HashMap, sync::Arc};

use aws_lc_rs::digest::{SHA256, digest};
use gateway_protocol::{Binding, Version};
use tokio::time::Instant;

use super::{
    features::Features,
    requirements::{self, Failed},
    score::{SignalValues, contributions},
    signals::{self, Context},
};
use crate::{
    agent::AgentId,
    catalog::{AcceptedCard, Catalog, CatalogAgent, Endpoint},
    decision::{Candidate, DecisionKind, Discard, InterfaceChoice, Signals, Verdict},
    fit::AgentFit,
    profile::{OnNoFit, Profile},
};

/// Scores this close count as equal.
const TIE: f64 = 1e-9;
/// A decision lists at most this many discarded agents; the rest are counted by reason.
const MAX_DISCARDED: usize = 100;

/// What is to be decided.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// All agents.
    pub catalog: &'a Catalog,
    /// Weights and limits.
    pub profile: &'a Profile,
    /// What is asked.
    pub features: &'a Features,
    /// The protocol version the client speaks.
    pub version: Version,
    /// The moment signals are read for.
    pub now: Instant,
}

/// What was decided.
#[derive(Debug)]
pub struct Choice {
    /// How the agent was found.
    pub kind: DecisionKind,
    /// Who gets the message; `None` when nobody fits.
    pub chosen: Option<Chosen>,
    /// Everybody considered, in the order of the record.
    pub candidates: Vec<Candidate>,
    /// Discarded agents that are not listed, by reason.
    pub unlisted: BTreeMap<Discard, usize>,
    /// Chosen score minus the next best.
    pub margin: Option<f64>,
}

/// The agent that gets a message.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The agent.
    pub agent: Arc<CatalogAgent>,
    /// Where it is called.
    pub endpoint: Endpoint,
}

struct Scored {
    candidate: Candidate,
    score: f64,
    chosen: Chosen,
}

/// Chooses among all agents by score.
#[must_use]
pub fn choose(question: Question<'_>) -> Choice {
    let fits: HashMap<usize, AgentFit> = question
        .catalog
        .fit()
        .score(&query(question.features))
        .into_iter()
        .map(|fit| (fit.agent, fit))
        .collect();
    let (mut scored, mut discarded) = (Vec::new(), Vec::new());
    for (position, agent) in question.catalog.agents().iter().enumerate() {
        match evaluate(question, agent, fits.get(&position)) {
            Ok(candidate) => scored.push(candidate),
            Err(candidate) => discarded.push(*candidate),
        }
    }
    rank(
        &mut scored,
        question.features.message_id.as_deref().unwrap_or_default(),
    );
    if scored.is_empty() {
        return nothing_fits(question, discarded);
    }
    let chosen = scored.first().map(|best| best.chosen.clone());
    let margin = match scored.as_slice() {
        [best, next, ..] => Some(best.score - next.score),
        _ => None,
    };
    let mut candidates: Vec<_> = scored.into_iter().map(|scored| scored.candidate).collect();
    explain_order(&mut candidates);
    let unlisted = append_discarded(&mut candidates, discarded);
    Choice {
        kind: DecisionKind::Scored,
        chosen,
        candidates,
        unlisted,
        margin,
    }
}

/// Routes to one agent without scoring: the owner of a task or context, or the one a client addressed.
#[must_use]
pub fn follow(question: Question<'_>, agent: &Arc<CatalogAgent>, kind: DecisionKind) -> Choice {
    let reached =
        requirements::reachable(agent, question.version).and_then(|(accepted, endpoint)| {
            requirements::capable(accepted, question.features)?;
            Ok((accepted, endpoint))
        });
    let (candidate, chosen) = match reached {
        Ok((accepted, endpoint)) => {
            let candidate = Candidate {
                verdict: Verdict::Chosen,
                ..known(agent, accepted, endpoint, None)
            };
            (
                candidate,
                Some(Chosen {
                    agent: Arc::clone(agent),
                    endpoint: endpoint.clone(),
                }),
            )
        }
        Err(failed) => (discard(unknown(&agent.spec.id), failed), None),
    };
    Choice {
        kind,
        chosen,
        candidates: vec![candidate],
        unlisted: BTreeMap::new(),
        margin: None,
    }
}

/// A message without text is searched by the names of its data.
fn query(features: &Features) -> String {
    if features.text.trim().is_empty() {
        features.data_keys.join(" ")
    } else {
        features.text.clone()
    }
}

fn evaluate(
    question: Question<'_>,
    agent: &Arc<CatalogAgent>,
    fit: Option<&AgentFit>,
) -> Result<Scored, Box<Candidate>> {
    let features = question.features;
    let refuse = |candidate: Candidate, failed: Failed| Box::new(discard(candidate, failed));
    let plain = || unknown(&agent.spec.id);
    let (accepted, endpoint) = requirements::reachable(agent, question.version)
        .map_err(|failed| refuse(plain(), failed))?;
    let skill =
        requested_skill(agent, accepted, features).map_err(|failed| refuse(plain(), failed))?;
    let skill = skill.or_else(|| fit.and_then(|fit| fit.skill));
    let mut candidate = known(agent, accepted, endpoint, skill);
    let result = requirements::capable(accepted, features)
        .and_then(|()| requirements::modes(accepted, skill, features))
        .and_then(|()| has_room(agent));
    if let Err(failed) = result {
        return Err(refuse(candidate, failed));
    }
    let context = Context {
        profile: question.profile,
        features,
        now: question.now,
    };
    let signals = signals::signals(context, agent, candidate.skill.as_deref(), fit);
    let score = weigh(&mut candidate, question.profile, signals.clone());
    let named = features.hints.agent.is_some() || features.hints.skill.is_some();
    match requirements::affordable(&signals, question.profile, features, !named) {
        Err(failed) => Err(refuse(candidate, failed)),
        Ok(()) => Ok(Scored {
            candidate,
            score,
            chosen: Chosen {
                agent: Arc::clone(agent),
                endpoint: endpoint.clone(),
            },
        }),
    }
}

fn weigh(candidate: &mut Candidate, profile: &Profile, signals: Signals) -> f64 {
    let parts = contributions(&profile.weights, &SignalValues::from(&signals));
    let score = parts.score();
    candidate.signals = Some(signals);
    candidate.contributions = Some(parts);
    candidate.score = Some(score);
    score
}

/// Returns the position of the skill the client named; an error when it named another agent or a skill
/// this agent lacks. Skills are known by their own id and by `agent.skill`, as the federated card lists them.
fn requested_skill(
    agent: &CatalogAgent,
    accepted: &AcceptedCard,
    features: &Features,
) -> Result<Option<usize>, Failed> {
    let id = agent.spec.id.as_str();
    let not_requested = |detail: String| Failed {
        reason: Discard::NotRequested,
        detail,
    };
    if let Some(wanted) = features
        .hints
        .agent
        .as_deref()
        .filter(|wanted| *wanted != id)
    {
        return Err(not_requested(format!(
            "the client named the agent `{wanted}`"
        )));
    }
    let Some(wanted) = features.hints.skill.as_deref() else {
        return Ok(None);
    };
    let own = wanted
        .strip_prefix(id)
        .and_then(|rest| rest.strip_prefix('.'));
    accepted
        .card
        .skills()
        .iter()
        .position(|skill| skill.id == wanted || Some(skill.id.as_str()) == own)
        .map(Some)
        .ok_or_else(|| {
            not_requested(format!(
                "the client named the skill `{wanted}`, which it lacks"
            ))
        })
}

fn has_room(agent: &CatalogAgent) -> Result<(), Failed> {
    let (taken, limit) = (agent.stats.in_flight(), agent.spec.limits.max_in_flight);
    if taken < limit {
        return Ok(());
    }
    Err(Failed {
        reason: Discard::Saturated,
        detail: format!("{taken} of {limit} requests are under way"),
    })
}

/// Sorts by score. Equal scores at the top go by preference, then by a hash of message and agent: the same
/// for a retry, balanced overall, never by the order of the configuration.
fn rank(scored: &mut [Scored], message_id: &str) {
    let best = scored
        .iter()
        .map(|scored| scored.score)
        .fold(f64::NEG_INFINITY, f64::max);
    scored.sort_by_cached_key(|scored| {
        let tied = scored.score >= best - TIE;
        let preference = if tied {
            scored.chosen.agent.spec.preference
        } else {
            0
        };
        let id = &scored.candidate.agent;
        let hash = if tied { rendezvous(message_id, id) } else { 0 };
        let score = if tied { best } else { scored.score };
        (
            Descending(score),
            std::cmp::Reverse((preference, hash)),
            id.clone(),
        )
    });
}

fn rendezvous(message_id: &str, agent: &AgentId) -> u64 {
    let digest = digest(&SHA256, format!("{message_id}\n{agent}").as_bytes());
    digest
        .as_ref()
        .iter()
        .take(8)
        .fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

#[derive(PartialEq)]
struct Descending(f64);

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

/// Marks the first as chosen and says of the others by how much they lost.
fn explain_order(candidates: &mut [Candidate]) {
    let Some((chosen, others)) = candidates.split_first_mut() else {
        return;
    };
    chosen.verdict = Verdict::Chosen;
    let best = chosen.score.unwrap_or_default();
    for other in others {
        let behind = best - other.score.unwrap_or_default();
        other.detail = Some(if behind <= TIE {
            format!(
                "tied with `{}`, which comes first by preference or by message id",
                chosen.agent
            )
        } else {
            format!("{behind:.4} behind `{}`", chosen.agent)
        });
    }
}

fn nothing_fits(question: Question<'_>, discarded: Vec<Candidate>) -> Choice {
    let fallback = match &question.profile.on_no_fit {
        OnNoFit::Fallback(id) => fallback(question, id),
        OnNoFit::Reject => None,
    };
    let (kind, mut candidates, chosen) = match fallback {
        Some((candidate, chosen)) => (DecisionKind::Fallback, vec![candidate], Some(chosen)),
        None => (DecisionKind::NoFit, Vec::new(), None),
    };
    let chosen_id = chosen.as_ref().map(|chosen| chosen.agent.spec.id.clone());
    let others = discarded
        .into_iter()
        .filter(|candidate| Some(&candidate.agent) != chosen_id.as_ref());
    let unlisted = append_discarded(&mut candidates, others.collect());
    Choice {
        kind,
        chosen,
        candidates,
        unlisted,
        margin: None,
    }
}

/// The fallback agent takes what nobody fits, if it meets every requirement that is not about fit. A
/// client that named an agent or a skill wanted that one and no other.
fn fallback(question: Question<'_>, id: &AgentId) -> Option<(Candidate, Chosen)> {
    let hints = &question.features.hints;
    if hints.agent.is_some() || hints.skill.is_some() {
        return None;
    }
    let agent = question.catalog.agent(id)?;
    let (accepted, endpoint) = requirements::reachable(agent, question.version).ok()?;
    requirements::capable(accepted, question.features).ok()?;
    requirements::modes(accepted, None, question.features).ok()?;
    has_room(agent).ok()?;
    let mut candidate = known(agent, accepted, endpoint, None);
    let context = Context {
        profile: question.profile,
        features: question.features,
        now: question.now,
    };
    let signals = signals::signals(context, agent, None, None);
    weigh(&mut candidate, question.profile, signals.clone());
    requirements::affordable(&signals, question.profile, question.features, false).ok()?;
    candidate.verdict = Verdict::Chosen;
    candidate.detail = Some("no agent fits; the profile names this one as fallback".to_owned());
    Some((
        candidate,
        Chosen {
            agent: Arc::clone(agent),
            endpoint: endpoint.clone(),
        },
    ))
}

/// Lists the discarded, those that came furthest first.
fn append_discarded(
    candidates: &mut Vec<Candidate>,
    mut discarded: Vec<Candidate>,
) -> BTreeMap<Discard, usize> {
    discarded.sort_by_cached_key(|candidate| {
        (
            Descending(candidate.score.unwrap_or(f64::NEG_INFINITY)),
            candidate.agent.clone(),
        )
    });
    let mut unlisted = BTreeMap::new();
    for candidate in discarded.iter().skip(MAX_DISCARDED) {
        *unlisted
            .entry(candidate.reason.unwrap_or(Discard::BelowMinFit))
            .or_default() += 1;
    }
    discarded.truncate(MAX_DISCARDED);
    candidates.extend(discarded);
    unlisted
}

fn unknown(agent: &AgentId) -> Candidate {
    Candidate {
        agent: agent.clone(),
        skill: None,
        interface: None,
        card: None,
        signals: None,
        contributions: None,
        score: None,
        verdict: Verdict::Outscored,
        reason: None,
        detail: None,
    }
}

fn known(
    agent: &CatalogAgent,
    accepted: &AcceptedCard,
    endpoint: &Endpoint,
    skill: Option<usize>,
) -> Candidate {
    Candidate {
        skill: skill
            .and_then(|position| accepted.card.skills().get(position))
            .map(|skill| skill.id.clone()),
        interface: Some(InterfaceChoice {
            binding: Binding::JsonRpc,
            version: endpoint.version,
        }),
        card: Some(accepted.card.fingerprint().to_owned()),
        ..unknown(&agent.spec.id)
    }
}

fn discard(candidate: Candidate, failed: Failed) -> Candidate {
    Candidate {
        verdict: Verdict::Discarded,
        reason: Some(failed.reason),
        detail: Some(failed.detail),
        ..candidate
    }
}

#[cfg(test)]
mod tests;
