//! What the operator says about an agent: its address, limits, and the priors that routing starts from.

mod trust;

use std::{collections::BTreeMap, fmt, net::SocketAddr, sync::Arc, time::Duration};

use agent_cards::publish::InnerHosts;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

pub use self::trust::{CardTrust, OnDrift, ServeCard};
use crate::digest;

/// The name of a registered agent: `[a-z0-9][a-z0-9-]{0,62}`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct AgentId(Arc<str>);

/// Reports text that cannot be an agent id.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{0}` is not an agent id: use 1 to 63 of a-z, 0-9 and -, starting with a letter or digit")]
pub struct InvalidAgentId(String);

impl AgentId {
    /// Parses an agent id.
    ///
    /// # Errors
    /// [`InvalidAgentId`] when the text has another form.
    pub fn parse(text: &str) -> Result<Self, InvalidAgentId> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = text.as_bytes();
        let valid = (1..=63).contains(&bytes.len())
            && plain(bytes[0])
            && bytes.iter().all(|&byte| plain(byte) || byte == b'-');
        if valid {
            Ok(Self(text.into()))
        } else {
            Err(InvalidAgentId(text.to_owned()))
        }
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for AgentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "AgentId({})", self.0)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// What running a skill does to the world, from harmless to not undoable.
///
/// The effect comes from configuration only: what a card or a message says never lowers it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Only looks things up.
    Read,
    /// Prepares something that nobody sees until it is used.
    Prepare,
    /// Changes something that can be changed back.
    ReversibleWrite,
    /// Acts on the outside world and cannot be undone: payments, letters sent.
    ExternalEffect,
}

impl Effect {
    /// Returns the name used in configurations and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Prepare => "prepare",
            Self::ReversibleWrite => "reversible_write",
            Self::ExternalEffect => "external_effect",
        }
    }

    /// Finds an effect by its name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [
            Self::Read,
            Self::Prepare,
            Self::ReversibleWrite,
            Self::ExternalEffect,
        ]
        .into_iter()
        .find(|effect| effect.as_str() == text)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One registered agent, as configured.
#[derive(Debug, Clone)]
pub struct AgentSpec {
    /// Its name.
    pub id: AgentId,
    /// Its base address; the origin every call goes to, whatever hosts the card names.
    pub url: Url,
    /// How its card is fetched and kept.
    pub card: CardPolicy,
    /// The credential the gateway shows to the agent.
    pub auth: AgentAuth,
    /// Time, size and concurrency limits.
    pub limits: Limits,
    /// Expected share of accepted results, in [0,1].
    pub quality: f64,
    /// Expected time to an answer while nothing has been measured.
    pub latency: Option<Duration>,
    /// What one request costs.
    pub cost: Cost,
    /// The effect of its skills, unless a skill says otherwise.
    pub effect: Effect,
    /// Breaks ties between equal scores; higher wins.
    pub preference: i32,
    /// Settings of single skills, by skill id.
    pub skills: BTreeMap<String, SkillSpec>,
    /// Where the gateway itself listens: no card leads a call there.
    pub own: Arc<[SocketAddr]>,
}

impl AgentSpec {
    /// Returns what tells the places apart that the agent's card is looked for at: a digest, as addresses may hold secrets.
    #[must_use]
    pub fn card_source(&self) -> String {
        let card = self.card.url.as_ref().map_or("", Url::as_str);
        digest::sha256(format!("{}\n{card}", self.url).as_bytes())
    }

    /// Returns the effect that a request may have: that of the skill, by its own setting or the agent's; without one the
    /// highest of all, since nobody knows which skill the agent will use.
    #[must_use]
    pub fn effect_of(&self, skill: Option<&str>) -> Effect {
        let of_skills = self.skills.values().filter_map(|spec| spec.effect);
        match skill {
            Some(_) => {
                let own = self.skill(skill).and_then(|spec| spec.effect);
                own.unwrap_or(self.effect)
            }
            None => of_skills.fold(self.effect, Effect::max),
        }
    }

