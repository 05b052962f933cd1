//! `check`: say everything that is wrong with a configuration.

use gateway_upstream::guard::shown;

use crate::{
    command::{CommandError, ConfigFile},
    config::{self, FitConfig},
    model,
    show::{self, counted},
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
        "{}: fine; {}, {}, fit {fit}, listen {}, admin {}",
        file.config.display(),
        counted(config.agents.len() as u64, "agent"),
        counted(config.profiles.len() as u64, "profile"),
        config.listen,
        config.admin.listen
    ));
    Ok(())
}
