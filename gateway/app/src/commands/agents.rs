//! `agents`: each agent and the state of its card.

use clap::Args;
use jiff::Timestamp;
use serde_json::Value;

use super::admin_client;
use crate::{
    command::{Admin, CommandError},
    show,
};

/// Shows agents.
#[derive(Debug, Args)]
pub(crate) struct Agents {
    /// Only this agent, in detail.
    agent: Option<String>,
    #[command(flatten)]
    admin: Admin,
}

impl Agents {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
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