    /// Returns the expected cost of one request to a skill: its own setting, else the agent's.
    #[must_use]
    pub fn cost_of(&self, skill: Option<&str>) -> f64 {
        self.skill(skill)
            .and_then(|spec| spec.cost_per_request)
            .unwrap_or(self.cost.per_request)
    }

    /// Returns the prior quality of one skill: its own setting, else the agent's.
    #[must_use]
    pub fn quality_of(&self, skill: Option<&str>) -> f64 {
        self.skill(skill)
            .and_then(|spec| spec.quality)
            .unwrap_or(self.quality)
    }

    /// Returns the hosts that callers are not told of.
    #[must_use]
    pub fn inner_hosts(&self) -> InnerHosts {
        InnerHosts::of([&self.url].into_iter().chain(&self.card.url))
    }

    fn skill(&self, skill: Option<&str>) -> Option<&SkillSpec> {
        self.skills.get(skill?)
    }
}

/// Where an agent's card is, and how long it may be used.
#[derive(Debug, Clone)]
pub struct CardPolicy {
    /// The exact address of the card; without it the well-known places below the agent's URL are tried.
    pub url: Option<Url>,
    /// The credential shown where the card is; without one the agent's own is, at the agent's own origin only.
    pub auth: AgentAuth,
    /// How long a card without caching headers counts as fresh.
    pub ttl: Duration,
    /// How long the last good card may be used once its agent cannot be reached.
    pub max_stale: Duration,
    /// Limit of one walk over all places.
    pub timeout: Duration,
    /// Largest accepted card, in bytes after decompression.
    pub max_bytes: usize,
    /// What it must show to be used.
    pub trust: CardTrust,
    /// Which card callers get.
    pub serve: ServeCard,
}

/// The credential the gateway shows to an agent.
#[derive(Debug, Clone)]
pub enum AgentAuth {
    /// None.
    None,
    /// `Authorization: Bearer …`.
    Bearer(SecretString),
    /// A header of the agent's own, for example an API key.
    Header {
        /// Header name.
        name: String,
        /// Header value.
        value: SecretString,
    },
}

/// Time, size and concurrency limits of the leg towards one agent.
#[derive(Debug, Clone)]
pub struct Limits {
    /// To open a connection.
    pub connect: Duration,
    /// From request to the whole answer of a unary call, or to the response headers of a stream.
    pub timeout: Duration,
    /// Longest silence on an open stream.
    pub stream_idle: Duration,
    /// Requests at the same time, streams included.
    pub max_in_flight: usize,
    /// Largest unary answer, in bytes.
    pub max_response_bytes: usize,
    /// Largest single stream event, in bytes.
    pub max_event_bytes: usize,
}

/// What one request costs.
#[derive(Debug, Clone)]
pub struct Cost {
    /// Amount per request, expected until enough costs are known.
    pub per_request: f64,
    /// Where a result tells what it used, as a JSON pointer into its task, message or event (RFC 6901).
    pub usage_pointer: Option<String>,
    /// Amount per unit used.
    pub per_unit: f64,
    /// ISO 4217 code of the amount.
    pub currency: String,
}

/// Settings of one skill of an agent; what is absent falls back to the agent's.
#[derive(Debug, Clone, Default)]
pub struct SkillSpec {
    /// What running it does.
    pub effect: Option<Effect>,
    /// Amount per request, in the agent's currency.
    pub cost_per_request: Option<f64>,
    /// Expected share of accepted results, in [0,1].
    pub quality: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::AgentId;

    #[test]
    fn ids_keep_to_their_alphabet_and_length() {
        for good in ["a", "0", "becas-2", &"x".repeat(63)] {
            assert!(AgentId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "A", "a_b", "a.b", "ñ", "a/b", &"x".repeat(64)] {
            assert!(AgentId::parse(bad).is_err(), "{bad}");
        }
    }
}
