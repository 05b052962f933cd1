//! `signals`: what was learned and measured.

use clap::Args;
use serde_json::Value;

use super::admin_client;
use crate::{
    command::{Admin, CommandError},
    show,
};

/// Shows or resets signals.
#[derive(Debug, Args)]
pub(crate) struct Signals {
    /// Only this agent.
    agent: Option<String>,
    /// Forget what was learned and measured of the agent.
    #[arg(long, requires = "agent")]
    reset: bool,
    /// Forget only this skill.
    #[arg(long, requires = "reset")]
    skill: Option<String>,
    #[command(flatten)]
    admin: Admin,
}

impl Signals {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        if let (true, Some(agent)) = (self.reset, &self.agent) {
            let path = ["v1", "signals", agent]
                .into_iter()
                .chain(self.skill.as_deref());
            let path: Vec<_> = path.collect();
            let _reset: Value = admin_client::delete(&self.admin, &path).await?;
        }
        let query: Vec<_> = self
            .agent
            .into_iter()
            .map(|agent| ("agent", agent))
            .collect();
        let found: Value = admin_client::get(&self.admin, &["v1", "signals"], &query).await?;
        show::line(&if self.admin.json {
            show::json(&found)
        } else {
            show::signals::table(&found)
        });
        Ok(())
    }
}
