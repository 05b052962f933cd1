//! `decisions feedback`: how good a result was.

use clap::Args;
use gateway_core::{Feedback, RouteDecision};

use crate::{
    command::{Admin, CommandError},
    commands::admin_client,
    show,
};

/// Judges the result of a decision.
#[derive(Debug, Args)]
pub(super) struct GiveFeedback {
    /// The id of the decision.
    id: String,
    /// The result was accepted.
    #[arg(long, conflicts_with = "rejected")]
    accepted: bool,
    /// The result was not accepted.
    #[arg(long)]
    rejected: bool,
    /// How good it was, from 0 to 1; counts more than --accepted or --rejected.
    #[arg(long)]
    score: Option<f64>,
    /// What it cost, in the agent's currency.
    #[arg(long)]
    cost: Option<f64>,
    /// Anything else, for people.
    #[arg(long)]
    note: Option<String>,
}

impl GiveFeedback {
    pub(super) async fn run(self, admin: &Admin) -> Result<(), CommandError> {
        let feedback = Feedback {
            accepted: (self.accepted || self.rejected).then_some(self.accepted),
            score: self.score,
            cost: self.cost,
            note: self.note,
        };
        feedback.check().map_err(CommandError::failed)?;
        let path = ["v1", "decisions", &self.id, "feedback"];
        let decision: RouteDecision = admin_client::post(admin, &path, &feedback).await?;
        show::line(&if admin.json {
            show::json(&decision)
        } else {
            show::decision::whole(&decision)
        });
        Ok(())
    }
}
