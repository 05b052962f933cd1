//! Tests of the configuration as a whole.

mod meaning;
mod reports;
mod robustness;
mod rules;
mod schema;
mod trust;

use std::path::Path;

use super::{Config, ConfigErrors, parse};

/// The documented example, which uses every key.
const EXAMPLE: &str = include_str!("../../schema/example.yaml");

/// Parses with these variables set.
fn parse_with(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigErrors> {
    let environment = |name: &str| {
        let variable = variables.iter().find(|(known, _)| *known == name);
        variable.map(|(_, value)| (*value).to_owned())
    };
    parse(
        "a2a-gateway.yaml",
        Path::new("/etc/gateway"),
        text,
        &environment,
    )
}

fn good(text: &str) -> Config {
    parse_with(text, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

fn bad(text: &str) -> String {
    parse_with(text, &[]).unwrap_err().to_string()
}
