//! The choice: requirements and signals for every agent, the best score wins, everybody is accounted for.

use std::{collections::BTreeMap, sync::Arc};

use gateway_protocol::{Version, translate::Dialect};
use tokio::time::Instant;

use super::{
    assess::{self, Assessed, Fits, TIE, by_score, everybody, fits, rank},
    features::Features,
};
use crate::{
    catalog::{Catalog, CatalogAgent, Endpoint},
    decision::{Candidate, DecisionKind, Discard, Unlisted, Verdict},
    profile::{OnNoFit, Profile},
};

/// A decision lists at most this many agents that met all requirements; the rest are counted.
const MAX_OUTSCORED: usize = 20;
/// A decision lists at most this many discarded agents, those that came closest; the rest are counted by reason.
const MAX_DISCARDED: usize = 30;

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
    /// The dialect that its parameters are in.
    pub dialect: Dialect,
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
    /// Those considered, in the order of the record.
    pub candidates: Vec<Candidate>,
    /// How many more were considered.
    pub unlisted: Unlisted,
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

/// Chooses among all agents by score.
#[must_use]
pub fn choose(question: Question<'_>) -> Choice {
    let fits = fits(question);
    let (mut fitting, mut discarded): (Vec<_>, Vec<_>) = everybody(question, &fits)
        .into_iter()
        .partition(|assessed| assessed.failed.is_none());
    rank(&mut fitting, question.features.message_id.as_deref());
    discarded.sort_unstable_by(by_score);
    let kind = if fitting.is_empty() {
        fitting.extend(fallback(question));
        discarded.retain(|one| fitting.iter().all(|fallback| !same(one, fallback)));
        if fitting.is_empty() {
            DecisionKind::NoFit
        } else {
            DecisionKind::Fallback
        }
    } else {
        DecisionKind::Scored
    };
    Choice {
        kind,
        chosen: fitting.first().and_then(chosen),
        candidates: record(question, &fits, (&fitting, &discarded), kind),
        unlisted: unlisted(&fitting, &discarded),
        margin: match fitting.as_slice() {
            [best, next, ..] => Some(best.score - next.score),
            _ => None,
        },
    }
}

/// Routes to one agent without scoring: the owner of a task or context, or the one a client addressed.
#[must_use]
pub fn follow(question: Question<'_>, agent: &Arc<CatalogAgent>, kind: DecisionKind) -> Choice {
    let assessed = assess::follow(question, agent, kind);
    let mut candidate = assessed.describe(question, &Fits::new());
    if assessed.failed.is_none() {
        candidate.verdict = Verdict::Chosen;
    }
    Choice {
        kind,
        chosen: chosen(&assessed),
        candidates: vec![candidate],
        unlisted: Unlisted::default(),
        margin: None,
    }
}

fn fallback<'a>(question: Question<'a>) -> Option<Assessed<'a>> {
    match &question.profile.on_no_fit {
        OnNoFit::Fallback(id) => assess::fallback(question, id),
        OnNoFit::Reject => None,
    }
}

fn same(left: &Assessed<'_>, right: &Assessed<'_>) -> bool {
    Arc::ptr_eq(left.agent, right.agent)
}

fn chosen(assessed: &Assessed<'_>) -> Option<Chosen> {
    let endpoint = assessed.endpoint.filter(|_| assessed.failed.is_none())?;
    Some(Chosen {
        agent: Arc::clone(assessed.agent),
        endpoint: endpoint.clone(),
    })
}

/// Describes those that a record lists: the chosen one, those it outscored, then the discarded that came closest.
fn record(
    question: Question<'_>,
    fits: &Fits,
    assessed: (&[Assessed<'_>], &[Assessed<'_>]),
    kind: DecisionKind,
) -> Vec<Candidate> {
    let (fitting, discarded) = assessed;
    let listed = fitting
        .iter()
        .take(1 + MAX_OUTSCORED)
        .chain(discarded.iter().take(MAX_DISCARDED));
    let mut candidates: Vec<_> = listed.map(|one| one.describe(question, fits)).collect();
    explain_order(
        candidates.get_mut(..fitting.len().min(1 + MAX_OUTSCORED)),
        kind,
    );
    candidates
}

/// Marks the first as chosen and says of the others by how much they lost.
fn explain_order(candidates: Option<&mut [Candidate]>, kind: DecisionKind) {
    let Some((chosen, others)) = candidates.and_then(<[Candidate]>::split_first_mut) else {
        return;
    };
    chosen.verdict = Verdict::Chosen;
    if kind == DecisionKind::Fallback {
        let text = "no agent fits; the profile names this one as fallback";
        chosen.detail = Some(text.to_owned());
    }
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

fn unlisted(fitting: &[Assessed<'_>], discarded: &[Assessed<'_>]) -> Unlisted {
    let mut reasons: BTreeMap<Discard, usize> = BTreeMap::new();
    for reason in discarded
        .iter()
        .skip(MAX_DISCARDED)
        .filter_map(|one| one.failed)
    {
        *reasons.entry(reason).or_default() += 1;
    }
    Unlisted {
        outscored: fitting.len().saturating_sub(1 + MAX_OUTSCORED),
        discarded: reasons,
    }
}

#[cfg(test)]
mod tests;
