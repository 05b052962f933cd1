//! What the numbers say about each agent: the requirement it fails, or its score.

use std::{
    cmp::{Ordering, Reverse},
    sync::Arc,
};

use aws_lc_rs::digest::{SHA256, digest};

use super::{
    choice::Question,
    detail::{Checked, detail},
    effects, requirements,
    score::contributions,
    signals::{Context, Measured},
};
use crate::{
    agent::{AgentId, Effect},
    catalog::{CatalogAgent, Endpoint},
    decision::{Candidate, DecisionKind, Discard, InterfaceChoice, Signals, Verdict},
    fit::{AgentFit, Asked, Fits},
    learning::Quality,
};

/// Scores this close count as equal.
pub const TIE: f64 = 1e-9;

/// What the numbers say about one agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assessed<'a> {
    /// In the catalog.
    pub(super) position: usize,
    pub(super) agent: &'a Arc<CatalogAgent>,
    pub(super) endpoint: Option<&'a Endpoint>,
    skill: Option<usize>,
    fit: Option<AgentFit>,
    measured: Option<Measured>,
    pub(super) score: f64,
    /// How probable it is that chance takes it, where chance may.
    pub(super) propensity: Option<f64>,
    pub(super) failed: Option<Discard>,
}

/// Searches all cards for a text, and for its meaning if that is known.
pub(super) fn fits<'i, 't>(question: Question<'i>, text: &'t str) -> Fits<'i, 't> {
    let index = question.catalog.fit();
    let asked = question.meaning.map(|request| Asked {
        request,
        cards: question.catalog.meanings(),
    });
    match asked {
        _ if question.features.hints.skill.is_some() => {
            index.fits_named(text, asked, |position| named_skill(question, position))
        }
        Some(asked) => index.fits_by_meaning(text, asked),
        None => index.fits(text),
    }
}

/// Returns the position of the skill the client named in the card of an agent.
fn named_skill(question: Question<'_>, position: usize) -> Option<usize> {
    let agent = question.catalog.agents().get(position)?;
    let accepted = agent.status.accepted.as_ref()?;
    requirements::requested(agent, accepted, question.features).ok()?
}

/// What is looked at first in an agent, and therefore named as the reason when several things speak against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// The fit. It is at hand and rules out most agents of a large federation.
    Fit,
    /// The card. Where nobody fits, it has the better reason.
    Card,
}

/// Assesses one agent of the catalog.
pub(super) fn assess<'a>(
    question: Question<'a>,
    fits: &Fits<'_, '_>,
    first: First,
    position: usize,
) -> Option<Assessed<'a>> {
    let agent = question.catalog.agents().get(position)?;
    // The index may still know a card that is given up.
    let is_known = agent.status.accepted.is_some();
    let fit = is_known.then(|| fits.get(position)).flatten();
    let mut assessed = Assessed::new(position, agent, fit);
    assessed.failed = check(question, &mut assessed, first).err();
    Some(assessed)
}

/// Checks one requirement after the other; those that need the signals come last.
fn check(question: Question<'_>, assessed: &mut Assessed<'_>, first: First) -> Result<(), Discard> {
    let fits_enough = |fit| requirements::fits_enough(fit, &question);
    requirements::allowed(assessed.agent, &question)?;
    if first == First::Fit {
        requirements::known(assessed.agent)?;
        fits_enough(assessed.fit)?;
    }
    check_card(question, assessed)?;
    fits_enough(assessed.fit)?;
    check_signals(question, assessed)
}

fn check_card(question: Question<'_>, assessed: &mut Assessed<'_>) -> Result<(), Discard> {
    let (agent, features) = (assessed.agent, question.features);
    let (accepted, endpoint) = requirements::reachable(agent, &question)?;
    assessed.endpoint = Some(endpoint);
    requirements::trusted(agent)?;
    let requested = requirements::requested(agent, accepted, features)?;
    assessed.skill = requested.or(assessed.skill);
    requirements::capable(accepted, features)?;
    requirements::modes(accepted, assessed.skill, features)?;
    effects::within_ceiling(&agent.spec, assessed.skill_id(), question)?;
    requirements::has_room(agent)
}

fn check_signals(question: Question<'_>, assessed: &mut Assessed<'_>) -> Result<(), Discard> {
    let measured = measure(question, assessed);
    requirements::within_limits(&measured, question.profile, question.features)
}

/// Takes the signals and the score.
fn measure(question: Question<'_>, assessed: &mut Assessed<'_>) -> Measured {
    let context = Context {
        profile: question.profile,
        features: question.features,
        now: question.now,
        at: question.at,
    };
    let measured = Measured::take(context, assessed.agent, assessed.skill_id(), assessed.fit);
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
    let mut assessed = Assessed::new(position, agents.get(position)?, None);
    requirements::allowed(assessed.agent, &question).ok()?;
    check_card(question, &mut assessed).ok()?;
    check_signals(question, &mut assessed).ok()?;
    Some(assessed)
}

/// Assesses an agent as if it fitted well enough; nothing if it fails another requirement.
pub(super) fn beside_fit<'a>(
    question: Question<'a>,
    fits: &Fits<'_, '_>,
    position: usize,
    agent: &'a Arc<CatalogAgent>,
) -> Option<Assessed<'a>> {
    let mut assessed = Assessed::new(position, agent, fits.get(position));
    check_card(question, &mut assessed).ok()?;
    check_signals(question, &mut assessed).ok()?;
    Some(assessed)
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
            Reverse(tie_break(spec.preference, message_id, &spec.id))
        });
    }
}

