//! `agents`: each agent and the state of its card.

mod accept_card;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::Value;

use super::admin_client;
use crate::{
    command::{Admin, CommandError},
    show,
};

/// Shows agents.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Agents {
    #[command(subcommand)]
    action: Option<Action>,
    /// Only this agent, in detail.
    agent: Option<String>,
    #[command(flatten)]
    admin: Admin,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Accept the changed card of a quarantined agent, after showing what changed.
    AcceptCard(accept_card::AcceptCard),
}

impl Agents {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        if let Some(Action::AcceptCard(accept)) = &self.action {
            return accept.run(&self.admin).await;
        }
        let path: Vec<&str> = ["v1", "agents"]
            .into_iter()
            .chain(self.agent.as_deref())
            .collect();
        let found: Value = admin_client::get(&self.admin, &path, &[]).await?;
        show::line(&match (self.admin.json, &self.agent) {
            (true, _) => show::json(&found),
            (false, Some(_)) => show::agents::detail(&found, Timestamp::now()),
            (false, None) => show::agents::table(&found, Timestamp::now()),
        });
        Ok(())
    }
}
