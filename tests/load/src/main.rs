//! Measures what the gateway adds to a direct call, and what the cards of many agents cost it.
//!
//! The same requests go to an instant agent directly and through the gateway, by turns in one run, with every
//! decision recorded.

mod agent;
mod cards;
mod connection;
mod federation;
mod gateway;
mod measure;
mod plan;
mod process;
mod report;
mod run;
mod samples;

use std::{error::Error, io::Write as _, process::ExitCode};

use clap::Parser;

/// What a step of the measurement returns.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Measures what the gateway adds to a direct call, and what the cards of many agents cost it.
#[derive(Debug, Parser)]
#[command(name = "load", arg_required_else_help = true)]
enum Command {
    /// Serve agents that answer at once.
    Agent(agent::Options),
    /// Start the agents and the gateway, measure, and print the figures.
    Run(run::Options),
    /// Start the gateway in front of many agents with large cards, refresh them all, and print what that costs.
    Cards(cards::Options),
}

/// One thread each for client and agent, so that what is left of the machine is the gateway's.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Agent(options) => agent::serve(&options).await,
        Command::Run(options) => run::run(options).await,
        Command::Cards(options) => cards::run(options).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _reader_gone = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a block of text. A reader that has gone away is no error.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _reader_gone = writeln!(out, "{text}").and_then(|()| out.flush());
}
