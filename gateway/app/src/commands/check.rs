//! `check`: say everything that is wrong with a configuration.

use gateway_upstream::guard::shown;

use crate::{
    command::{CommandError, ConfigFile},
    config::{self, FitConfig},
    model, show,
};

pub(crate) fn run(file: &ConfigFile) -> Result<(), CommandError> {
    let config = config::load(&file.config, &|name| std::env::var(name).ok())?;
    let fit = match &config.fit {
        FitConfig::Lexical => "lexical".to_owned(),
        FitConfig::Hybrid { model } => {
            let name = model::name_of(model).map_err(CommandError::failed)?;
            format!("hybrid with {name}")
        }
        FitConfig::Endpoint(endpoint) => {
            format!("hybrid with {} at {}", endpoint.model, shown(&endpoint.url))
        }
    };
    show::line(&format!(
        "{}: fine; {} agents, {} profiles, fit {fit}, listen {}, admin {}",
        file.config.display(),
        config.agents.len(),
        config.profiles.len(),
        config.listen,
        config.admin.listen
    ));
    Ok(())
}
