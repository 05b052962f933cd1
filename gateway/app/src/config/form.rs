//! What the file may say. Parsing and the published JSON Schema both come from these types.

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{
    ByteSize, HttpUrl, ListenAddress, LogFilter, Period, PeriodOrZero, ProxyNetwork,
};
use super::{LogConfig, ServerLimits};

pub(super) mod agent;
pub(super) mod exploration;
mod push;
pub(super) mod routing;
pub(super) mod rules;
mod store;
mod trust;

pub(super) use self::{
    agent::AgentForm,
    push::PushForm,
    routing::RoutingForm,
    store::{StoreForm, StoreSettings},
    trust::TrustForm,
};

/// Configuration of a2a-gateway.
///
/// Any value may contain `${VAR}` or `${VAR:-default}`, which are replaced from the environment; `$${` stands for a
/// literal `${`. Durations are written such as `500ms`, `5s`, `5m`, `24h`, `90d` or `1h 30m`. Relative paths start
/// at the folder of the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "the file")]
#[schemars(title = "a2a-gateway configuration")]
pub(super) struct FileForm {
    /// Version of the file format; only 1 exists.
    #[serde(default = "first_version")]
    #[schemars(range(min = 1, max = 1))]
    pub(super) version: u32,
    /// The address under which clients reach the gateway, with the path prefix of a proxy in front if there is one.
    /// It is written into served cards. Without it, cards carry what a trusted proxy says in `X-Forwarded-Proto`,
    /// `X-Forwarded-Host`, `X-Forwarded-Port` and `X-Forwarded-Prefix`, else the authority each request was sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) public_url: Option<HttpUrl>,
    /// Proxies in front whose `X-Forwarded-…` headers are believed, as addresses or networks in CIDR notation. From
    /// anybody else they are ignored.
    #[serde(default)]
    pub(super) trusted_proxies: Vec<ProxyNetwork>,
    /// Where clients are served. Any address that is not loopback needs `identity: { open: true }`.
    #[serde(default = "client_address")]
    pub(super) listen: ListenAddress,
    /// The listener for operators.
    #[serde(default)]
    pub(super) admin: AdminForm,
    /// Who may call.
    #[serde(default)]
    pub(super) identity: IdentityForm,
    /// Where decisions and tasks are kept: the URL alone, or a mapping.
    #[serde(default)]
    pub(super) store: StoreForm,
    /// The keys of the gateway itself.
    #[serde(default)]
    pub(super) keys: KeysForm,
    /// Whose signatures on agents' cards count.
    #[serde(default)]
    pub(super) trust: TrustForm,
    /// Limits of the leg towards clients.
    #[serde(default)]
    pub(super) limits: ServerLimitsForm,
    /// How requests are read.
    #[serde(default)]
    pub(super) protocol: ProtocolForm,
    /// How push notifications are relayed.
    #[serde(default)]
    pub(super) push: PushForm,
    /// What is logged.
    #[serde(default)]
    pub(super) log: LogForm,
    /// The agents behind the gateway; at least one, each with an id of its own.
    #[schemars(length(min = 1))]
    pub(super) agents: Vec<AgentForm>,
    /// How an agent is chosen.
    #[serde(default)]
    pub(super) routing: RoutingForm,
}

fn first_version() -> u32 {
    1
}

fn client_address() -> ListenAddress {
    ListenAddress(([127, 0, 0, 1], 8080).into())
}

/// The listener for operators: health, metrics, agents, decisions.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`admin`")]
pub(super) struct AdminForm {
    /// Where operators are served. Any address that is not loopback needs `open: true`.
    pub(super) listen: ListenAddress,
    /// Says that everybody who reaches this listener may use it.
    pub(super) open: bool,
}

impl Default for AdminForm {
    fn default() -> Self {
        Self {
            listen: ListenAddress(([127, 0, 0, 1], 9901).into()),
            open: false,
        }
    }
}

/// Who may call.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`identity`")]
pub(super) struct IdentityForm {
    /// Says that everybody who reaches the gateway may call every agent.
    pub(super) open: bool,
}

/// The keys of the gateway itself.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`keys`")]
pub(super) struct KeysForm {
    /// The file of the key that seals task ids, created with mode 0600 at the first start. Replicas, and a gateway that is started again,
    /// need the same file to recognize the tasks they handed out. Default: `a2a-gateway.key` beside the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<PathBuf>,
    /// The private key that served cards are signed with, as PKCS #8 in PEM: EC on P-256 or P-384, Ed25519 or RSA. The
    /// public key is served at `/.well-known/jwks.json`. Default: served cards have no signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) card_file: Option<PathBuf>,
    /// The name (`kid`) of that key. Default: its thumbprint (RFC 7638).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) card_key_id: Option<String>,
}

/// Limits of the leg towards clients.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`limits`")]
pub(super) struct ServerLimitsForm {
    /// Largest request body.
    pub(super) max_body: ByteSize,
    /// How long the head of a request may take, from its first byte, or from connecting for the first one.
    pub(super) request_head: Period,
    /// How long the body of a request may take.
    pub(super) request_body: Period,
    /// How often a comment is written to a silent stream, so that nothing in between closes it.
    pub(super) stream_keep_alive: Period,
    /// How long a client may leave an event of its stream unread before the stream is closed, which frees its place
    /// at the agent. The task goes on and can be subscribed to again.
    pub(super) stream_unread: Period,
    /// How long open calls may go on after the gateway was told to stop.
    pub(super) drain: PeriodOrZero,
}

impl Default for ServerLimitsForm {
    fn default() -> Self {
        Self {
            max_body: ByteSize(4 * 1024 * 1024),
            request_head: Period(Duration::from_secs(10)),
            request_body: Period(Duration::from_secs(30)),
            stream_keep_alive: Period(Duration::from_secs(15)),
            stream_unread: Period(Duration::from_secs(60)),
            drain: PeriodOrZero(Duration::from_secs(10)),
        }
    }
}

impl From<ServerLimitsForm> for ServerLimits {
    fn from(form: ServerLimitsForm) -> Self {
        Self {
            max_body: form.max_body.0,
            request_head: form.request_head.0,
            request_body: form.request_body.0,
            stream_keep_alive: form.stream_keep_alive.0,
            stream_unread: form.stream_unread.0,
            drain: form.drain.0,
        }
    }
}

/// How requests are read.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`protocol`")]
pub(super) struct ProtocolForm {
    /// Whether a request without `A2A-Version` is one of 0.3, as the specification says, so that a request in the form
    /// of 1.0 is refused without it. Otherwise the method, path or service tells the version.
    pub(super) strict_versions: bool,
}

/// What is logged.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "`log`")]
pub(super) struct LogForm {
    /// The form of log lines.
    pub(super) format: LogFormat,
    /// What is logged: a level, or levels by module.
    pub(super) level: LogFilter,
}

impl Default for LogForm {
    fn default() -> Self {
        Self {
            format: LogFormat::Pretty,
            level: LogFilter("info".to_owned()),
        }
    }
}

impl From<LogForm> for LogConfig {
    fn from(form: LogForm) -> Self {
        Self {
            format: form.format,
            level: form.level.0,
        }
    }
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
}
