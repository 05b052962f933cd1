//! How well the answers tell what they do not know: that nothing fits, that several agents do, how sure they are.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Pair,
    statistics::{auroc, best_threshold, f1, mean, share},
};
use crate::labelled::Verdict;

/// Telling requests that nothing fits by a low fit of the best agent.
#[derive(Debug, Serialize)]
pub struct NoneDetection {
    /// Such requests.
    pub n: usize,
    /// Probability that such a request has a lower fit than another one.
    pub auroc: Option<f64>,
    /// F1 of the verdicts given.
    pub f1_of_verdict: f64,
    /// F1 with the floor that is best for this set, which flatters.
    pub f1_at_best_floor: Option<f64>,
    /// That floor.
    pub best_floor: Option<f64>,
    /// Share found, by the finer kind of request.
    pub recall: BTreeMap<String, Option<f64>>,
}

impl NoneDetection {
    pub(super) fn of(base: &[Pair<'_>]) -> Self {
        let misfit = |(_, answer): &Pair<'_>| 1.0 - answer.fit(0);
        let (nothing, something): (Vec<Pair<'_>>, Vec<Pair<'_>>) = base
            .iter()
            .partition(|(request, _)| request.verdict == Verdict::None);
        let positive: Vec<f64> = nothing.iter().map(misfit).collect();
        let negative: Vec<f64> = something.iter().map(misfit).collect();
        let best = best_threshold(&positive, &negative);
        let mut kinds: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        for (request, answer) in base {
            if let Some(kind) = &request.subkind {
                let found = answer.verdict == Verdict::None;
                kinds.entry(kind.clone()).or_default().push(found);
            }
        }
        Self {
            n: nothing.len(),
            auroc: auroc(&positive, &negative),
            f1_of_verdict: verdict_f1(base, Verdict::None),
            f1_at_best_floor: best.map(|(_, f1)| f1),
            best_floor: best.map(|(misfit, _)| 1.0 - misfit),
            recall: kinds
                .into_iter()
                .map(|(kind, found)| (kind, share(found)))
                .collect(),
        }
    }
}

/// Telling requests that several agents fit alike.
#[derive(Debug, Serialize)]
pub struct Ambiguity {
    /// Such requests.
    pub n: usize,
    /// Probability that such a request has a smaller margin between its two best agents than a plain one.
    pub auroc_of_margin: Option<f64>,
    /// F1 of the verdicts given.
    pub f1_of_verdict: f64,
    /// F1 of the margin alone with the threshold that is best for this set, which flatters.
    pub f1_at_best_margin: Option<f64>,
    /// Share with one of the right agents in the first place.
    pub top1_is_one_of_them: Option<f64>,
    /// Share with right agents in both of the first two places.
    pub both_in_top2: Option<f64>,
    /// Share with two right agents in the first three places.
    pub both_in_top3: Option<f64>,
}

impl Ambiguity {
    pub(super) fn of(base: &[Pair<'_>]) -> Self {
        let closeness = |(_, answer): &Pair<'_>| answer.fit(1) - answer.fit(0);
        let of = |verdict: Verdict| {
            let asked = base.iter().copied();
            asked.filter(move |(request, _)| request.verdict == verdict)
        };
        let ambiguous: Vec<Pair<'_>> = of(Verdict::Ambiguous).collect();
        let positive: Vec<f64> = ambiguous.iter().map(closeness).collect();
        let negative: Vec<f64> = of(Verdict::Routed).map(|pair| closeness(&pair)).collect();
        let found = |first: usize, least: usize| {
            share(ambiguous.iter().map(|(request, answer)| {
                let ranked = answer.ranked.iter().take(first);
                ranked
                    .filter(|ranked| request.expected_agents.contains(&ranked.agent))
                    .count()
                    >= least
            }))
        };
        Self {
            n: ambiguous.len(),
            auroc_of_margin: auroc(&positive, &negative),
            f1_of_verdict: verdict_f1(base, Verdict::Ambiguous),
            f1_at_best_margin: best_threshold(&positive, &negative).map(|(_, f1)| f1),
            top1_is_one_of_them: found(1, 1),
            both_in_top2: found(2, 2),
            both_in_top3: found(3, 2),
        }
    }
}

fn verdict_f1(base: &[Pair<'_>], verdict: Verdict) -> f64 {
    let count = |labelled: bool, said: bool| {
        let pairs = base.iter();
        pairs
            .filter(|(request, answer)| {
                (request.verdict == verdict) == labelled && (answer.verdict == verdict) == said
            })
            .count()
    };
    f1(count(true, true), count(false, true), count(true, false))
}

/// Whether the fit of the first agent is the probability that it is right. Ambiguous requests are left out; where
/// nothing fits, every agent is wrong.
#[derive(Debug, Serialize)]
pub struct Calibration {
    /// Requests.
    pub n: usize,
    /// Expected calibration error: the mean distance of fit and truth over ten bins, by their size.
    pub ece: f64,
    /// Mean squared distance of fit and truth.
    pub brier: Option<f64>,
    /// The bins that are not empty.
    pub bins: Vec<Bin>,
}

/// Answers of a similar fit.
#[derive(Debug, Serialize)]
pub struct Bin {
    /// The tenth of the scale.
    pub tenth: u8,
    /// Answers.
    pub n: usize,
    /// Their mean fit.
    pub fit: f64,
    /// The share that is right.
    pub right: f64,
}

impl Calibration {
    pub(super) fn of(base: &[Pair<'_>]) -> Self {
        let asked = base
            .iter()
            .filter(|(request, _)| request.verdict != Verdict::Ambiguous);
        let known: Vec<(f64, f64)> = asked
            .map(|(request, answer)| {
                let right = answer.is_right_within(1, request);
                (answer.fit(0).clamp(0.0, 1.0), f64::from(u8::from(right)))
            })
            .collect();
        Self::of_known(&known)
    }

    /// Compares fits with whether they were right, as 1 or 0.
    pub(crate) fn of_known(known: &[(f64, f64)]) -> Self {
        let bins: Vec<Bin> = (0..10).filter_map(|tenth| Bin::of(tenth, known)).collect();
        Self {
            n: known.len(),
            ece: bins.iter().map(|bin| bin.weight(known.len())).sum(),
            brier: mean(known.iter().map(|(fit, right)| (fit - right).powi(2))),
            bins,
        }
    }
}

impl Bin {
    fn of(tenth: u8, known: &[(f64, f64)]) -> Option<Self> {
        let inside: Vec<(f64, f64)> = known
            .iter()
            .copied()
            .filter(|(fit, _)| (fit * 10.0).floor().min(9.0) == f64::from(tenth))
            .collect();
        Some(Self {
            tenth,
            n: inside.len(),
            fit: mean(inside.iter().map(|(fit, _)| *fit))?,
            right: mean(inside.iter().map(|(_, right)| *right))?,
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of requests are small")]
    fn weight(&self, all: usize) -> f64 {
        self.n as f64 / all as f64 * (self.fit - self.right).abs()
    }
}
