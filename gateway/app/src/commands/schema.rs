//! `schema`: the JSON Schema of the configuration.

use crate::{command::CommandError, config, show};

pub(crate) fn run() -> Result<(), CommandError> {
    let schema =
        serde_json::to_string_pretty(&config::json_schema()).map_err(CommandError::failed)?;
    show::line(&schema);
    Ok(())
}
