//! `agents accept-card`: the operator's word that a changed card is right.

use std::io::{BufRead as _, IsTerminal as _, stdin};

use clap::Args;
use serde_json::{Value, json};

use crate::{
    command::{Admin, CommandError},
    commands::admin_client,
    show,
};

/// Accepts a card.
#[derive(Debug, Args)]
pub(super) struct AcceptCard {
    /// The agent.
    agent: String,
    /// Accept without being asked.
    #[arg(long, short)]
    yes: bool,
}

impl AcceptCard {
    pub(super) async fn run(&self, admin: &Admin) -> Result<(), CommandError> {
        let found = self.look(admin).await?;
        let Some(fingerprint) = found["held"]["fingerprint"].as_str() else {
            return Err(CommandError::failed(format!(
                "no card of agent `{}` waits to be accepted; the agent is {}",
                self.agent,
                found["state"].as_str().unwrap_or_default()
            )));
        };
        if !admin.json {
            show::line(&show::agents::changes_in_full(&found).join("\n"));
        }
        if !self.yes && !confirmed(&self.agent)? {
            return Err(CommandError::failed("the card was not accepted"));
        }
        let path = ["v1", "agents", &self.agent, "accept-card"];
        let acceptance = json!({ "fingerprint": fingerprint });
        let _accepted: Value = admin_client::post(admin, &path, &acceptance).await?;
        let now = self.look(admin).await?;
        let state = now["state"].as_str().unwrap_or_default();
        show::line(&if admin.json {
            show::json(&json!({
                "agent": self.agent,
                "state": state,
                "accepted": fingerprint,
                "changes": found["held"]["changes"],
            }))
        } else {
            format!("the card is accepted; agent `{}` is {state}", self.agent)
        });
        Ok(())
    }

    async fn look(&self, admin: &Admin) -> Result<Value, CommandError> {
        admin_client::get(admin, &["v1", "agents", &self.agent], &[]).await
    }
}

fn confirmed(agent: &str) -> Result<bool, CommandError> {
    if !stdin().is_terminal() {
        let text = "nobody can be asked here; say --yes to accept the card";
        return Err(CommandError::failed(text));
    }
    show::line(&format!("Accept this card of agent `{agent}`? [y/N]"));
    let mut answer = String::new();
    stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(CommandError::failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
