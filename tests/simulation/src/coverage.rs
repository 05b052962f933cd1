//! How often the intervals of `replay` hold the truth: estimates for another profile from the records of a run, against
//! what its choices are truly worth.

use std::{fmt::Write as _, num::NonZero, thread};

use gateway_core::{Profile, RouteDecision, Weights};
use gateway_evaluation::{Estimate, OffPolicy, Participant, Replay, Setting, rechoose};
use routing::Outcome;

use crate::{Scale, Strategy, World, run};

/// How estimates for one profile fare over many runs.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// The profile.
    pub profile: &'static str,
    /// How many runs.
    pub runs: u32,
    /// What share of decisions it changes, on average.
    pub changed: f64,
    /// By estimator.
    pub estimators: Vec<Fared>,
}

/// How an estimator fares.
#[derive(Debug, Clone)]
pub struct Fared {
    /// Its name.
    pub estimator: &'static str,
    /// In how many runs its interval holds the truth.
    pub held: u32,
    /// In how many it has none, because there is too little to say so.
    pub silent: u32,
    /// How wide intervals are, on average.
    pub width: f64,
    /// By how much it is above the truth, on average.
    pub bias: f64,
}

/// Takes one estimate out of those of a report.
type Read = fn(&OffPolicy) -> Estimate;

/// The estimators, by name.
const ESTIMATORS: [(&str, Read); 3] = [
    ("doubly robust", |estimates| estimates.doubly_robust),
    ("inverse propensity, normalised", |estimates| {
        estimates.self_normalised
    }),
    ("inverse propensity", |estimates| {
        estimates.inverse_propensity
    }),
];

/// The profiles whose value is estimated: one that saves, and one that hurries.
fn others() -> [Other; 2] {
    let profile = |weights: Weights| Profile {
        weights,
        ..Strategy::Explored.profile()
    };
    [
        (
            "saves",
            profile(Weights {
                quality: 0.2,
                cost: 0.5,
                ..Weights::BALANCED
            }),
        ),
        (
            "hurries",
            profile(Weights {
                quality: 0.2,
                latency: 0.4,
                ..Weights::BALANCED
            }),
        ),
    ]
}

/// Runs the worlds of the seeds 0, 1, 2 and so on, in which chance has a part, and replays the records of each.
///
/// The truth is the mean, over the messages of the run, of the probability that the agent which the other profile would
/// choose by the recorded signals is accepted on that day. Another run with the same luck would answer another question:
/// there the other profile would learn from its own choices, and meet other signals than those recorded.
///
/// # Errors
/// When a world's catalog cannot be made, or records tell too little for an estimate.
pub fn coverage(strategy: Strategy, runs: u32, scale: Scale) -> Outcome<Vec<Coverage>> {
    let others = others();
    let mut all: Vec<Coverage> = others
        .iter()
        .map(|(name, _)| Coverage::none(name, runs))
        .collect();
    for judged in judge_all(strategy, &others, runs, scale)? {
        for (judged, coverage) in judged.iter().zip(&mut all) {
            coverage.add(judged);
        }
    }
    Ok(all.into_iter().map(Coverage::averaged).collect())
}

/// What the records of one run say of another profile, and what is true.
#[derive(Debug)]
struct Judged {
    estimates: OffPolicy,
    changed: f64,
    truth: f64,
}

type Other = (&'static str, Profile);

/// Judges the runs of all seeds, in their order, on as many threads as there are.
fn judge_all(
    strategy: Strategy,
    others: &[Other],
    runs: u32,
    scale: Scale,
) -> Outcome<Vec<Vec<Judged>>> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let part = usize::try_from(runs)?.div_ceil(threads).max(1);
    let seeds: Vec<u64> = (0..u64::from(runs)).collect();
    thread::scope(|scope| {
        let parts: Vec<_> = seeds
            .chunks(part)
            .map(|seeds| {
                scope.spawn(move || {
                    let runs = seeds
                        .iter()
                        .map(|seed| judge(strategy, others, *seed, scale));
                    let runs: Result<Vec<_>, _> = runs.collect();
                    runs.map_err(|error| error.to_string())
                })
            })
            .collect();
        let mut all = Vec::new();
        for part in parts {
            all.extend(part.join().map_err(|_| "a run broke off")??);
        }
        Ok(all)
    })
}

