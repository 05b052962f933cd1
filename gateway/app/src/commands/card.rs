//! `card`: what any agent says of itself, looked at without a configuration and without a running gateway.

mod check;
mod diff;
mod fetch;
mod show;
mod sign;
mod source;
mod trust;
mod verify;

use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::json;

pub(crate) use self::{check::Checked, verify::Verified};

use crate::{command::CommandError, show as output};

/// Looks at cards.
#[derive(Debug, Args)]
pub(crate) struct CardCommand {
    #[command(subcommand)]
    action: Action,
    /// Print JSON for programs.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetch the card of an agent, wherever agents have it, and print it as received.
    Fetch(fetch::Fetch),
    /// Say everything that is wrong with cards.
    Check(check::Check),
    /// Say what changed between two cards, and what of it is drift.
    Diff(diff::Diff),
    /// Verify the signatures of a card.
    Verify(verify::Verify),
    /// Sign a card.
    Sign(sign::Sign),
    /// Show a card for reading, or written for another version of the protocol.
    Show(show::Show),
}

impl CardCommand {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let json = self.json;
        let result = match self.action {
            Action::Fetch(fetch) => fetch.run(json).await,
            Action::Check(check) => check.run(json).await,
            Action::Diff(diff) => diff.run(json).await,
            Action::Verify(verify) => verify.run(json).await,
            Action::Sign(sign) => sign.run(json).await,
            Action::Show(show) => show.run(json).await,
        };
        match result {
            Err(CommandError::Failed(problem)) if json => {
                output::line(&output::json(&json!({ "problem": problem })));
                Err(CommandError::Negative)
            }
            result => result,
        }
    }
}

/// Writes what an option asks to have in a file.
fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    std::fs::write(path, bytes)
        .map_err(|error| CommandError::failed(format!("cannot write {}: {error}", path.display())))
}
