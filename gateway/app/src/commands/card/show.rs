//! `card show`: a card for reading, or written for another version of the protocol.

use agent_cards::{Card, Finding, Severity, Shape, TrustedKeys, convert, verify};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{
    check,
    source::{Asking, Loaded, Source},
};
use crate::{command::CommandError, show};

/// Shows a card.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the card is shown, 1 it cannot be read or written so, 2 wrong usage"
)]
pub(super) struct Show {
    /// The address of an agent, or a file; `-` is standard input.
    #[arg(value_name = "URL-OR-FILE")]
    card: Source,
    #[command(flatten)]
    asking: Asking,
    /// Print the card as JSON in the form of another version, and what that loses on standard error.
    #[arg(long = "as", value_name = "FORM")]
    form: Option<Form>,
}

/// A protocol shape of cards.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// For readers of 0.3.
    #[value(name = "0.3")]
    V03,
    /// For readers of 1.0.
    #[value(name = "1.0")]
    V1,
    /// For readers of both.
    Hybrid,
}

impl Show {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        let loaded = self.asking.begin().load(&self.card, json).await?;
        if let Some(form) = self.form {
            return write_as(&loaded, form, json);
        }
        let findings = check::of_card(&loaded.card, loaded.agent.as_ref());
        let verification = verify(&loaded.card, &TrustedKeys::new());
        let shown = show::card::Shown {
            card: &loaded.card,
            from: loaded
                .location
                .as_ref()
                .map_or(&*loaded.source, |url| url.as_str()),
            signatures: verification.signatures(),
            errors: count(&findings, Severity::Error),
            warnings: count(&findings, Severity::Warning),
        };
        show::line(&if json {
            show::json(&shown.members())
        } else {
            shown.text()
        });
        Ok(())
    }
}

fn count(findings: &[Finding], severity: Severity) -> usize {
    findings
        .iter()
        .filter(|one| one.severity == severity)
        .count()
}

fn write_as(loaded: &Loaded, form: Form, json: bool) -> Result<(), CommandError> {
    let shape = match form {
        Form::V03 => Shape::V03,
        Form::V1 => Shape::V1,
        Form::Hybrid => Shape::Hybrid,
    };
    let converted = convert(&loaded.card, shape)
        .map_err(|error| CommandError::failed(format!("{}: {error}", loaded.source)))?;
    let card: &Card = &converted.card;
    if json {
        let report: Value = json!({
            "source": loaded.source,
            "card": card.value(),
            "losses": converted.losses,
        });
        show::line(&show::json(&report));
        return Ok(());
    }
    for loss in &converted.losses {
        show::complain(&format!("lost     {} ({})", loss.message, loss.pointer));
    }
    show::document(format!("{}\n", show::json(card.value())).as_bytes())
        .map_err(CommandError::failed)
}
