//! `card verify`: whether somebody who is trusted vouches for a card, and for how much of it.

use agent_cards::{Outcome, SignatureReport};
use clap::Args;
use gateway_upstream::MissingKeys;
use serde::Serialize;
use url::Url;

use super::{
    source::{Asking, Source},
    trust::Trust,
};
use crate::{command::CommandError, show};

/// Verifies the signatures of a card.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 a signature is valid, 1 none is or the card cannot be read, 2 wrong usage"
)]
pub(super) struct Verify {
    /// The address of an agent, or a file; `-` is standard input.
    #[arg(value_name = "URL-OR-FILE")]
    card: Source,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    trust: Trust,
}

/// What became of the signatures of a card.
#[derive(Debug, Serialize)]
pub(crate) struct Verified {
    /// What was named.
    pub(crate) source: String,
    /// Where the card was found, for one that was fetched.
    pub(crate) location: Option<Url>,
    /// The digest of the card.
    pub(crate) fingerprint: String,
    /// What the signatures say, taken together.
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
    /// What became of each.
    pub(crate) signatures: Vec<SignatureReport>,
    /// The key sets that could not be had.
    pub(crate) missing_key_sets: Vec<MissingKeys>,
}

impl Verify {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        let keys = self.trust.read()?;
        if keys.is_empty() {
            let text = "no key to verify with; name some with --keys or --allow-jku";
            return Err(CommandError::Usage(text.to_owned()));
        }
        let mut reading = self.asking.begin();
        let loaded = reading.load(&self.card, json).await?;
        let (verification, missing_key_sets) = reading.verify(&loaded.card, &keys).await;
        let verified = Verified {
            source: loaded.source,
            location: loaded.location,
            fingerprint: loaded.card.fingerprint().to_owned(),
            outcome: verification.outcome().clone(),
            signatures: verification.signatures().to_vec(),
            missing_key_sets,
        };
        show::line(&if json {
            show::json(&verified)
        } else {
            show::card::signatures::whole(&verified)
        });
        if verification.is_valid() {
            Ok(())
        } else {
            Err(CommandError::Negative)
        }
    }
}