/// Runs one world and judges every other profile by its records.
fn judge(strategy: Strategy, others: &[Other], seed: u64, scale: Scale) -> Outcome<Vec<Judged>> {
    let world = World::new(seed, scale);
    let mut decisions = Vec::new();
    run(&world, strategy, |decision| {
        decisions.push(decision);
    })?;
    let catalog = world.catalog()?;
    let participants = || {
        let specs = catalog.agents().iter().map(|agent| agent.spec.as_ref());
        specs.map(|spec| (spec.id.clone(), Participant::from(spec)))
    };
    let settings = others
        .iter()
        .map(|(_, profile)| Setting::new(participants(), profile));
    settings
        .map(|setting| judge_by(&world, &decisions, setting))
        .collect()
}

fn judge_by(world: &World, decisions: &[RouteDecision], setting: Setting) -> Outcome<Judged> {
    let mut truth = 0.0;
    for (number, decision) in decisions.iter().enumerate() {
        let again = rechoose(decision, &setting)?;
        let winner = again.winner().ok_or("the other profile chooses nobody")?;
        let accepted = world.accepted(&winner.agent, world.day(number));
        truth += accepted.ok_or("an agent has no such day")?;
    }
    let mut replay = Replay::new(setting);
    for decision in decisions {
        replay.add(decision);
    }
    let report = replay.finish();
    Ok(Judged {
        estimates: report.accepted.off_policy.ok_or("nothing was explored")?,
        changed: 1.0 - report.agreement.ok_or("nothing was made again")?.value,
        truth: truth / f64::from(u32::try_from(decisions.len())?),
    })
}

impl Coverage {
    fn none(profile: &'static str, runs: u32) -> Self {
        let estimators = ESTIMATORS.iter().map(|(estimator, _)| Fared {
            estimator,
            held: 0,
            silent: 0,
            width: 0.0,
            bias: 0.0,
        });
        Self {
            profile,
            runs,
            changed: 0.0,
            estimators: estimators.collect(),
        }
    }

    /// Compares the estimates of one run with the truth; an estimate without an interval holds nothing.
    fn add(&mut self, judged: &Judged) {
        self.changed += judged.changed;
        for (fared, (_, of)) in self.estimators.iter_mut().zip(ESTIMATORS) {
            let estimate = of(&judged.estimates);
            fared.bias += estimate.value - judged.truth;
            match estimate.interval {
                Some(interval) => {
                    fared.held += u32::from(interval.covers(judged.truth));
                    fared.width += interval.high - interval.low;
                }
                None => fared.silent += 1,
            }
        }
    }

    fn averaged(mut self) -> Self {
        let runs = f64::from(self.runs.max(1));
        self.changed /= runs;
        for fared in &mut self.estimators {
            fared.width /= f64::from((self.runs - fared.silent).max(1));
            fared.bias /= runs;
        }
        self
    }
}

/// Renders coverages as a Markdown table.
#[must_use]
pub fn coverage_table(coverages: &[Coverage]) -> String {
    let mut text = String::from(
        "| other profile | changes | estimate | holds the truth | no interval | mean width | mean error |\n\
         |---|---:|---|---:|---:|---:|---:|\n",
    );
    for coverage in coverages {
        for fared in &coverage.estimators {
            let _infallible = writeln!(
                text,
                "| {} | {:.0} % | {} | {} of {} | {} | {:.1} pt | {:+.2} pt |",
                coverage.profile,
                100.0 * coverage.changed,
                fared.estimator,
                fared.held,
                coverage.runs,
                fared.silent,
                100.0 * fared.width,
                100.0 * fared.bias,
            );
        }
    }
    text
}
