//! The choice: requirements and signals for every agent, the best score wins, everybody is accounted for.

use std::{collections::BTreeMap, sync::Arc};

use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use tokio::time::Instant;

use super::{
    ambiguity,
    assess::{self, Assessed, TIE, fits},
    explore,
    features::Features,
    rules::Rule,
    shadow,
    survey::{Survey, survey},
};
use crate::{
    agent::AgentId,
    catalog::{Catalog, CatalogAgent, Endpoint},
    decision::{Ambiguity, Candidate, DecisionKind, Explored, ShadowChoice, Unlisted, Verdict},
    fit::Fits,
    meaning::Direction,
    profile::{OnNoFit, VersionedProfile},
};

/// A decision lists at most this many agents that met all requirements; the rest are counted.
const MAX_OUTSCORED: usize = 20;
/// Words that speak for the fit are recorded for this many listed agents.
const EXPLAINED: usize = 16;

/// What is to be decided.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// All agents.
    pub catalog: &'a Catalog,
    /// Weights and limits.
    pub profile: &'a VersionedProfile,
    /// The routing rule that matched and narrows the choice.
    pub rule: Option<&'a Rule>,
    /// What is asked.
    pub features: &'a Features,
    /// What [`Features::searched`] means; without it, words alone say what fits.
    pub meaning: Option<&'a Direction>,
    /// The protocol version the client speaks.
    pub version: Version,
    /// The binding its message came by.
    pub binding: Binding,
    /// The moment measurements are read for.
    pub now: Instant,
    /// The same moment by the calendar, for what fades over days.
    pub at: Timestamp,
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
    /// Best score minus the next best.
    pub margin: Option<f64>,
    /// How probable the choice was, in (0,1]; 1 where chance had no part in it.
    pub propensity: f64,
    /// The part that chance had.
    pub exploration: Option<Explored>,
    /// The agent that may be as right as the best.
    pub ambiguity: Option<Ambiguity>,
    /// What the caller may name where the choice was rejected as a guess, best first.
    pub alternatives: Vec<Alternative>,
    /// What each shadow profile would have done.
    pub shadow: BTreeMap<String, ShadowChoice>,
}

/// An agent that a caller may name, with the skill that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// The agent.
    pub agent: AgentId,
    /// The skill.
    pub skill: Option<String>,
}

/// The agent that gets a message.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The agent.
    pub agent: Arc<CatalogAgent>,
    /// The skill it is wanted for.
    pub skill: Option<String>,
    /// Where it is called.
    pub endpoint: Endpoint,
}

impl Choice {
    /// Chooses nobody, without considering anybody: a rule turns the message away.
    #[must_use]
    pub fn turned_away() -> Self {
        Self {
            kind: DecisionKind::Rejected,
            chosen: None,
            candidates: Vec::new(),
            unlisted: Unlisted::default(),
            margin: None,
            propensity: 1.0,
            exploration: None,
            ambiguity: None,
            alternatives: Vec::new(),
            shadow: BTreeMap::new(),
        }
    }
}

/// Chooses among all agents by score.
#[must_use]
pub fn choose(question: Question<'_>) -> Choice {
    choose_beside(question, &[])
}

