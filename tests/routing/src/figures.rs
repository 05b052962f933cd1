//! The figures: what share of the answers is right, in which respect, and for which kind of request.

mod answers;
mod detection;
mod statistics;

pub use answers::{Adversarial, Block, Skill, WholeAnswer};
pub use detection::{Ambiguity, Bin, Calibration, NoneDetection};

use std::collections::BTreeMap;

use serde::Serialize;

use crate::labelled::{Kind, LabelledSet, Prediction, Predictions, Request};

/// A request with its answer.
pub(crate) type Pair<'a> = (&'a Request, &'a Prediction);

/// All figures of one engine on one set.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// Requests in the set.
    pub n: usize,
    /// Those that one agent is right for.
    pub routable: Block,
    /// The same by language.
    pub by_language: BTreeMap<String, Block>,
    /// The same by wording.
    pub by_kind: BTreeMap<&'static str, Block>,
    /// The skill, where the first agent is right.
    pub skill_top1_given_right_agent: Skill,
    /// Verdict and agent together.
    pub whole_answer: WholeAnswer,
    /// Telling requests that nothing fits.
    pub none_detection: NoneDetection,
    /// Telling requests that several agents fit alike.
    pub ambiguity: Ambiguity,
    /// Resisting cards that try to win too much.
    pub adversarial: Adversarial,
    /// Whether a fit of 0.8 is right in 8 cases of 10.
    pub calibration: Calibration,
}

impl Figures {
    /// Compares answers with labels. `among_adversarial` are the answers to the same requests with the adversarial
    /// cards loaded for all of them.
    #[must_use]
    pub fn of(set: &LabelledSet, answers: &Predictions, among_adversarial: &Predictions) -> Self {
        let pairs = pairs(set, answers);
        let (adversarial, base): (Vec<Pair<'_>>, Vec<Pair<'_>>) = pairs
            .iter()
            .partition(|(request, _)| request.kind == Kind::Adversarial);
        let routable: Vec<Pair<'_>> = base
            .iter()
            .copied()
            .filter(|(request, _)| request.kind.is_routable())
            .collect();
        let mut hijack = self::pairs(set, among_adversarial);
        hijack.retain(|(request, _)| request.kind != Kind::Adversarial);
        Self {
            n: set.requests.len(),
            routable: Block::of(&routable),
            by_language: by(&routable, |request| request.language.clone()),
            by_kind: by(&routable, |request| request.kind.as_str()),
            skill_top1_given_right_agent: Skill::of(&routable),
            whole_answer: WholeAnswer::of(&base),
            none_detection: NoneDetection::of(&base),
            ambiguity: Ambiguity::of(&base),
            adversarial: Adversarial::of(&adversarial, &hijack),
            calibration: Calibration::of(&base),
        }
    }
}

fn pairs<'a>(set: &'a LabelledSet, answers: &'a Predictions) -> Vec<Pair<'a>> {
    let requests = set.requests.iter();
    requests
        .filter_map(|request| Some((request, answers.get(&request.id)?)))
        .collect()
}

fn by<K: Ord>(pairs: &[Pair<'_>], key: impl Fn(&Request) -> K) -> BTreeMap<K, Block> {
    let mut groups: BTreeMap<K, Vec<Pair<'_>>> = BTreeMap::new();
    for (request, answer) in pairs {
        groups
            .entry(key(request))
            .or_default()
            .push((request, answer));
    }
    let blocks = groups.into_iter();
    blocks
        .map(|(key, group)| (key, Block::of(&group)))
        .collect()
}
