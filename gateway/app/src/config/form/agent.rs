//! One entry of `agents`.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use gateway_core::{AgentId, Effect, OnDrift, ServeCard};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::values::{
    AgentName, Amount, ByteSize, Count, Currency, HeaderName, HttpUrl, JsonPointer, Period,
    PeriodOrZero, PositiveAmount, Secret, Share,
};

/// An agent behind the gateway.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an agent")]
pub(in crate::config) struct AgentForm {
    /// Its name here: 1 to 63 of a-z, 0-9 and -, starting with a letter or digit.
    pub(in crate::config) id: AgentName,
    /// Its base address. Every call goes to this origin, whatever hosts the card of the agent names.
    pub(in crate::config) url: HttpUrl,
    /// How its card is fetched and kept.
    #[serde(default)]
    pub(in crate::config) card: CardForm,
    /// The credential the gateway shows to it. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::config) auth: Option<AuthForm>,
    /// Limits of the leg towards it.
    #[serde(default)]
    pub(in crate::config) limits: AgentLimitsForm,
    /// Expected share of accepted results.
    #[serde(default = "quality")]
    pub(in crate::config) quality: Share,
    /// Expected time to an answer, used until times have been measured. Default: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::config) latency: Option<Period>,
    /// What one request costs.
    #[serde(default)]
    pub(in crate::config) cost: CostForm,
    /// What running its skills does to the world, unless a skill says otherwise.
    #[serde(default = "effect")]
    pub(in crate::config) effect: Effect,
    /// Breaks ties between equal scores; higher wins.
    #[serde(default)]
    pub(in crate::config) preference: i32,
    /// Settings of single skills, by the skill ids of the agent's card.
    #[serde(default)]
    pub(in crate::config) skills: BTreeMap<String, SkillForm>,
}

impl AgentForm {
    /// Returns an agent of which only the address is known.
    pub(in crate::config) fn at(url: HttpUrl) -> Self {
        let id = AgentId::parse("agent").expect("`agent` keeps to the alphabet of ids");
        Self {
            id: AgentName(id),
            url,
            card: CardForm::default(),
            auth: None,
            limits: AgentLimitsForm::default(),
            quality: quality(),
            latency: None,
            cost: CostForm::default(),
            effect: effect(),
            preference: 0,
            skills: BTreeMap::new(),
        }
    }
}

fn quality() -> Share {
    Share(0.8)
}

fn effect() -> Effect {
    Effect::ReversibleWrite
}

/// How the card of an agent is fetched and kept.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`card`")]
pub(in crate::config) struct CardForm {
    /// The exact address of the card. Default: the well-known places below the agent's address are tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) url: Option<HttpUrl>,
    /// The credential shown there. Default: the agent's `auth`, if the card is at the agent's own origin.
    #[serde(skip_serializing)]
    pub(in crate::config) auth: Option<AuthForm>,
    /// How long a card counts as fresh when its response does not say.
    pub(in crate::config) ttl: Period,
    /// How long the last good card is used once the agent cannot be reached.
    pub(in crate::config) max_stale: PeriodOrZero,
    /// Limit of one fetch, over all places that are tried.
    pub(in crate::config) timeout: Period,
    /// Largest accepted card, after decompression.
    pub(in crate::config) max_size: ByteSize,
    /// Whether a card without a valid signature is refused. What the signature does not cover is not used.
    pub(in crate::config) require_signature: bool,
    /// Files with the public keys that alone verify this agent's card, as JSON Web Key Sets (RFC 7517). Default: those
    /// of `trust`.
    pub(in crate::config) trusted_keys: Vec<PathBuf>,
    /// The origin that every address in the card must have. Default: any, since calls go to the agent's `url` anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) origin: Option<HttpUrl>,
    /// What happens when the card changes in a skill, its security, the origin of an address, its signature, or its
    /// name or provider.
    pub(in crate::config) on_drift: OnDrift,
    /// Which card callers get for this agent.
    pub(in crate::config) serve: ServeCard,
}

