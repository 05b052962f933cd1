//! The command line.
//!
//! Exit codes: 0 all went well, 1 something failed or was found, 2 wrong usage, 64 bad configuration.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// Exit code for arguments that do not belong together, the same as the parser's.
const WRONG_USAGE: u8 = 2;

/// Exit code for a configuration that cannot be used (`EX_USAGE`).
pub(crate) const BAD_CONFIGURATION: u8 = 64;

/// Routes A2A messages to the best of many agents, and says why.
#[derive(Debug, Parser)]
#[command(name = "a2a-gateway", version, arg_required_else_help = true)]
pub struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run the gateway.
    Serve(ConfigFile),
    /// Check a configuration and say everything that is wrong with it.
    Check(ConfigFile),
    /// Print the JSON Schema of the configuration.
    Schema,
    /// Show each agent, the state of its card and what was measured.
    Agents(commands::agents::Agents),
    /// Show routing decisions.
    Decisions(commands::decisions::Decisions),
    /// Show what was learned of each agent and skill, or forget it.
    Signals(commands::signals::Signals),
    /// Ask how a message would be routed.
    Route(commands::route::Route),
    /// Compare how labelled messages would be routed with how they should be, without sending any.
    Eval(commands::eval::Eval),
    /// Make stored decisions again with another configuration, and say what would change.
    Replay(Box<commands::replay::ReplayDecisions>),
    /// Propose weights from what became of decisions.
    Tune(Box<commands::tune::Tune>),
    /// Look at the card of any agent: no configuration and no running gateway is needed.
    Card(commands::card::CardCommand),
    /// Run a university's agents with a gateway in front, send them tasks and show every decision.
    Demo(commands::demo::Demo),
}

/// Names the configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// The configuration file.
    #[arg(long, env = "A2A_GATEWAY_CONFIG", default_value = "a2a-gateway.yaml")]
    pub(crate) config: PathBuf,
}

/// Where and how to ask a running gateway.
#[derive(Debug, Args)]
pub(crate) struct Admin {
    /// Address of the admin listener of a running gateway.
    #[arg(
        long,
        global = true,
        env = "A2A_GATEWAY_ADMIN",
        default_value = "http://127.0.0.1:9901"
    )]
    pub(crate) admin: url::Url,
    /// Print JSON instead of a table.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The configuration cannot be used.
    #[error("{0}")]
    Configuration(#[from] crate::config::ConfigErrors),
    /// The arguments do not belong together.
    #[error("error: {0}")]
    Usage(String),
    /// The answer has been printed, and it is not the good one.
    #[error("the answer is no")]
    Negative,
    /// Anything else, in words for the person at the terminal.
    #[error("error: {0}")]
    Failed(String),
}

impl CommandError {
    pub(crate) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    fn code(&self) -> ExitCode {
        match self {
            Self::Configuration(_) => ExitCode::from(BAD_CONFIGURATION),
            Self::Usage(_) => ExitCode::from(WRONG_USAGE),
            Self::Negative | Self::Failed(_) => ExitCode::FAILURE,
        }
    }
}

impl Command {
    /// Runs the command and returns the exit code of the program.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let result = match self.action {
            Action::Serve(file) => on_runtime(commands::serve::run(file)),
            Action::Check(file) => commands::check::run(&file),
            Action::Schema => commands::schema::run(),
            Action::Agents(agents) => on_runtime(agents.run()),
            Action::Decisions(decisions) => on_runtime(decisions.run()),
            Action::Signals(signals) => on_runtime(signals.run()),
            Action::Route(route) => on_runtime(route.run()),
            Action::Eval(eval) => on_runtime(eval.run()),
            Action::Replay(replay) => on_runtime(replay.run()),
            Action::Tune(tune) => on_runtime(tune.run()),
            Action::Card(card) => on_runtime(card.run()),
            Action::Demo(demo) => on_runtime(demo.run()),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                if !matches!(error, CommandError::Negative) {
                    crate::show::complain(&error);
                }
                error.code()
            }
        }
    }
}

fn on_runtime(work: impl Future<Output = Result<(), CommandError>>) -> Result<(), CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CommandError::failed)?
        .block_on(work)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Command;

    #[test]
    fn command_line_is_consistent() {
        Command::command().debug_assert();
    }
}