/// Chooses among all agents by score, and says what each of the shadow profiles would have done.
#[must_use]
pub fn choose_beside(question: Question<'_>, shadows: &[&VersionedProfile]) -> Choice {
    let text = question.features.searched();
    let fits = fits(question, &text);
    let Survey {
        fitting,
        mut discarded,
        nearest,
    } = survey(question, &fits, wanted(question));
    let met = fitting.count();
    let mut fitting = fitting.ranked(question.features.message_id.as_deref());
    let margin = match fitting.as_slice() {
        [best, next, ..] => Some(best.score - next.score),
        _ => None,
    };
    let doubt = ambiguity::judge(question, &fits, &fitting, &nearest);
    let (mut alternatives, mut chance) = (Vec::new(), None);
    let kind = if doubt.as_ref().is_some_and(|doubt| doubt.rejects) {
        alternatives = ambiguity::alternatives(question, &fits, &fitting, &nearest);
        DecisionKind::Ambiguous
    } else if !fitting.is_empty() {
        chance = explore::explore(question, &mut fitting);
        DecisionKind::Scored
    } else if let Some(fallback) = fallback(question) {
        discarded.take_out(&fallback);
        fitting.push(fallback);
        DecisionKind::Fallback
    } else {
        discarded.look_again(question, &fits);
        DecisionKind::NoFit
    };
    let discarded = discarded.finish(question);
    let mut candidates = record(question, &fits, (&fitting, &discarded.closest), kind);
    match (&chance, &doubt) {
        (Some(chance), _) => explore::explain(chance, &mut candidates),
        (None, Some(doubt)) if doubt.rejects => ambiguity::explain(doubt, &mut candidates),
        _ => {}
    }
    Choice {
        kind,
        chosen: fitting
            .first()
            .filter(|_| kind != DecisionKind::Ambiguous)
            .and_then(chosen),
        candidates,
        unlisted: Unlisted {
            outscored: met.saturating_sub(1 + MAX_OUTSCORED),
            discarded: discarded.others,
        },
        margin,
        propensity: chance.as_ref().map_or(1.0, |chance| chance.propensity),
        exploration: chance.map(|chance| chance.record),
        ambiguity: doubt.map(|doubt| doubt.record),
        alternatives,
        shadow: shadow::decide(question, &fits, shadows),
    }
}

/// Routes to one agent without scoring: the owner of a task or context, or the one a client addressed.
#[must_use]
pub fn follow(question: Question<'_>, agent: &Arc<CatalogAgent>, kind: DecisionKind) -> Choice {
    let assessed = assess::follow(question, agent, kind);
    let mut candidate = assessed.describe(question, &[]);
    if assessed.failed.is_none() {
        candidate.verdict = Verdict::Chosen;
    }
    Choice {
        kind,
        chosen: chosen(&assessed),
        candidates: vec![candidate],
        unlisted: Unlisted::default(),
        margin: None,
        propensity: 1.0,
        exploration: None,
        ambiguity: None,
        alternatives: Vec::new(),
        shadow: BTreeMap::new(),
    }
}

/// Returns how many of the best are listed, or may be explored.
fn wanted(question: Question<'_>) -> usize {
    let exploration = &question.profile.exploration;
    let explored = if exploration.is_off() {
        0
    } else {
        exploration.among
    };
    explored.max(1 + MAX_OUTSCORED)
}

fn fallback<'a>(question: Question<'a>) -> Option<Assessed<'a>> {
    match &question.profile.on_no_fit {
        OnNoFit::Fallback(id) => assess::fallback(question, id),
        OnNoFit::Reject => None,
    }
}

fn chosen(assessed: &Assessed<'_>) -> Option<Chosen> {
    let endpoint = assessed.endpoint.filter(|_| assessed.failed.is_none())?;
    Some(Chosen {
        agent: Arc::clone(assessed.agent),
        skill: assessed.skill_id().map(str::to_owned),
        endpoint: endpoint.clone(),
    })
}

/// Describes those that a record lists: the chosen one, those it outscored, then the discarded that came closest.
fn record(
    question: Question<'_>,
    fits: &Fits<'_, '_>,
    assessed: (&[Assessed<'_>], &[Assessed<'_>]),
    kind: DecisionKind,
) -> Vec<Candidate> {
    let (fitting, discarded) = assessed;
    let listed = fitting.iter().take(1 + MAX_OUTSCORED).chain(discarded);
    let describe = |(place, one): (usize, &Assessed<'_>)| {
        let why = if place < EXPLAINED {
            fits.why(one.position)
        } else {
            Vec::new()
        };
        one.describe(question, &why)
    };
    let mut candidates: Vec<_> = listed.enumerate().map(describe).collect();
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

#[cfg(test)]
mod tests;
