//! Why a choice came out as it did, and the smallest changes that would have turned it.
//!
//! Everything is recomputed from the record: nothing is measured again, and no agent is asked.

mod change;
mod requirement;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::{change::Change, requirement::Requirement};
use super::{
    assess::TIE,
    recorded::{Recorded, SignalName},
};
use crate::{
    agent::AgentId,
    decision::{Candidate, DecisionKind, Discard, MatchedRule, RouteDecision, Verdict},
    profile::{Profile, VersionedProfile},
};

/// Why an agent was chosen and why the others were not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The id of the decision.
    pub decision: String,
    /// How the agent was found.
    pub kind: DecisionKind,
    /// The routing rule that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<MatchedRule>,
    /// The chosen one; absent where nobody got the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<WhyChosen>,
    /// Every other listed candidate, in the order of the record.
    pub others: Vec<WhyNot>,
    /// How many more were considered than the record lists.
    #[serde(default)]
    pub unlisted: usize,
    /// Whether the limits of the profile are known, which the record only names by the profile's version.
    pub limits_known: bool,
}

/// Why one agent was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyChosen {
    /// The agent.
    pub agent: AgentId,
    /// Its skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Its score; absent where none was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How it won.
    pub by: Win,
    /// The best of the others, if another one was scored and met all requirements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgentId>,
    /// Chosen score minus that of `against`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// What each signal adds to the margin, largest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lead: Vec<Lead>,
    /// How probable the choice was.
    pub propensity: f64,
}

/// How the chosen one won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Win {
    /// By the highest score.
    Score,
    /// Among equal scores, by preference or by message id.
    Tie,
    /// By chance, although another one scored higher.
    Exploration,
    /// As the only one that met all requirements.
    Alone,
    /// As the fallback that the profile names.
    Fallback,
    /// Without scoring: by task, by context or by path.
    Address,
}

/// What one signal adds to a lead.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The signal.
    pub signal: SignalName,
    /// The difference of the contributions.
    pub by: f64,
}

/// Why one agent was not chosen, and what would have to change for it to win.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNot {
    /// The agent.
    pub agent: AgentId,
    /// Its skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Whether it was outscored or discarded.
    pub verdict: Verdict,
    /// The requirement it failed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Discard>,
    /// The words of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Its score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What each signal adds to its lag behind the chosen one, the worst first; all are negative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lags: Vec<Lead>,
    /// The limits it must meet first, each with how far off it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
    /// Its score once it meets them by the least that is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_then: Option<f64>,
    /// Whether it would win once it meets them, or wins by its score as it is; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wins_then: Option<bool>,
    /// For each signal the smallest change that would make it win, all else as it is and requirements met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// What a candidate is compared with.
#[derive(Debug, Clone, Copy)]
struct Contest<'a> {
    decision: &'a RouteDecision,
    /// The profile of the decision, if its limits are still known.
    profile: Option<&'a Profile>,
}

/// Explains a decision, live or stored.
///
/// A record names its profile by version and does not hold its limits. `known` are the profiles there are now; the
/// limits of one are used if its version is that of the record.
pub fn explain<'p>(
    decision: &RouteDecision,
    known: impl IntoIterator<Item = &'p VersionedProfile>,
) -> Explanation {
    let profile = known
        .into_iter()
        .find(|profile| profile.version() == decision.versions.profile)
        .map(|profile| &**profile);
    let contest = Contest { decision, profile };
    let others = decision
        .candidates
        .iter()
        .filter(|candidate| candidate.verdict != Verdict::Chosen);
    let unlisted = &decision.unlisted;
    Explanation {
        decision: decision.id.clone(),
        kind: decision.kind,
        rule: decision.rule.clone(),
        chosen: decision.chosen().map(|chosen| contest.why_chosen(chosen)),
        others: others.map(|other| contest.why_not(other)).collect(),
        unlisted: unlisted
            .discarded
            .values()
            .fold(unlisted.outscored, |sum, count| sum.saturating_add(*count)),
        limits_known: profile.is_some(),
    }
}

