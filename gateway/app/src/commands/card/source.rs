//! Where a card comes from: an agent, a file or standard input.

use std::{
    io::{self, stdin},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use agent_cards::{Card, CardError, TrustedKeys, Verification};
use clap::Args;
use gateway_core::{
    AgentAuth, AgentSpec,
    ports::{CardFetch, CardSource as _, CardTry},
};
use gateway_upstream::{
    CardFetcher, MissingKeys,
    guard::{self, Clients},
};
use serde::Serialize;
use url::Url;

use crate::{command::CommandError, config, files, show};

/// How long a key set may take to arrive.
const KEY_SET_LIMIT: Duration = Duration::from_secs(10);

/// An address, a file, or `-` for standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Agent(Url),
    File(PathBuf),
    Input,
}

/// How agents are asked for their cards.
#[derive(Debug, Default, Args)]
pub(super) struct Asking {
    /// Send `Authorization: Bearer TOKEN` to every agent that is named here.
    #[arg(long, value_name = "TOKEN", value_parser = bearer, conflicts_with = "header")]
    bearer: Option<AgentAuth>,
    /// Send this header, such as `X-Api-Key: KEY`, to every agent that is named here.
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Option<AgentAuth>,
    /// Take the URL for that of the card itself and look nowhere else.
    #[arg(long)]
    exact: bool,
}

/// Reads cards for one command.
#[derive(Debug)]
pub(super) struct Reading {
    fetcher: CardFetcher,
    auth: AgentAuth,
    exact: bool,
    input_taken: bool,
}

/// A card and where it is from.
#[derive(Debug)]
pub(super) struct Loaded {
    /// What was named, without secrets.
    pub(super) source: String,
    /// The agent's address, for a card that was fetched.
    pub(super) agent: Option<Url>,
    /// Where it was found, likewise.
    pub(super) location: Option<Url>,
    /// The places that were tried for it.
    pub(super) tried: Vec<CardTry>,
    pub(super) card: Card,
}

/// Says why there is no card.
#[derive(Debug, Serialize)]
pub(super) struct Missing {
    pub(super) source: String,
    pub(super) problem: String,
    /// Where in the document, as a JSON pointer; empty for the whole and for what is no document.
    #[serde(skip)]
    pub(super) pointer: String,
    /// What to do about it, where the problem does not say.
    #[serde(skip)]
    pub(super) hint: &'static str,
    pub(super) tried: Vec<CardTry>,
}

impl Source {
    /// Returns what was named, without secrets.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Agent(url) => guard::shown(url).into(),
            Self::File(path) => path.display().to_string(),
            Self::Input => "standard input".to_owned(),
        }
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "-" => Ok(Self::Input),
            _ if text.contains("://") => address(text).map(Self::Agent),
            _ => Ok(Self::File(text.into())),
        }
    }
}

/// Reads the address of an agent; whether it may be called is decided when it is.
pub(super) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| {
        format!("not an address ({error}), write for example https://agent.example")
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https addresses are possible here".to_owned());
    }
    Ok(url)
}

fn bearer(token: &str) -> Result<AgentAuth, String> {
    config::bearer(token).map_err(one_line)
}

fn header(text: &str) -> Result<AgentAuth, String> {
    let (name, value) = text
        .split_once(':')
        .ok_or("not a header, write for example `X-Api-Key: KEY`")?;
    config::header(name.trim(), value).map_err(one_line)
}

fn one_line(problem: &str) -> String {
    problem.replace('\n', "; ")
}

impl Asking {
    /// Returns what reads the cards.
    pub(super) fn begin(self) -> Reading {
        Reading {
            fetcher: CardFetcher::for_terminal(Clients::new()),
            auth: self.bearer.or(self.header).unwrap_or(AgentAuth::None),
            exact: self.exact,
            input_taken: false,
        }
    }
}

impl Reading {
    /// Reads a card, or says why there is none.
    pub(super) async fn try_load(&mut self, source: &Source) -> Result<Loaded, Missing> {
        let shown = source.shown();
        let read = match source {
            Source::Agent(url) => return self.fetch(shown, url).await,
            Source::File(path) => files::read(path, config::largest_card()),
            Source::Input if self.input_taken => {
                Err(io::Error::other("it was read already, name it once"))
            }
            Source::Input => {
                self.input_taken = true;
                files::read_from(stdin().lock(), config::largest_card())
            }
        };
        let lacking = |problem: String, pointer: &str, hint| Missing {
            source: source.shown(),
            problem,
            pointer: pointer.to_owned(),
            hint,
            tried: Vec::new(),
        };
        let body = read.map_err(|error| {
            lacking(format!("cannot be read: {error}"), "", hint(source, &error))
        })?;
        let card = Card::parse(&body).map_err(|error: CardError| {
            let hint = "write an AgentCard there (A2A §4.4.1)";
            lacking(error.to_string(), error.pointer(), hint)
        })?;
        Ok(Loaded {
            source: shown,
            agent: None,
            location: None,
            tried: Vec::new(),
            card,
        })
    }

    /// Reads the card that a command cannot do without.
    pub(super) async fn load(
        &mut self,
        source: &Source,
        json: bool,
    ) -> Result<Loaded, CommandError> {
        self.try_load(source)
            .await
            .map_err(|missing| missing.give_up(json))
    }

    /// Verifies a card. Key sets that the operator allows are fetched without the agent's credential.
    pub(super) async fn verify(
        &self,
        card: &Card,
        keys: &TrustedKeys,
    ) -> (Verification, Vec<MissingKeys>) {
        self.fetcher.verify(card, keys, KEY_SET_LIMIT).await
    }

    async fn fetch(&self, source: String, url: &Url) -> Result<Loaded, Missing> {
        let CardFetch { result, tried, .. } = self.fetcher.fetch(&self.spec(url), true).await;
        match result {
            Ok(fetched) => Ok(Loaded {
                source,
                agent: Some(url.clone()),
                location: Some(fetched.location),
                tried,
                card: fetched.card,
            }),
            Err(problem) => Err(Missing {
                source,
                problem,
                pointer: String::new(),
                hint: "",
                tried,
            }),
        }
    }

    /// Returns the agent as a gateway without settings for it would ask it.
    fn spec(&self, url: &Url) -> AgentSpec {
        let mut spec = config::unconfigured_agent(url.clone());
        spec.auth = self.auth.clone();
        spec.card.url = self.exact.then(|| url.clone());
        spec
    }
}

impl Missing {
    /// Turns it into the end of a command.
    pub(super) fn give_up(self, json: bool) -> CommandError {
        if json {
            show::line(&show::json(&self));
            return CommandError::Negative;
        }
        if !self.tried.is_empty() {
            show::complain(&show::card::tried(&self.tried));
        }
        let hint = match self.hint {
            "" => String::new(),
            hint => format!("; {hint}"),
        };
        CommandError::Failed(format!("{}: {}{hint}", self.source, self.problem))
    }
}

fn hint(source: &Source, error: &io::Error) -> &'static str {
    match source {
        Source::File(_) if error.kind() == io::ErrorKind::NotFound => {
            "check the path; the address of an agent begins with http:// or https://"
        }
        _ => "",
    }
}