impl Default for CardForm {
    fn default() -> Self {
        Self {
            url: None,
            auth: None,
            ttl: Period(Duration::from_secs(5 * 60)),
            max_stale: PeriodOrZero(Duration::from_secs(24 * 60 * 60)),
            timeout: Period(Duration::from_secs(10)),
            max_size: ByteSize(1024 * 1024),
            require_signature: false,
            trusted_keys: Vec::new(),
            origin: None,
            on_drift: OnDrift::Warn,
            serve: ServeCard::Rewritten,
        }
    }
}

/// The credential the gateway shows to an agent.
///
/// Either `bearer` or `bearer_file`, sent as `Authorization: Bearer …`; or `header` with `value` or `value_file`.
/// Secrets are trimmed and must be one line of printable ASCII.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "`auth`")]
pub(in crate::config) struct AuthForm {
    /// A bearer token, best taken from the environment: `"${TOKEN}"`.
    pub(in crate::config) bearer: Option<Secret>,
    /// A file that holds a bearer token.
    pub(in crate::config) bearer_file: Option<PathBuf>,
    /// The name of a header that carries the credential.
    pub(in crate::config) header: Option<HeaderName>,
    /// The value of that header, best taken from the environment: `"${KEY}"`.
    pub(in crate::config) value: Option<Secret>,
    /// A file that holds the value of that header.
    pub(in crate::config) value_file: Option<PathBuf>,
}

/// Limits of the leg towards an agent.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`limits` of an agent")]
pub(in crate::config) struct AgentLimitsForm {
    /// To open a connection.
    pub(in crate::config) connect: Period,
    /// From the request to the whole answer of a call, or to the response headers of a stream.
    pub(in crate::config) timeout: Period,
    /// Longest silence on an open stream.
    pub(in crate::config) stream_idle: Period,
    /// Requests at the same time, streams included.
    pub(in crate::config) max_in_flight: Count,
    /// Largest answer of a call.
    pub(in crate::config) max_response: ByteSize,
    /// Largest single event of a stream.
    pub(in crate::config) max_event: ByteSize,
}

impl Default for AgentLimitsForm {
    fn default() -> Self {
        Self {
            connect: Period(Duration::from_secs(5)),
            timeout: Period(Duration::from_secs(60)),
            stream_idle: Period(Duration::from_secs(5 * 60)),
            max_in_flight: Count(64),
            max_response: ByteSize(16 * 1024 * 1024),
            max_event: ByteSize(4 * 1024 * 1024),
        }
    }
}

/// What one request costs.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`cost`")]
pub(in crate::config) struct CostForm {
    /// Amount per request, expected until enough costs are known.
    pub(in crate::config) per_request: Amount,
    /// Where the agent's tasks, messages or events tell what they used, as a JSON pointer (RFC 6901), for example
    /// `/metadata/usage/tokens`. Default: they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::config) usage_pointer: Option<JsonPointer>,
    /// Amount per unit used; 1 where the agent tells the amount itself.
    pub(in crate::config) per_unit: PositiveAmount,
    /// ISO 4217 code of the amount. Costs of agents are compared without conversion.
    pub(in crate::config) currency: Currency,
}

impl Default for CostForm {
    fn default() -> Self {
        Self {
            per_request: Amount(0.0),
            usage_pointer: None,
            per_unit: PositiveAmount(1.0),
            currency: Currency("EUR".to_owned()),
        }
    }
}

/// Settings of one skill. What is absent falls back to the agent's own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a skill")]
pub(in crate::config) struct SkillForm {
    /// What running it does to the world.
    pub(in crate::config) effect: Option<Effect>,
    /// Amount per request, in the agent's currency.
    pub(in crate::config) cost_per_request: Option<Amount>,
    /// Expected share of accepted results.
    pub(in crate::config) quality: Option<Share>,
}
