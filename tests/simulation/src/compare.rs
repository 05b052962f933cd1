//! Several ways of choosing over many worlds.

use std::fmt::Write as _;

use routing::Outcome;

use crate::{Scale, Strategy, Total, World, run};

/// What one way of choosing came to.
#[derive(Debug, Clone)]
pub struct Row {
    /// The way.
    pub strategy: Strategy,
    /// What came of it, by world.
    pub totals: Vec<Total>,
}

/// All ways that were compared, in the same worlds.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// One row for each.
    pub rows: Vec<Row>,
}

impl Row {
    /// Returns the sums over all worlds.
    #[must_use]
    pub fn sum(&self) -> Total {
        self.totals
            .iter()
            .fold(Total::default(), |sum, total| Total {
                messages: sum.messages + total.messages,
                accepted: sum.accepted + total.accepted,
                explored: sum.explored + total.explored,
                cost: sum.cost + total.cost,
            })
    }

    /// Returns by how much this way is ahead of another in accepted tasks per cost, over the worlds: the mean ratio less
    /// 1, and the half-width of its 95 % interval.
    #[must_use]
    pub fn ahead_of(&self, other: &Self) -> (f64, f64) {
        let pairs = self.totals.iter().zip(&other.totals);
        let ratios: Vec<f64> = pairs
            .map(|(own, other)| own.accepted_per_cost() / other.accepted_per_cost() - 1.0)
            .collect();
        let count = f64::from(u32::try_from(ratios.len()).unwrap_or(u32::MAX));
        let mean = ratios.iter().sum::<f64>() / count;
        let squares = ratios
            .iter()
            .map(|ratio| (ratio - mean).powi(2))
            .sum::<f64>();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        (mean, 1.96 * deviation / count.sqrt())
    }
}

impl Comparison {
    /// Returns the row of a way.
    #[must_use]
    pub fn row(&self, strategy: Strategy) -> Option<&Row> {
        self.rows.iter().find(|row| row.strategy == strategy)
    }
}

/// Runs ways of choosing in the worlds of the seeds 0, 1, 2 and so on.
///
/// # Errors
/// When a world's catalog cannot be made.
pub fn compare(strategies: &[Strategy], seeds: u64, scale: Scale) -> Outcome<Comparison> {
    let mut rows: Vec<Row> = strategies
        .iter()
        .map(|strategy| Row {
            strategy: *strategy,
            totals: Vec::new(),
        })
        .collect();
    for seed in 0..seeds {
        let world = World::new(seed, scale);
        for row in &mut rows {
            row.totals.push(run(&world, row.strategy, drop)?);
        }
    }
    Ok(Comparison { rows })
}

/// Renders a comparison as a Markdown table; the first row is what the others are compared with.
#[must_use]
pub fn table(comparison: &Comparison) -> String {
    let mut text = String::from(
        "| way of choosing | accepted | explored | cost | accepted per unit of cost | against the first |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for row in &comparison.rows {
        let sum = row.sum();
        let share = |count: u32| f64::from(count) / f64::from(sum.messages.max(1));
        let (mean, interval) = comparison
            .rows
            .first()
            .map_or((0.0, 0.0), |first| row.ahead_of(first));
        let _infallible = writeln!(
            text,
            "| {} | {:.1} % | {:.1} % | {:.1} | {:.2} | {:+.1} % ± {:.1} |",
            row.strategy.name(),
            100.0 * share(sum.accepted),
            100.0 * share(sum.explored),
            sum.cost,
            sum.accepted_per_cost(),
            100.0 * mean,
            100.0 * interval
        );
    }
    text
}
