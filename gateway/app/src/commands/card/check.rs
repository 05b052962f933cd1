//! `card check`: everything that is wrong with cards, for people and for continuous integration.

mod demands;

use agent_cards::{Card, Finding, ProtocolVersion, Severity, check, check_registered};
use clap::Args;
use gateway_core::ports::CardTry;
use serde::Serialize;
use url::Url;

use super::{
    source::{Asking, Loaded, Missing, Reading, Source},
    trust::Trust,
};
use crate::{command::CommandError, show};

/// Checks cards.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 no errors (with --strict: nothing found), 1 errors or a card that cannot be read, 2 wrong usage"
)]
pub(super) struct Check {
    /// Addresses of agents, or files; `-` is standard input.
    #[arg(value_name = "URL-OR-FILE", required = true)]
    cards: Vec<Source>,
    #[command(flatten)]
    asking: Asking,
    /// Fail on warnings too.
    #[arg(long)]
    strict: bool,
    /// A card without a valid signature is an error. Without this, one that is signed must be signed rightly if keys are
    /// given.
    #[arg(long)]
    require_signature: bool,
    #[command(flatten)]
    trust: Trust,
    /// A card that a client of this protocol version cannot use is an error.
    #[arg(long, value_name = "VERSION")]
    for_version: Option<ProtocolVersion>,
}

/// What was found in one card.
#[derive(Debug, Serialize)]
pub(crate) struct Checked {
    /// What was named.
    pub(crate) source: String,
    /// Where the card was found, for one that was fetched.
    pub(crate) location: Option<Url>,
    /// The places that were tried, for one that was asked for.
    pub(crate) tried: Vec<CardTry>,
    /// The agent's name, if there is a card.
    pub(crate) name: Option<String>,
    /// The digest of the card.
    pub(crate) fingerprint: Option<String>,
    /// How many findings are errors.
    pub(crate) errors: usize,
    /// How many are warnings.
    pub(crate) warnings: usize,
    /// All of them, errors first.
    pub(crate) findings: Vec<Finding>,
}

impl Check {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        let demands = demands::Demands {
            signature: self.require_signature,
            keys: self.trust.read()?,
            version: self.for_version,
        };
        let mut reading = self.asking.begin();
        let mut all = Vec::new();
        for source in &self.cards {
            let checked = match reading.try_load(source).await {
                Ok(loaded) => examine(loaded, &reading, &demands).await,
                Err(missing) => unreadable(missing),
            };
            if !json {
                show::line(&show::card::findings::list(&checked));
            }
            all.push(checked);
        }
        let failed = |one: &Checked| one.errors > 0 || self.strict && one.warnings > 0;
        let ok = !all.iter().any(failed);
        if json {
            show::line(&show::json(&serde_json::json!({ "ok": ok, "cards": all })));
        }
        if ok {
            Ok(())
        } else {
            Err(CommandError::Negative)
        }
    }
}

async fn examine(loaded: Loaded, reading: &Reading, demands: &demands::Demands) -> Checked {
    let mut findings = of_card(&loaded.card, loaded.agent.as_ref());
    findings.extend(demands.unmet(&loaded.card, reading).await);
    // Stable, so that those of one severity keep their order.
    findings.sort_by_key(|finding| finding.severity);
    Checked {
        location: loaded.location,
        tried: loaded.tried,
        name: Some(loaded.card.name().to_owned()),
        fingerprint: Some(loaded.card.fingerprint().to_owned()),
        ..counted(loaded.source, findings)
    }
}

/// Returns what is wrong with a card by itself, or with one that an agent showed.
pub(super) fn of_card(card: &Card, agent: Option<&Url>) -> Vec<Finding> {
    agent.map_or_else(|| check(card), |url| check_registered(card, url))
}

fn unreadable(missing: Missing) -> Checked {
    let finding = Finding {
        severity: Severity::Error,
        pointer: missing.pointer,
        message: missing.problem,
        hint: missing.hint.to_owned(),
    };
    Checked {
        tried: missing.tried,
        ..counted(missing.source, vec![finding])
    }
}

fn counted(source: String, findings: Vec<Finding>) -> Checked {
    let count = |severity| {
        let of_it = findings
            .iter()
            .filter(|finding| finding.severity == severity);
        of_it.count()
    };
    Checked {
        source,
        location: None,
        tried: Vec::new(),
        name: None,
        fingerprint: None,
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        findings,
    }
}
