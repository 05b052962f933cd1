//! `eval`: whether labelled messages would be routed as they should be, without sending any.
//!
//! It decides like a gateway that has just been started: with the configured signals, before anything was measured or
//! learned, so that the same files always give the same answer.

mod cards;
mod case;
mod expected;
mod report;

use std::path::PathBuf;

use clap::Args;
use gateway_core::Gateway;

use self::{
    case::Case,
    report::{Report, Told},
};
use crate::{
    app,
    command::{CommandError, ConfigFile},
    config, show,
};

/// Routes labelled messages by a configuration and compares.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    file: ConfigFile,
    /// The YAML file of cases: a list of messages with what is expected of each.
    #[arg(long, value_name = "FILE")]
    cases: PathBuf,
    /// Take the cards from this folder, `ID.json` for each agent, instead of asking the agents.
    #[arg(long, value_name = "FOLDER")]
    cards: Option<PathBuf>,
    /// The share of cases that must be as expected, from 0 to 1. An agent that a case forbids fails all the same.
    #[arg(long, value_name = "SHARE", default_value = "1", value_parser = share)]
    min_accuracy: f64,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, &'static str> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("use a number from 0 to 1")
}

impl Eval {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let config = config::load(&self.file.config, &|name| std::env::var(name).ok())?;
        let cases = case::load(&self.cases, &config)?;
        let fetched = cards::all(&config.agents, self.cards.as_deref()).await?;
        let gateway = app::offline(&config).await.map_err(CommandError::failed)?;
        if let Some(problem) = gateway.fit.problem() {
            return Err(CommandError::failed(problem));
        }
        gateway.registry.apply(fetched, jiff::Timestamp::now());
        cards::understood(&gateway).await?;
        let without = cards::missing(&gateway);
        let mut told = Vec::with_capacity(cases.len());
        for case in &cases {
            told.push(decide(&gateway, case).await?);
        }
        let report = Report::new(told, without);
        show::line(&if self.json {
            show::json(&report)
        } else {
            report.text()
        });
        if report.passes(self.min_accuracy) {
            Ok(())
        } else {
            Err(CommandError::Negative)
        }
    }
}

async fn decide(gateway: &std::sync::Arc<Gateway>, case: &Case) -> Result<Told, CommandError> {
    let decision = gateway.explain(&case.explain()).await;
    let decision =
        decision.map_err(|error| CommandError::failed(format!("case `{}`: {error}", case.name)))?;
    Ok(Told::new(case, &decision))
}
