//! How often the answers are right.

use serde::Serialize;

use super::{
    Pair,
    statistics::{mean, share},
};
use crate::labelled::{Kind, Verdict};

/// How high the right agent stands.
#[derive(Debug, Serialize)]
pub struct Block {
    /// Requests.
    pub n: usize,
    /// Share with a right agent in the first place.
    pub top1: Option<f64>,
    /// Share with a right agent in the first three.
    pub top3: Option<f64>,
    /// Mean of one over the place of the first right agent, 0 where none is listed.
    pub mrr: Option<f64>,
}

impl Block {
    pub(super) fn of(pairs: &[Pair<'_>]) -> Self {
        let within = |first: usize| {
            share(
                pairs
                    .iter()
                    .map(|(request, answer)| answer.is_right_within(first, request)),
            )
        };
        let reciprocal = |(request, answer): &Pair<'_>| {
            let mut places = (1_u8..).zip(&answer.ranked);
            let right = places.find(|(_, ranked)| request.expected_agents.contains(&ranked.agent));
            right.map_or(0.0, |(place, _)| 1.0 / f64::from(place))
        };
        Self {
            n: pairs.len(),
            top1: within(1),
            top3: within(3),
            mrr: mean(pairs.iter().map(reciprocal)),
        }
    }
}

/// How often the skill is right where the first agent is, and the labels name skills.
#[derive(Debug, Serialize)]
pub struct Skill {
    /// Such requests.
    pub n: usize,
    /// Share with a right skill.
    pub accuracy: Option<f64>,
}

impl Skill {
    pub(super) fn of(pairs: &[Pair<'_>]) -> Self {
        let is_right = |(request, answer): &Pair<'_>| {
            let first = answer.ranked.first()?;
            let expected = request.expected_skills.get(&first.agent)?;
            let named = request.expected_agents.contains(&first.agent) && !expected.is_empty();
            let skill = first.skill.as_ref();
            named.then(|| skill.is_some_and(|skill| expected.contains(skill)))
        };
        let right: Vec<bool> = pairs.iter().filter_map(is_right).collect();
        Self {
            n: right.len(),
            accuracy: share(right),
        }
    }
}

/// How often verdict and agents are right together.
#[derive(Debug, Serialize)]
pub struct WholeAnswer {
    /// Of all requests but the adversarial ones.
    pub all_base: Option<f64>,
    /// Of those that one agent is right for.
    pub routable: Option<f64>,
    /// Of those that nothing fits.
    pub none: Option<f64>,
    /// Of those that several agents fit alike.
    pub ambiguous: Option<f64>,
    /// Routable requests answered with "nothing fits".
    pub routable_said_none: Option<f64>,
    /// Routable requests answered with "several fit".
    pub routable_said_ambiguous: Option<f64>,
    /// Routable requests sent to a wrong agent.
    pub routable_sent_to_wrong_agent: Option<f64>,
    /// Requests that nothing fits, not answered so.
    pub none_sent_somewhere: Option<f64>,
}

impl WholeAnswer {
    pub(super) fn of(base: &[Pair<'_>]) -> Self {
        let right = |of: Option<Verdict>| {
            let asked = base
                .iter()
                .filter(|(request, _)| of.is_none_or(|verdict| request.verdict == verdict));
            share(asked.map(|(request, answer)| answer.is_right(request)))
        };
        let routable = |is: &dyn Fn(&Pair<'_>) -> bool| {
            let routable = base
                .iter()
                .filter(|(request, _)| request.kind.is_routable());
            share(routable.map(is))
        };
        let nothing = base
            .iter()
            .filter(|(request, _)| request.verdict == Verdict::None);
        Self {
            all_base: right(None),
            routable: right(Some(Verdict::Routed)),
            none: right(Some(Verdict::None)),
            ambiguous: right(Some(Verdict::Ambiguous)),
            routable_said_none: routable(&|(_, answer)| answer.verdict == Verdict::None),
            routable_said_ambiguous: routable(&|(_, answer)| answer.verdict == Verdict::Ambiguous),
            routable_sent_to_wrong_agent: routable(&|(request, answer)| {
                answer.verdict == Verdict::Routed && !answer.is_right(request)
            }),
            none_sent_somewhere: share(nothing.map(|(_, answer)| answer.verdict != Verdict::None)),
        }
    }
}

/// How often an adversarial card comes first.
#[derive(Debug, Serialize)]
pub struct Adversarial {
    /// Requests written to be stolen.
    pub n: usize,
    /// Share of them that was.
    pub hijack_rate: Option<f64>,
    /// Share of them that was, and routed.
    pub hijack_rate_routed_verdict: Option<f64>,
    /// Share of them that the right agent won, where there is one.
    pub top1_right: Option<f64>,
    /// Share of them that nothing fits and that were answered so.
    pub none_kept_none: Option<f64>,
    /// Share of all other requests that is stolen once the adversarial cards are loaded.
    pub all_requests_hijack_rate: Option<f64>,
    /// The same for requests that one agent is right for.
    pub routable_hijack_rate: Option<f64>,
    /// How often the right agent comes first with the adversarial cards loaded.
    pub routable_top1_with_adversarial_cards: Option<f64>,
}

impl Adversarial {
    pub(super) fn of(adversarial: &[Pair<'_>], base: &[Pair<'_>]) -> Self {
        let written =
            |is: &dyn Fn(&Pair<'_>) -> Option<bool>| share(adversarial.iter().filter_map(is));
        let routable = || {
            base.iter()
                .filter(|(request, _)| Kind::is_routable(request.kind))
        };
        Self {
            n: adversarial.len(),
            hijack_rate: written(&|(_, answer)| Some(answer.is_hijacked())),
            hijack_rate_routed_verdict: written(&|(_, answer)| {
                Some(answer.is_hijacked() && answer.verdict == Verdict::Routed)
            }),
            top1_right: written(&|(request, answer)| {
                (request.verdict == Verdict::Routed).then(|| answer.is_right_within(1, request))
            }),
            none_kept_none: written(&|(request, answer)| {
                (request.verdict == Verdict::None).then_some(answer.verdict == Verdict::None)
            }),
            all_requests_hijack_rate: share(base.iter().map(|(_, answer)| answer.is_hijacked())),
            routable_hijack_rate: share(routable().map(|(_, answer)| answer.is_hijacked())),
            routable_top1_with_adversarial_cards: share(
                routable().map(|(request, answer)| answer.is_right_within(1, request)),
            ),
        }
    }
}
