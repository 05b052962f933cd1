//! `decisions`: what was decided, and why.

mod feedback;

use clap::{Args, Subcommand};
use gateway_core::{RouteDecision, route::counterfactual::Explanation};
use serde::{Deserialize, Serialize};

use super::{
    admin_client,
    decision_source::{self, Period},
};
use crate::{
    command::{Admin, CommandError},
    show,
};

/// Shows routing decisions.
#[derive(Debug, Args)]
pub(crate) struct Decisions {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    admin: Admin,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List decisions, newest first.
    List(Filter),
    /// Show one decision with every candidate.
    Show {
        /// The id, as in the `x-a2a-gateway-decision` header of an answer.
        id: String,
    },
    /// Say why one was chosen, and for each other one what would have made it win.
    Explain {
        /// The id, as in the `x-a2a-gateway-decision` header of an answer.
        id: String,
    },
    /// Print decisions as JSON, one a line, newest first; for `replay --from` and `tune --from`.
    Export(Period),
    /// Say how good the result of a decision was, in place of what was said before.
    Feedback(feedback::GiveFeedback),
}

#[derive(Debug, Args)]
struct Filter {
    /// Only with this agent among the candidates.
    #[arg(long)]
    agent: Option<String>,
    /// Only where a candidate (the one of --agent, if given) was `chosen`, `outscored` or `discarded`.
    #[arg(long)]
    verdict: Option<String>,
    /// Only since a time (2026-11-30T10:00:00Z), or for so long (2h, 7d).
    #[arg(long)]
    since: Option<String>,
    /// Only for this caller.
    #[arg(long)]
    caller: Option<String>,
    /// Only with this outcome: a task state such as `completed`, or `message`, `error`, `truncated`, `open`.
    #[arg(long)]
    outcome: Option<String>,
    /// Only older than this decision.
    #[arg(long)]
    before: Option<String>,
    /// At most this many, up to 500.
    #[arg(long, default_value_t = 20)]
    limit: usize,
}

#[derive(Debug, Deserialize, Serialize)]
struct Listed {
    decisions: Vec<RouteDecision>,
    next_before: Option<String>,
}

impl Decisions {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let admin = &self.admin;
        match self.action {
            Action::List(filter) => {
                let found: Listed =
                    admin_client::get(admin, &["v1", "decisions"], &filter.query()).await?;
                show::line(&match admin.json {
                    true => show::json(&found),
                    false => show::decision::list(&found.decisions, found.next_before.as_deref()),
                });
            }
            Action::Feedback(feedback) => feedback.run(admin).await?,
            Action::Export(period) => {
                let print = |decision: RouteDecision| show::line(&show::json_line(&decision));
                decision_source::of_gateway(admin, &period, print).await?;
            }
            Action::Explain { id } => {
                let path = ["v1", "decisions", &id, "explanation"];
                let found: Explanation = admin_client::get(admin, &path, &[]).await?;
                show::line(&if admin.json {
                    show::json(&found)
                } else {
                    show::explanation::whole(&found)
                });
            }
            Action::Show { id } => {
                let found: RouteDecision =
                    admin_client::get(admin, &["v1", "decisions", &id], &[]).await?;
                show::line(&if admin.json {
                    show::json(&found)
                } else {
                    show::decision::whole(&found)
                });
            }
        }
        Ok(())
    }
}

impl Filter {
    fn query(self) -> Vec<(&'static str, String)> {
        let fields = [
            ("agent", self.agent),
            ("verdict", self.verdict),
            ("since", self.since),
            ("caller", self.caller),
            ("outcome", self.outcome),
            ("before", self.before),
            ("limit", Some(self.limit.to_string())),
        ];
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}
