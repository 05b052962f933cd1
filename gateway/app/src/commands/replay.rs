//! `replay`: what another configuration would have done with stored decisions.

use clap::Args;
use gateway_evaluation::{Condition, Participant, Replay, Report, Setting, Verdict};
use serde::Serialize;

use super::decision_source::{Reading, Source};
use crate::{
    Config,
    command::{Admin, CommandError, ConfigFile},
    config, show,
};

/// Makes stored decisions again with another configuration.
#[derive(Debug, Args)]
pub(crate) struct ReplayDecisions {
    #[command(flatten)]
    file: ConfigFile,
    #[command(flatten)]
    source: Source,
    /// The routing profile of messages for which neither a rule nor the request names one; the configuration's default
    /// one if absent.
    #[arg(long)]
    profile: Option<String>,
    /// Exit with 1 if this holds, or if the decisions do not tell; may be repeated. For example `changed > 5%`,
    /// `uncertain > 10%`, `accepted < -2pt`, `cost_per_accepted > +10%`, `latency > +20%`.
    #[arg(long, value_name = "CONDITION")]
    fail_on: Vec<Condition>,
    #[command(flatten)]
    admin: Admin,
}

/// What a replay says.
#[derive(Debug, Serialize)]
struct Said<'r> {
    source: &'r Reading,
    #[serde(flatten)]
    report: &'r Report,
    failed_on: &'r [String],
}

impl ReplayDecisions {
    pub(crate) async fn run(self) -> Result<(), CommandError> {
        let config = config::load(&self.file.config, &|name| std::env::var(name).ok())?;
        let mut replay = Replay::new(setting(&config, self.profile.as_deref())?);
        let take = |decision| replay.add(&decision);
        let source = self.source.read(&self.admin, take).await?;
        replay.add_unreadable(source.unreadable);
        let report = replay.finish();
        let failed: Vec<String> = self
            .fail_on
            .iter()
            .filter_map(|condition| match condition.check(&report) {
                Verdict::Holds(why) | Verdict::Unknown(why) => Some(why),
                Verdict::Fails => None,
            })
            .collect();
        show::line(&if self.admin.json {
            show::json(&Said {
                source: &source,
                report: &report,
                failed_on: &failed,
            })
        } else {
            show::replay::whole(&source, &report)
        });
        if failed.is_empty() {
            Ok(())
        } else {
            Err(CommandError::failed(failed.join("\nerror: ")))
        }
    }
}

/// Returns what of a configuration takes part in choices, with its default profile or the one named in the place of it.
pub(super) fn setting(config: &Config, profile: Option<&str>) -> Result<Setting, CommandError> {
    let name = profile.unwrap_or(&config.default_profile);
    let Some(profile) = config.profiles.get(name) else {
        let known: Vec<_> = config.profiles.keys().map(String::as_str).collect();
        return Err(CommandError::Usage(format!(
            "there is no routing profile `{name}`; known: {}",
            known.join(", ")
        )));
    };
    let agents = config.agents.iter();
    let agents = agents.map(|agent| (agent.id.clone(), Participant::from(agent)));
    Ok(Setting::new(agents, profile)
        .with_profiles(config.profiles.values().map(|profile| &**profile))
        .with_rules(config.rules.clone())
        .of_configuration(&config.version_hash))
}
