//! The command: a table of ways of choosing, or the decisions of one of them.

use std::io::{self, Write as _};

use clap::{Parser, Subcommand};
use routing::Outcome;
use simulation::{Scale, Strategy, World, compare, coverage, coverage_table, run, table};

/// Simulates a federation whose agents change.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Compare all ways of choosing over many worlds.
    Compare {
        /// How many worlds, made of the seeds from 0 on.
        #[arg(long, default_value_t = 24)]
        seeds: u64,
        #[command(flatten)]
        scale: Scale,
    },
    /// Say how often the intervals of `replay` hold what another profile is truly worth.
    Coverage {
        /// The way of choosing that makes the records.
        #[arg(long, value_enum, default_value_t = Strategy::Explored)]
        strategy: Strategy,
        /// How many runs, in the worlds of the seeds from 0 on.
        #[arg(long, default_value_t = 100)]
        runs: u32,
        #[command(flatten)]
        scale: Scale,
    },
    /// Write the decisions of one way in one world, one JSON object a line.
    Decisions {
        /// The way of choosing.
        #[arg(long, value_enum, default_value_t = Strategy::Epsilon)]
        strategy: Strategy,
        /// The world.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        #[command(flatten)]
        scale: Scale,
    },
}

fn main() -> Outcome<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match Arguments::parse().action {
        Action::Compare { seeds, scale } => {
            write!(out, "{}", table(&compare(&Strategy::ALL, seeds, scale)?))?;
        }
        Action::Coverage {
            strategy,
            runs,
            scale,
        } => {
            let coverages = coverage(strategy, runs, scale)?;
            write!(out, "{}", coverage_table(&coverages))?;
        }
        Action::Decisions {
            strategy,
            seed,
            scale,
        } => {
            let world = World::new(seed, scale);
            let mut written = Ok(());
            run(&world, strategy, |decision| {
                if written.is_ok() {
                    let line = serde_json::to_string(&decision).map_err(io::Error::other);
                    written = line.and_then(|line| writeln!(out, "{line}"));
                }
            })?;
            written?;
        }
    }
    Ok(out.flush()?)
}