impl Contest<'_> {
    fn why_chosen(&self, chosen: &Candidate) -> WhyChosen {
        let against = self.best_but(chosen);
        let margin = against.and_then(|other| Some(chosen.score? - other.score?));
        let by = match self.decision.kind {
            DecisionKind::Owner | DecisionKind::Context | DecisionKind::Pinned => Win::Address,
            DecisionKind::Fallback => Win::Fallback,
            _ => match margin {
                None => Win::Alone,
                Some(margin) if margin < -TIE => Win::Exploration,
                Some(margin) if margin <= TIE => Win::Tie,
                Some(_) => Win::Score,
            },
        };
        WhyChosen {
            agent: chosen.agent.clone(),
            skill: chosen.skill.clone(),
            score: chosen.score,
            by,
            against: against.map(|other| other.agent.clone()),
            margin,
            lead: against.map_or_else(Vec::new, |other| lead(chosen, other)),
            propensity: self.decision.propensity,
        }
    }

    fn why_not(&self, candidate: &Candidate) -> WhyNot {
        let mut why = WhyNot {
            agent: candidate.agent.clone(),
            skill: candidate.skill.clone(),
            verdict: candidate.verdict,
            reason: candidate.reason,
            detail: candidate.detail.clone(),
            score: candidate.score,
            lags: Vec::new(),
            requirements: Vec::new(),
            score_then: None,
            wins_then: None,
            changes: Vec::new(),
        };
        if let Some(chosen) = self.decision.chosen() {
            why.lags = lead(candidate, chosen);
            why.lags.retain(|lead| lead.by < 0.0);
            why.lags.reverse();
        }
        // A rule or a ceiling leaves it out whatever its signals are.
        let is_out = matches!(
            why.reason,
            Some(Discard::ExcludedByRule | Discard::EffectCeiling)
        );
        let recorded = candidate.signals.as_ref().and_then(Recorded::of);
        if let Some(recorded) = recorded.filter(|_| !is_out) {
            self.look_for_changes(&mut why, recorded);
        }
        why
    }

    /// Finds out what must be met, whether that is enough, and what would be.
    fn look_for_changes(&self, why: &mut WhyNot, recorded: Recorded) {
        let weights = &self.decision.weights;
        let met = match why.reason {
            None => Some(recorded),
            Some(reason) => {
                let (requirements, met) = requirement::meet(recorded, reason, *self);
                why.requirements = requirements;
                met
            }
        };
        let target = self.score_to_beat(&why.agent);
        // Where a limit is not known, meeting it can only help a candidate that would win as it is.
        let as_far_as_known = met.unwrap_or(recorded);
        let score = as_far_as_known.score(weights);
        let wins = score > target;
        if why.reason.is_some() {
            why.score_then = met.map(|_| score);
            why.wins_then = (met.is_some() || wins).then_some(wins);
        } else if wins {
            why.wins_then = Some(true);
        }
        if !wins {
            why.changes = change::smallest(as_far_as_known, self.decision, self.profile, target);
        }
    }

    /// Returns the score that must be exceeded to win whatever preference and message id say. Where nobody fitted, any
    /// score wins.
    fn score_to_beat(&self, agent: &AgentId) -> f64 {
        if matches!(
            self.decision.kind,
            DecisionKind::Fallback | DecisionKind::NoFit
        ) {
            return f64::NEG_INFINITY;
        }
        self.scored()
            .filter(|candidate| candidate.agent != *agent)
            .filter_map(|candidate| candidate.score)
            .fold(f64::NEG_INFINITY, f64::max)
            + TIE
    }

    fn best_but(&self, chosen: &Candidate) -> Option<&Candidate> {
        self.scored()
            .filter(|candidate| candidate.agent != chosen.agent)
            .max_by(|left, right| {
                let score = |one: &Candidate| one.score.unwrap_or(f64::NEG_INFINITY);
                score(left).total_cmp(&score(right))
            })
    }

    /// Returns those that met all requirements and have a score.
    fn scored(&self) -> impl Iterator<Item = &Candidate> {
        self.decision.candidates.iter().filter(|candidate| {
            candidate.verdict != Verdict::Discarded && candidate.score.is_some()
        })
    }
}

/// Returns what each signal adds to the lead of one candidate over another, largest first.
fn lead(one: &Candidate, other: &Candidate) -> Vec<Lead> {
    let (Some(one), Some(other)) = (&one.contributions, &other.contributions) else {
        return Vec::new();
    };
    let mut lead = SignalName::ALL.map(|signal| Lead {
        signal,
        by: signal.contribution(one) - signal.contribution(other),
    });
    lead.sort_by(|left, right| right.by.total_cmp(&left.by));
    lead.into_iter()
        .filter(|lead| lead.by.abs() > TIE)
        .collect()
}
