//! The keys that a command verifies signatures with.

use std::path::PathBuf;

use agent_cards::TrustedKeys;
use clap::Args;
use url::Url;

use super::source;
use crate::{
    command::CommandError,
    files::{self, LARGEST_KEYS},
};

/// Whose signatures count.
#[derive(Debug, Args)]
pub(super) struct Trust {
    /// Trust the public keys in this file, a JSON Web Key Set (RFC 7517); may be repeated.
    #[arg(long, value_name = "FILE")]
    keys: Vec<PathBuf>,
    /// Trust the key set at this address if a signature names it (`jku`); may be repeated. No other is fetched.
    #[arg(long, value_name = "URL", value_parser = source::address)]
    allow_jku: Vec<Url>,
}

impl Trust {
    /// Reads the keys.
    pub(super) fn read(&self) -> Result<TrustedKeys, CommandError> {
        let mut trusted = TrustedKeys::new();
        for path in &self.keys {
            let about = |problem: String| {
                CommandError::failed(format!("the keys in {}: {problem}", path.display()))
            };
            let set = files::read(path, LARGEST_KEYS)
                .map_err(|error| about(format!("cannot be read: {error}")))?;
            trusted
                .add(&set)
                .map_err(|error| about(error.to_string()))?;
        }
        for jku in &self.allow_jku {
            trusted
                .allow_jku(jku)
                .map_err(|error| CommandError::Usage(format!("--allow-jku: {error}")))?;
        }
        Ok(trusted)
    }
}
