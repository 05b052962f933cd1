//! The configuration file: one YAML document, checked as a whole before anything starts.
//!
//! Text becomes a tree whose nodes know their places (`parse`), the tree becomes the file form (`decode`, `form`), and
//! the form becomes [`Config`] (`check`). Each step reports all it finds, so that one run shows everything.

mod check;
mod decode;
mod form;
mod hint;
mod interpolate;
mod parse;
mod report;
mod secret;
mod tree;
mod values;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agent_cards::SigningKey;
use gateway_core::{
    AgentAuth, AgentSpec, Learning, VersionedProfile, digest, push::AllowList, route::rules::Rules,
};
use gateway_upstream::EmbeddingsSettings;
use ipnet::IpNet;
use schemars::generate::SchemaSettings;
use url::Url;

use self::{
    check::Checker,
    form::FileForm,
    report::Report,
    values::{HeaderName, HttpUrl, Secret},
};
pub use self::{form::LogFormat, interpolate::Environment, report::ConfigErrors};

/// The largest configuration file, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

/// A configuration that can be used as it is.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address under which clients reach the gateway; without it, that of each request.
    pub public_url: Option<Url>,
    /// The networks of proxies whose forwarding headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Where clients are served.
    pub listen: SocketAddr,
    /// The listener for operators.
    pub admin: AdminConfig,
    /// Whether the operator said that everybody may call.
    pub open: bool,
    /// Where decisions and tasks are kept.
    pub store: StoreConfig,
    /// The file of the key that seals task ids.
    pub key_file: PathBuf,
    /// The key that served cards are signed with.
    pub card_key: Option<Arc<SigningKey>>,
    /// Limits of the leg towards clients.
    pub limits: ServerLimits,
    /// Whether a request without `A2A-Version` is one of 0.3, whatever it looks like.
    pub strict_versions: bool,
    /// How push notifications are relayed.
    pub push: PushConfig,
    /// What is logged.
    pub log: LogConfig,
    /// The agents, in file order; at least one, with unique ids.
    pub agents: Vec<AgentSpec>,
    /// What says how well an agent fits.
    pub fit: FitConfig,
    /// The routing profiles by name.
    pub profiles: BTreeMap<String, VersionedProfile>,
    /// What is asked of every message before anybody is scored.
    pub rules: Rules,
    /// The profile of requests that name none; a key of `profiles`.
    pub default_profile: String,
    /// The profiles that decide beside the default one, without effect; keys of `profiles`.
    pub shadow: Vec<String>,
    /// How fast is learned from what becomes of decisions.
    pub learning: Learning,
    /// The digest of the file text, such as `sha256:9f86…`.
    pub version_hash: String,
}

/// The listener for operators.
#[derive(Debug, Clone)]
pub struct AdminConfig {
    /// Where operators are served.
    pub listen: SocketAddr,
    /// Whether the operator said that everybody who reaches it may use it.
    pub open: bool,
}

/// Where decisions and tasks are kept, and for how long.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// The SQLite database file.
    pub path: PathBuf,
    /// How long a decision is kept.
    pub max_age: Duration,
    /// How many decisions are kept.
    pub max_decisions: u32,
    /// Whether a decision holds the text of its message.
    pub record_text: bool,
}

/// Limits of the leg towards clients.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Largest request body, in bytes.
    pub max_body: usize,
    /// How long the head of a request may take.
    pub request_head: Duration,
    /// How long the body of a request may take.
    pub request_body: Duration,
    /// How often a comment is written to a silent stream.
    pub stream_keep_alive: Duration,
    /// How long a client may leave an event of its stream unread.
    pub stream_unread: Duration,
    /// How long open calls may go on at shutdown.
    pub drain: Duration,
}

/// How push notifications are relayed.
#[derive(Debug, Clone)]
pub struct PushConfig {
    /// The address that agents send notifications to; without it, the public one.
    pub callback_url: Option<Url>,
    /// Where webhooks may be although it is private or without TLS.
    pub allow: AllowList,
    /// How long one delivery may take.
    pub timeout: Duration,
    /// After how many failures a notification is given up.
    pub max_attempts: u32,
    /// The age at which a notification is given up.
    pub max_age: Duration,
}

