//! `check`: say everything that is wrong with a configuration.

use crate::{
    command::{CommandError, ConfigFile},
    config, show,
};

pub(crate) fn run(file: &ConfigFile) -> Result<(), CommandError> {
    let config = config::load(&file.config, &|name| std::env::var(name).ok())?;
    show::line(&format!(
        "{}: fine; {} agents, {} profiles, listen {}, admin {}",
        file.config.display(),
        config.agents.len(),
        config.profiles.len(),
        config.listen,
        config.admin.listen
    ));
    Ok(())
}
