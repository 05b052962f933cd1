//! Fits the weights of the hybrid engine to a labelled set, and says how good they are on requests they were not
//! fitted to.
//!
//! In two steps of logistic regression. How much meaning counts beside words comes from the ten best agents of each
//! request, right and wrong ones. Then scale and offset come from the first agent alone, since its fit is what must be
//! true as a probability. The skills that are compared are those that the weights in force prefer.

mod logistic;

use std::fmt::Write as _;

use self::logistic::{probability, regression};
use crate::{
    Outcome,
    engine::{Engine, fits},
    figures::Calibration,
    labelled::{Kind, LabelledSet, Registry, Verdict},
};

/// Agents of a request that the first step looks at.
const BEST: usize = 10;
/// Parts of the requests; each is judged by weights fitted to the others.
const FOLDS: usize = 10;

/// What speaks for an agent, and whether it is right.
#[derive(Debug, Clone, Copy)]
struct Seen {
    words: f64,
    meaning: f64,
    is_right: bool,
}

/// The weights of fusion.
#[derive(Debug, Clone, Copy)]
struct Weights {
    words: f64,
    meaning: f64,
    bias: f64,
}

impl Weights {
    fn log_odds(&self, seen: &Seen) -> f64 {
        self.words * seen.words + self.meaning * seen.meaning + self.bias
    }

    fn first<'s>(&self, request: &'s [Seen]) -> Option<&'s Seen> {
        let better =
            |left: &&Seen, right: &&Seen| self.log_odds(left).total_cmp(&self.log_odds(right));
        request.iter().max_by(better)
    }
}

/// Fits the weights and describes them.
///
/// # Errors
/// When a catalog cannot be made, or the engine looks at words alone.
pub fn weigh(engine: &Engine, set: &LabelledSet) -> Outcome<String> {
    let requests = seen(engine, set)?;
    let mut text = String::new();
    let all: Vec<&[Seen]> = requests.iter().map(Vec::as_slice).collect();
    let weights = fitted(&all);
    let Weights {
        words,
        meaning,
        bias,
    } = weights;
    writeln!(
        text,
        "words {words:.2}, meaning {meaning:.2}, bias {bias:.2}"
    )?;
    if let Some((factor, summand)) = engine.standard() {
        writeln!(
            text,
            "closeness of this model is read as {factor:.4} times what it is, and {summand:.4} more"
        )?;
    }
    let own = all.iter().filter_map(|request| judged(&weights, request));
    writeln!(
        text,
        "on the requests they were fitted to: {}",
        described(&own.collect::<Vec<_>>())
    )?;
    let held_back = (0..FOLDS).flat_map(|fold| {
        let is_in = move |at: usize| at % FOLDS == fold;
        let others = all.iter().enumerate().filter(|(at, _)| !is_in(*at));
        let weights = fitted(&others.map(|(_, request)| *request).collect::<Vec<_>>());
        let own = all.iter().enumerate().filter(move |(at, _)| is_in(*at));
        own.filter_map(move |(_, request)| judged(&weights, request))
    });
    writeln!(
        text,
        "on requests held back in {FOLDS} folds: {}",
        described(&held_back.collect::<Vec<_>>())
    )?;
    Ok(text)
}

/// Collects what speaks for every agent, request by request. Left out are those that are
/// written to be stolen, and those that no one agent is right for.
fn seen(engine: &Engine, set: &LabelledSet) -> Outcome<Vec<Vec<Seen>>> {
    let cards = set.cards(Registry::Honest);
    let catalog = engine.catalog(&cards)?;
    let requests = set.requests.iter();
    let requests = requests.filter(|request| {
        request.kind != Kind::Adversarial && request.verdict != Verdict::Ambiguous
    });
    requests
        .map(|request| {
            let meaning = engine.meaning(&request.text)?;
            let fits = fits(&catalog, &request.text, meaning.as_ref());
            let seen = fits.best_first().into_iter().map(|fit| {
                let id = cards.get(fit.agent).map(|card| &card.id);
                Some(Seen {
                    words: fit.words,
                    meaning: fit.meaning?,
                    is_right: id.is_some_and(|id| request.expected_agents.contains(id)),
                })
            });
            let seen: Option<Vec<Seen>> = seen.collect();
            seen.ok_or_else(|| "only `--engine hybrid` has weights to fit".into())
        })
        .collect()
}

fn fitted(requests: &[&[Seen]]) -> Weights {
    let best = requests
        .iter()
        .flat_map(|request| request.iter().take(BEST));
    let both: Vec<_> = best
        .map(|seen| ([seen.words, seen.meaning, 1.0], seen.is_right))
        .collect();
    let [words, meaning, bias] = regression(&both);
    let ratio = Weights {
        words,
        meaning,
        bias,
    };
    let firsts = requests.iter().filter_map(|request| ratio.first(request));
    let firsts: Vec<_> = firsts
        .map(|seen| ([ratio.log_odds(seen), 1.0], seen.is_right))
        .collect();
    let [scale, offset] = regression(&firsts);
    Weights {
        words: words * scale,
        meaning: meaning * scale,
        bias: bias * scale + offset,
    }
}

/// Returns the fit of the first agent, and 1 if it is right.
fn judged(weights: &Weights, request: &[Seen]) -> Option<(f64, f64)> {
    let first = weights.first(request)?;
    let is_right = f64::from(u8::from(first.is_right));
    Some((probability(weights.log_odds(first)), is_right))
}

fn described(firsts: &[(f64, f64)]) -> String {
    let calibration = Calibration::of_known(firsts);
    format!(
        "calibration error {:.3}, Brier score {:.4}",
        calibration.ece,
        calibration.brier.unwrap_or_default(),
    )
}