/// What says how well an agent fits.
#[derive(Debug, Clone)]
pub enum FitConfig {
    /// The words of cards and messages.
    Lexical,
    /// Words and meaning.
    Hybrid {
        /// The folder of the sentence encoder's model.
        model: PathBuf,
    },
    /// Words and meaning, by a model behind an address.
    Endpoint(EmbeddingsSettings),
}

/// What is logged.
#[derive(Debug, Clone)]
pub struct LogConfig {
    /// The form of log lines.
    pub format: LogFormat,
    /// A level or filter, in the syntax of `tracing_subscriber::EnvFilter`.
    pub level: String,
}

/// Reads and checks a configuration file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(path: &Path, environment: &Environment<'_>) -> Result<Config, ConfigErrors> {
    let name = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    match fs::read_to_string(path) {
        Ok(text) => parse(&name, folder, &text, environment),
        Err(error) => {
            let help = "name the file with `--config`";
            let report = Report::of_file(format!("cannot read {name}: {error}"), help);
            Err(ConfigErrors::new(&name, "", vec![report], &[]))
        }
    }
}

/// Checks the text of a configuration file.
///
/// `name` stands in reports, and `folder` is where relative paths start.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(
    name: &str,
    folder: &Path,
    text: &str,
    environment: &Environment<'_>,
) -> Result<Config, ConfigErrors> {
    if text.len() > LARGEST {
        let message = format!("the file is larger than {} MiB", LARGEST / 1024 / 1024);
        let report = Report::of_file(message, "a configuration of this size is surely a mistake");
        return Err(ConfigErrors::new(name, "", vec![report], &[]));
    }
    let mut reports = Vec::new();
    let original = match parse::parse(text, environment, &mut reports) {
        Ok(Some(root)) => root,
        Ok(None) => {
            let report = Report::of_file("the file is empty", hint::example("agents"));
            return Err(ConfigErrors::new(name, text, vec![report], &[]));
        }
        Err(report) => {
            return Err(ConfigErrors::new(
                name,
                text,
                vec![report],
                &secret::places_in_text(text),
            ));
        }
    };
    let mut root = original.clone();
    let form: Option<FileForm> = decode::decode(&mut root, &mut reports);
    let config = form.map(|form| {
        let reports = &mut reports;
        let mut checker = Checker {
            root: &root,
            original: &original,
            folder,
            reports,
        };
        checker.check(form, digest::sha256(text.as_bytes()))
    });
    match config {
        Some(config) if reports.is_empty() => Ok(config),
        _ => Err(ConfigErrors::new(
            name,
            text,
            reports,
            &secret::places(text, &original),
        )),
    }
}

/// Returns an agent of which a file would say nothing but its address.
pub(crate) fn unconfigured_agent(url: Url) -> AgentSpec {
    check::unconfigured(HttpUrl(url))
}

/// Returns the limit of a card's size that holds where a file says nothing, in bytes.
pub(crate) fn largest_card() -> usize {
    form::agent::CardForm::default().max_size.0
}

/// Reads a bearer token as a file would give it.
///
/// # Errors
/// Says what is wrong with it, and on a second line what helps.
pub(crate) fn bearer(token: &str) -> Result<AgentAuth, &'static str> {
    Ok(AgentAuth::Bearer(Secret::try_from(token.to_owned())?.0))
}

/// Reads a header that carries a credential as a file would give it.
///
/// # Errors
/// Says what is wrong with it, and on a second line what helps.
pub(crate) fn header(name: &str, value: &str) -> Result<AgentAuth, &'static str> {
    Ok(AgentAuth::Header {
        name: HeaderName::try_from(name.to_owned())?.0,
        value: Secret::try_from(value.to_owned())?.0,
    })
}

/// Returns the JSON Schema of the configuration file.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<FileForm>()
        .to_value()
}
