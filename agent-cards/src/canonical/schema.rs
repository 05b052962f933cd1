//! The members of a card by protocol version, and which of them are written when they are empty.

use serde_json::Value;

use crate::members::{self, Object};

/// A message of the protocol's schema.
#[derive(Debug)]
pub(super) struct Message(&'static [Member]);

#[derive(Debug)]
struct Member {
    name: &'static str,
    presence: Presence,
    kind: Kind,
}

/// When a member that is there is written.
#[derive(Clone, Copy, Debug)]
enum Presence {
    /// Always.
    Required,
    /// Always: whether it is there says something.
    Explicit,
    /// Unless it is empty or false.
    Implicit,
    /// Unless it is this.
    Default(&'static str),
}

/// What a member holds.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Flag,
    /// A list of text, or an object of anything.
    List,
    Map,
    /// An object this schema does not know further.
    Any,
    Message(&'static Message),
    Messages(&'static Message),
    /// An object with any names, each for a message.
    MessageMap(&'static Message),
}

/// What becomes of a required member that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// It stays away.
    Absent,
    /// Its default is written.
    Default,
}

use self::Kind::{Any, Flag, List, Map, MessageMap, Messages, Text};
use self::Presence::{Default, Explicit, Implicit, Required};

const fn member(name: &'static str, presence: Presence, kind: Kind) -> Member {
    Member {
        name,
        presence,
        kind,
    }
}

/// The `AgentCard` of 1.0 without its signatures; which members are what is in A2A's `a2a.proto`.
pub(super) static V1_0: Message = Message(&[
    member("name", Required, Text),
    member("description", Required, Text),
    member("supportedInterfaces", Required, Messages(&INTERFACE)),
    member("provider", Explicit, Kind::Message(&PROVIDER)),
    member("version", Required, Text),
    member("documentationUrl", Explicit, Text),
    member("capabilities", Required, Kind::Message(&CAPABILITIES)),
    member("securitySchemes", Implicit, MessageMap(&SCHEME)),
    member("securityRequirements", Implicit, Messages(&REQUIREMENT)),
    member("defaultInputModes", Required, List),
    member("defaultOutputModes", Required, List),
    member("skills", Required, Messages(&SKILL)),
    member("iconUrl", Explicit, Text),
]);

static INTERFACE: Message = Message(&[
    member("url", Required, Text),
    member("protocolBinding", Required, Text),
    member("tenant", Implicit, Text),
    member("protocolVersion", Required, Text),
]);

static PROVIDER: Message = Message(&[
    member("url", Required, Text),
    member("organization", Required, Text),
]);

static CAPABILITIES: Message = Message(&[
    member("streaming", Explicit, Flag),
    member("pushNotifications", Explicit, Flag),
    member("extensions", Implicit, Messages(&EXTENSION)),
    member("extendedAgentCard", Explicit, Flag),
]);

static EXTENSION: Message = Message(&[
    member("uri", Implicit, Text),
    member("description", Implicit, Text),
    member("required", Implicit, Flag),
    member("params", Explicit, Any),
]);

static SKILL: Message = Message(&[
    member("id", Required, Text),
    member("name", Required, Text),
    member("description", Required, Text),
    member("tags", Required, List),
    member("examples", Implicit, List),
    member("inputModes", Implicit, List),
    member("outputModes", Implicit, List),
    member("securityRequirements", Implicit, Messages(&REQUIREMENT)),
]);

static REQUIREMENT: Message = Message(&[member("schemes", Implicit, MessageMap(&SCOPES))]);

static SCOPES: Message = Message(&[member("list", Implicit, List)]);

static SCHEME: Message = Message(&[
    member("apiKeySecurityScheme", Explicit, Kind::Message(&API_KEY)),
    member("httpAuthSecurityScheme", Explicit, Kind::Message(&HTTP)),
    member("oauth2SecurityScheme", Explicit, Kind::Message(&OAUTH2)),
    member(
        "openIdConnectSecurityScheme",
        Explicit,
        Kind::Message(&OPEN_ID_CONNECT),
    ),
    member("mtlsSecurityScheme", Explicit, Kind::Message(&MUTUAL_TLS)),
]);

static API_KEY: Message = Message(&[
    member("description", Implicit, Text),
    member("location", Required, Text),
    member("name", Required, Text),
]);

static HTTP: Message = Message(&[
    member("description", Implicit, Text),
    member("scheme", Required, Text),
    member("bearerFormat", Implicit, Text),
]);

static OAUTH2: Message = Message(&[
    member("description", Implicit, Text),
    member("flows", Required, Kind::Message(&FLOWS)),
    member("oauth2MetadataUrl", Implicit, Text),
]);

static OPEN_ID_CONNECT: Message = Message(&[
    member("description", Implicit, Text),
    member("openIdConnectUrl", Required, Text),
]);

static MUTUAL_TLS: Message = Message(&[member("description", Implicit, Text)]);

static FLOWS: Message = Message(&[
    member(
        "authorizationCode",
        Explicit,
        Kind::Message(&AUTHORIZATION_CODE),
    ),
    member(
        "clientCredentials",
        Explicit,
        Kind::Message(&CLIENT_CREDENTIALS),
    ),
    member("implicit", Explicit, Kind::Message(&OLD_FLOW)),
    member("password", Explicit, Kind::Message(&OLD_FLOW)),
    member("deviceCode", Explicit, Kind::Message(&DEVICE_CODE)),
]);

static AUTHORIZATION_CODE: Message = Message(&[
    member("authorizationUrl", Required, Text),
    member("tokenUrl", Required, Text),
    member("refreshUrl", Implicit, Text),
    member("scopes", Required, Map),
    member("pkceRequired", Implicit, Flag),
]);

static CLIENT_CREDENTIALS: Message = Message(&[
    member("tokenUrl", Required, Text),
    member("refreshUrl", Implicit, Text),
    member("scopes", Required, Map),
]);

static DEVICE_CODE: Message = Message(&[
    member("deviceAuthorizationUrl", Required, Text),
    member("tokenUrl", Required, Text),
    member("refreshUrl", Implicit, Text),
    member("scopes", Required, Map),
]);

/// The deprecated flows `implicit` and `password`.
static OLD_FLOW: Message = Message(&[
    member("authorizationUrl", Implicit, Text),
    member("tokenUrl", Implicit, Text),
    member("refreshUrl", Implicit, Text),
    member("scopes", Implicit, Map),
]);

/// The `AgentCard` of 0.3 without its signatures, with the defaults of its JSON Schema.
pub(super) static V0_3: Message = Message(&[
    member("additionalInterfaces", Explicit, Messages(&INTERFACE_0_3)),
    member("capabilities", Required, Kind::Message(&CAPABILITIES_0_3)),
    member("defaultInputModes", Required, List),
    member("defaultOutputModes", Required, List),
    member("description", Required, Text),
    member("documentationUrl", Explicit, Text),
    member("iconUrl", Explicit, Text),
    member("name", Required, Text),
    member("preferredTransport", Default("JSONRPC"), Text),
    member("protocolVersion", Default("0.3.0"), Text),
    member("provider", Explicit, Kind::Message(&PROVIDER)),
    member("security", Explicit, Any),
    member("securitySchemes", Explicit, MessageMap(&SCHEME_0_3)),
    member("skills", Required, Messages(&SKILL_0_3)),
    member("supportsAuthenticatedExtendedCard", Explicit, Flag),
    member("url", Required, Text),
    member("version", Required, Text),
]);

static INTERFACE_0_3: Message = Message(&[
    member("transport", Required, Text),
    member("url", Required, Text),
]);

static CAPABILITIES_0_3: Message = Message(&[
    member("extensions", Explicit, Messages(&EXTENSION_0_3)),
    member("pushNotifications", Explicit, Flag),
    member("stateTransitionHistory", Explicit, Flag),
    member("streaming", Explicit, Flag),
]);

static EXTENSION_0_3: Message = Message(&[
    member("description", Explicit, Text),
    member("params", Explicit, Any),
    member("required", Explicit, Flag),
    member("uri", Required, Text),
]);

static SKILL_0_3: Message = Message(&[
    member("description", Required, Text),
    member("examples", Explicit, List),
    member("id", Required, Text),
    member("inputModes", Explicit, List),
    member("name", Required, Text),
    member("outputModes", Explicit, List),
    member("security", Explicit, Any),
    member("tags", Required, List),
]);

/// All kinds of scheme in one. Their `type` is a default in the Python SDK and never written.
static SCHEME_0_3: Message = Message(&[
    member("description", Explicit, Text),
    member("in", Explicit, Text),
    member("name", Explicit, Text),
    member("scheme", Explicit, Text),
    member("bearerFormat", Explicit, Text),
    member("flows", Explicit, Kind::Message(&FLOWS_0_3)),
    member("oauth2MetadataUrl", Explicit, Text),
    member("openIdConnectUrl", Explicit, Text),
]);

static FLOWS_0_3: Message = Message(&[
    member("authorizationCode", Explicit, Kind::Message(&FLOW_0_3)),
    member("clientCredentials", Explicit, Kind::Message(&FLOW_0_3)),
    member("implicit", Explicit, Kind::Message(&FLOW_0_3)),
    member("password", Explicit, Kind::Message(&FLOW_0_3)),
]);

static FLOW_0_3: Message = Message(&[
    member("authorizationUrl", Explicit, Text),
    member("refreshUrl", Explicit, Text),
    member("scopes", Explicit, Map),
    member("tokenUrl", Explicit, Text),
]);

/// Returns what the schema knows of an object, names in `camelCase`.
///
/// Values of a wrong type are taken as they are: no signer could have written another.
pub(super) fn project(object: &Object, message: &Message, missing: Missing) -> Object {
    let mut known = Object::new();
    for member in message.0 {
        let value = match members::member(object, member.name) {
            Some(value) => member.kind.project(value, missing),
            None if missing == Missing::Default && matches!(member.presence, Required) => {
                member.kind.default()
            }
            None => continue,
        };
        if member.is_written(&value) {
            known.insert(member.name.to_owned(), value);
        }
    }
    known
}

impl Member {
    fn is_written(&self, value: &Value) -> bool {
        match self.presence {
            Required | Explicit => true,
            Default(default) => value != default,
            Implicit => match value {
                Value::Null => false,
                Value::Bool(flag) => *flag,
                Value::String(text) => !text.is_empty(),
                Value::Array(entries) => !entries.is_empty(),
                Value::Object(members) => !members.is_empty(),
                Value::Number(_) => true,
            },
        }
    }
}

impl Kind {
    fn project(self, value: &Value, missing: Missing) -> Value {
        let one = |value: &Value, message| match value {
            Value::Object(object) => Value::Object(project(object, message, missing)),
            other => other.clone(),
        };
        match (self, value) {
            (Self::Message(message), value) => one(value, message),
            (Messages(message), Value::Array(entries)) => {
                entries.iter().map(|entry| one(entry, message)).collect()
            }
            (MessageMap(message), Value::Object(entries)) => {
                let entries = entries
                    .iter()
                    .map(|(name, entry)| (name.clone(), one(entry, message)));
                Value::Object(entries.collect())
            }
            (_, value) => value.clone(),
        }
    }

    fn default(self) -> Value {
        match self {
            Text => Value::String(String::new()),
            Flag => Value::Bool(false),
            List | Messages(_) => Value::Array(Vec::new()),
            Map | Any | Self::Message(_) | MessageMap(_) => Value::Object(Object::new()),
        }
    }
}
