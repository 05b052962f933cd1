//! The `a2a-gateway` program.

use std::process::ExitCode;

use clap::Parser as _;
use gateway::command::Command;

fn main() -> ExitCode {
    Command::parse().run()
}
