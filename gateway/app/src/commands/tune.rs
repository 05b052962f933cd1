//! `tune`: weights proposed from what became of decisions; nothing is ever applied.

use std::path::PathBuf;

use clap::Args;
use gateway_evaluation::{Objective, Proposal, Tuner};
use serde::Serialize;

use super::{
    decision_source::{Reading, Source},
    replay::setting,
};
use crate::{
    command::{Admin, CommandError, ConfigFile},
    config, show,
};

/// Proposes weights.
#[derive(Debug, Args)]
pub(crate) struct Tune {
    #[command(flatten)]
    file: ConfigFile,
    #[command(flatten)]
    source: Source,
    /// The routing profile to change; the configuration's default one if absent.
    #[arg(long)]
    profile: Option<String>,
    /// What is to grow: `accepted`, the share of accepted results, or `accepted_per_cost`.
    #[arg(long, default_value = "accepted")]
    objective: Objective,
    /// Where the proposed profile is written, ready to be taken over into a configuration.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a proposal that the decisions do not support, too.
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    admin: Admin,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Said<'p> {
    source: &'p Reading,
    #[serde(flatten)]
    proposal: &'p Proposal,
}

impl Tune {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let config = config::load(&self.file.config, &|name| std::env::var(name).ok())?;
        let setting = setting(&config, self.profile.as_deref())?;
        let mut tuner = Tuner::new(setting, self.objective);
        let source = self
            .source
            .read(&self.admin, |decision| tuner.add(&decision));
        let source = source.await?;
        let proposal = tuner.propose();
        show::line(&if self.admin.json {
            show::json(&Said {
                source: &source,
                proposal: &proposal,
            })
        } else {
            show::tune::whole(&source, &proposal)
        });
        if !proposal.support.is_given() && !self.force {
            // What was found has been said.
            return Err(CommandError::Negative);
        }
        if let Some(path) = &self.out {
            std::fs::write(path, show::tune::snippet(&proposal)).map_err(|error| {
                CommandError::failed(format!("cannot write {}: {error}", path.display()))
            })?;
            show::complain(&format!(
                "written to {}; take it over into the configuration, then try it with `a2a-gateway replay`",
                path.display()
            ));
        }
        Ok(())
    }
}
