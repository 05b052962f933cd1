//! Logs: one line each, to standard error, without message text or secrets.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{LogConfig, LogFormat};

/// Starts logging. Does nothing if logging was started before.
pub(crate) fn start(config: &LogConfig) {
    let filter = EnvFilter::try_new(&config.level).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_target(false);
    let started = match config.format {
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
        LogFormat::Pretty => lines.with_ansi(stderr().is_terminal()).try_init(),
    };
    if let Err(error) = started {
        tracing::debug!(error = %error, "logging had been started before");
    }
}
