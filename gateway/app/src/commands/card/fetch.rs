//! `card fetch`: the card of an agent as received, and each place that was tried for it.

use std::path::PathBuf;

use clap::Args;
use gateway_core::ports::CardTry;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::{
    source::{self, Asking, Source},
    write,
};
use crate::{command::CommandError, show};

/// Fetches a card.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 a card was found, 1 none was, 2 wrong usage")]
pub(super) struct Fetch {
    /// The address of the agent, or of its card if it ends in `.json`.
    #[arg(value_name = "URL", value_parser = source::address)]
    agent: Url,
    #[command(flatten)]
    asking: Asking,
    /// Write the card into this file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    source: &'a str,
    location: Option<&'a Url>,
    fingerprint: &'a str,
    tried: &'a [CardTry],
    card: &'a Value,
}

impl Fetch {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        let mut reading = self.asking.begin();
        let loaded = reading.load(&Source::Agent(self.agent), json).await?;
        let card = &loaded.card;
        if let Some(path) = &self.output {
            write(path, card.raw())?;
        }
        if json {
            show::line(&show::json(&Report {
                source: &loaded.source,
                location: loaded.location.as_ref(),
                fingerprint: card.fingerprint(),
                tried: &loaded.tried,
                card: card.value(),
            }));
            return Ok(());
        }
        show::complain(&show::card::tried(&loaded.tried));
        if self.output.is_none() {
            show::document(card.raw()).map_err(CommandError::failed)?;
        }
        Ok(())
    }
}