/// Orders by score, highest first, and equal ones by id.
pub(super) fn by_score(left: &Assessed<'_>, right: &Assessed<'_>) -> Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| left.agent.spec.id.cmp(&right.agent.spec.id))
}

/// Orders discarded agents by how close they came: those with a score first, then by fit, then by id.
pub(super) fn by_closeness(left: &Assessed<'_>, right: &Assessed<'_>) -> Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| right.closeness().total_cmp(&left.closeness()))
        .then_with(|| left.agent.spec.id.cmp(&right.agent.spec.id))
}

/// Returns by what an agent wins among equal scores: the highest comes first.
#[must_use]
pub fn tie_break(preference: i32, message_id: &str, agent: &AgentId) -> (i32, u64) {
    (preference, rendezvous(message_id, agent))
}

fn rendezvous(message_id: &str, agent: &AgentId) -> u64 {
    let digest = digest(&SHA256, format!("{message_id}\n{agent}").as_bytes());
    digest
        .as_ref()
        .iter()
        .take(8)
        .fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

impl<'a> Assessed<'a> {
    fn new(position: usize, agent: &'a Arc<CatalogAgent>, fit: Option<AgentFit>) -> Self {
        Self {
            position,
            agent,
            endpoint: None,
            skill: fit.and_then(|fit| fit.skill),
            fit,
            measured: None,
            score: f64::NEG_INFINITY,
            propensity: None,
            failed: None,
        }
    }

    /// Returns how close an agent came that has no score: the log-odds of its fit, if that is what it failed by.
    pub(super) fn closeness(&self) -> f64 {
        match self.failed {
            Some(Discard::BelowMinFit) => self.fit.map_or(f64::MIN, |fit| fit.log_odds),
            _ => f64::NEG_INFINITY,
        }
    }

    /// Finds out what a record shows of an agent that was discarded before it was needed, for what another profile or
    /// rule may see otherwise.
    pub(super) fn complete(&mut self, question: Question<'_>) {
        let by_choice = matches!(
            self.failed,
            Some(Discard::BelowMinFit | Discard::EffectCeiling | Discard::ExcludedByRule)
        );
        if by_choice && self.measured.is_none() {
            let reached = requirements::reachable(self.agent, &question);
            self.endpoint = reached.ok().map(|(_, endpoint)| endpoint);
            measure(question, self);
        }
    }

    /// Describes the agent for the record; one that failed nothing as outscored. `why` are the words that speak
    /// for it.
    pub(super) fn describe(&self, question: Question<'_>, why: &[String]) -> Candidate {
        let weights = &question.profile.weights;
        let parts = self
            .measured
            .map(|measured| contributions(weights, &measured.values()));
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
            signals: self.signals(why),
            score: parts.as_ref().map(crate::decision::Contributions::score),
            contributions: parts,
            propensity: self.propensity,
            verdict: match self.failed {
                Some(_) => Verdict::Discarded,
                None => Verdict::Outscored,
            },
            reason: self.failed,
            detail: self.failed.map(|reason| detail(question, checked, reason)),
        }
    }

    /// Describes the signals; the fit is made of words and meaning where both were looked at.
    fn signals(&self, why: &[String]) -> Option<Signals> {
        let mut signals = self.measured?.describe(self.agent, why);
        if let Some((words, meaning)) = self.fit.and_then(|fit| Some((fit.words, fit.meaning?))) {
            let terms = [("words", words), ("meaning", meaning)];
            let named = terms.map(|(name, value)| (name.to_owned(), value));
            signals.fit.terms.extend(named);
        }
        Some(signals)
    }

    /// Returns what running the skill does to the world.
    pub(super) fn effect(&self) -> Effect {
        self.agent.spec.effect_of(self.skill_id())
    }

    /// Returns how well the agent fits; 0 where nothing of the message was found in its card.
    pub(super) fn log_odds(&self) -> Option<f64> {
        self.fit.map(|fit| fit.log_odds)
    }

    /// Returns the expected quality, once the signals were measured.
    pub(super) fn quality(&self) -> Option<Quality> {
        self.measured.map(|measured| measured.quality)
    }

    pub(super) fn skill_id(&self) -> Option<&str> {
        let card = &self.agent.status.accepted.as_ref()?.card;
        card.skills()
            .get(self.skill?)
            .map(|skill| skill.id.as_str())
    }
}

/// Assesses one agent that is routed to without scoring. The owner of a task goes on with it whatever its card
/// and effect. Nobody chose a skill, so the highest effect of the agent counts.
pub(super) fn follow<'a>(
    question: Question<'a>,
    agent: &'a Arc<CatalogAgent>,
    kind: DecisionKind,
) -> Assessed<'a> {
    let reached = requirements::reachable(agent, &question);
    let failed = reached.and_then(|(accepted, _)| {
        if kind != DecisionKind::Owner {
            requirements::trusted(agent)?;
            effects::within_ceiling(&agent.spec, None, question)?;
        }
        requirements::capable(accepted, question.features)
    });
    Assessed {
        endpoint: reached.ok().map(|(_, endpoint)| endpoint),
        failed: failed.err(),
        ..Assessed::new(usize::MAX, agent, None)
    }
}
