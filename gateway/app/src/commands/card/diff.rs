//! `card diff`: what changed between two cards, and what of it is drift.

use agent_cards::{Change, diff};
use clap::Args;
use serde_json::json;

use super::source::{Asking, Loaded, Source};
use crate::{command::CommandError, show};

/// Compares two cards by what they mean: the same agent in another protocol shape has not changed.
#[derive(Debug, Args)]
#[command(
    after_help = "Drift is what a caller who trusted the old card must not take on trust: identity, addresses, bindings and tenants, security, signature, skills, description.\n\nExit codes: 0 no drift (with --strict: no change), 1 drift or a card that cannot be read, 2 wrong usage"
)]
pub(super) struct Diff {
    /// The card as it was: the address of an agent, or a file; `-` is standard input.
    #[arg(value_name = "OLD")]
    old: Source,
    /// The card as it is, likewise.
    #[arg(value_name = "NEW")]
    new: Source,
    #[command(flatten)]
    asking: Asking,
    /// Fail on any change.
    #[arg(long)]
    strict: bool,
}

impl Diff {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        let mut reading = self.asking.begin();
        let old = reading.load(&self.old, json).await?;
        let new = reading.load(&self.new, json).await?;
        let changes = diff(&old.card, &new.card);
        let drift = changes.iter().any(Change::is_drift);
        if json {
            show::line(&show::json(&report(&old, &new, &changes)));
        } else {
            show::line(&show::card::changes::list(&changes));
        }
        if drift || self.strict && !changes.is_empty() {
            return Err(CommandError::Negative);
        }
        Ok(())
    }
}

fn report(old: &Loaded, new: &Loaded, changes: &[Change]) -> serde_json::Value {
    let side = |loaded: &Loaded| {
        json!({
            "source": loaded.source,
            "location": loaded.location,
            "fingerprint": loaded.card.fingerprint(),
        })
    };
    let change = |change: &Change| {
        json!({
            "kind": change.kind,
            "drift": change.is_drift(),
            "pointer": change.pointer,
            "before": change.before,
            "after": change.after,
            "message": change.message,
        })
    };
    json!({
        "old": side(old),
        "new": side(new),
        "drift": changes.iter().any(Change::is_drift),
        "changes": changes.iter().map(change).collect::<Vec<_>>(),
    })
}
