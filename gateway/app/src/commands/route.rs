//! `route explain`: how a message would be routed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use gateway_core::{
    Caller, Effect, RouteDecision, call::Explain, route::counterfactual::Explanation,
};
use serde::Deserialize as _;
use serde_json::Value;

use super::admin_client;
use crate::{
    command::{Admin, CommandError},
    show::{self, what_if::WhatIf},
};

/// Asks about routing.
#[derive(Debug, Args)]
pub(crate) struct Route {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    admin: Admin,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Decide about a message without sending it.
    Explain(Question),
}

#[derive(Debug, Args)]
struct Question {
    /// Text of the message.
    #[arg(long, required_unless_present = "signals")]
    text: Option<String>,
    /// Only agents with this skill.
    #[arg(long)]
    skill: Option<String>,
    /// Only this agent.
    #[arg(long)]
    agent: Option<String>,
    /// Routing profile.
    #[arg(long)]
    profile: Option<String>,
    /// Protocol version of the client.
    #[arg(long, value_name = "VERSION")]
    client: Option<String>,
    /// The client asks for a stream.
    #[arg(long)]
    streaming: bool,
    /// Media type of a part of the message; may be repeated. Plain text if absent.
    #[arg(long, value_name = "MEDIA_TYPE")]
    input_mode: Vec<String>,
    /// Media type the client accepts; may be repeated. Any if absent.
    #[arg(long, value_name = "MEDIA_TYPE")]
    output_mode: Vec<String>,
    /// The client's latency budget, in milliseconds.
    #[arg(long)]
    max_latency_ms: Option<f64>,
    /// The client's cost budget, in euros.
    #[arg(long)]
    max_cost_eur: Option<f64>,
    /// The effect the client allows at most: `read`, `prepare`, `reversible_write` or `external_effect`.
    #[arg(long, value_name = "EFFECT", value_parser = effect)]
    max_effect: Option<Effect>,
    /// Top-level key of the message's data; may be repeated.
    #[arg(long, value_name = "KEY")]
    data_key: Vec<String>,
    /// URI of an extension the client declares; may be repeated.
    #[arg(long, value_name = "URI")]
    extension: Vec<String>,
    /// The client asks for push notifications.
    #[arg(long)]
    push: bool,
    /// Binding the message comes by: `JSONRPC`, `HTTP+JSON` or `GRPC`.
    #[arg(long)]
    binding: Option<String>,
    /// Who calls, for rules that look at it.
    #[arg(long)]
    subject: Option<String>,
    /// The tenant of who calls.
    #[arg(long)]
    tenant: Option<String>,
    /// Score the signals in this YAML or JSON file instead of asking a gateway: `candidates` with `agent` and
    /// the six signals, and `weights` if they are not the usual ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "text", "skill", "agent", "profile", "client", "streaming", "input_mode", "output_mode", "max_latency_ms",
        "max_cost_eur", "max_effect", "data_key", "extension", "push", "binding", "subject", "tenant",
    ])]
    signals: Option<PathBuf>,
}

fn effect(text: &str) -> Result<Effect, &'static str> {
    Effect::parse(text).ok_or("use read, prepare, reversible_write or external_effect")
}

/// Returns the caller that was named in part; without any name the gateway takes the anonymous one.
fn caller(subject: Option<String>, tenant: Option<String>) -> Option<Caller> {
    if subject.is_none() && tenant.is_none() {
        return None;
    }
    let subject = subject.unwrap_or_else(|| Caller::anonymous().subject);
    Some(Caller { subject, tenant })
}

impl Route {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let Action::Explain(question) = self.action;
        if let Some(path) = &question.signals {
            let text = std::fs::read_to_string(path).map_err(|error| {
                CommandError::failed(format!("cannot read {}: {error}", path.display()))
            })?;
            let scored = WhatIf::parse(&text)
                .map_err(|error| CommandError::failed(format!("{}: {error}", path.display())))?
                .score();
            show::line(&if self.admin.json {
                show::json(&scored)
            } else {
                show::what_if::table(&scored)
            });
            return Ok(());
        }
        let explain = Explain {
            text: question.text.unwrap_or_default(),
            skill: question.skill,
            agent: question.agent,
            profile: question.profile,
            version: question.client,
            streaming: question.streaming,
            input_modes: question.input_mode,
            accepted_output_modes: question.output_mode,
            max_latency_ms: question.max_latency_ms,
            max_cost_eur: question.max_cost_eur,
            max_effect: question.max_effect,
            data_keys: question.data_key,
            extensions: question.extension,
            push: question.push,
            binding: question.binding,
            caller: caller(question.subject, question.tenant),
        };
        let found: Value =
            admin_client::post(&self.admin, &["v1", "route:explain"], &explain).await?;
        show::line(&if self.admin.json {
            show::json(&found)
        } else {
            let explanation = Explanation::deserialize(&found["explanation"]);
            let explanation = explanation.map_err(CommandError::failed)?;
            let decision = RouteDecision::deserialize(&found).map_err(CommandError::failed)?;
            format!(
                "{}\n\n{}",
                show::decision::whole(&decision),
                show::explanation::whole(&explanation)
            )
        });
        Ok(())
    }
}
