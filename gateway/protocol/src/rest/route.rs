//! From a request line to an operation and its parameters.

use serde_json::value::RawValue;

use super::body::{Body, quoted};
use super::query::{self, Query};
use crate::{Error, ErrorKind, Operation, Version};

mod path;
mod refusal;

use path::{Found, Names};
pub use refusal::RouteError;

/// Is what a request line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The version of the path.
    pub version: Version,
    /// The operation.
    pub operation: Operation,
    /// The tenant of path and query, which 0.3 does not have; a body may name it as well.
    pub tenant: Option<String>,
    /// The id of the task in the path.
    pub task_id: Option<String>,
    /// The id of the push configuration in the path.
    pub config_id: Option<String>,
    has_body: bool,
    members: Vec<(&'static str, String)>,
}

impl Route {
    /// Reads a request line; `path` starts behind the base of the interface, `/message:send`.
    ///
    /// `prefer` is the version that the client names (A2A §3.6.2). Without one the path decides, `/v1/` being 0.3 and
    /// all others 1.0; to hold clients to the specification, which takes a missing name for 0.3, pass that.
    pub fn parse(
        method: &str,
        path: &str,
        query: Option<&str>,
        prefer: Option<Version>,
    ) -> Result<Self, RouteError> {
        let Found {
            version,
            tenant,
            names,
        } = path::find(path, prefer)?;
        let operation = path::operation(version, &names, method)?;
        let query = Query::read(version, operation, query)?;
        let (task_id, config_id) = match names {
            Names::Send | Names::Stream | Names::Tasks | Names::Card => (None, None),
            Names::Task(task) | Names::Cancel(task) | Names::Subscribe(task) => (Some(task), None),
            Names::Configs(task) => (Some(task), None),
            Names::Config(_, config) if version == Version::V03 && names_other_task(&config) => {
                let problem = "must not hold `pushNotificationConfigs/` in A2A 0.3";
                return Err(query::invalid("id", problem).into());
            }
            Names::Config(task, config) => (Some(task), Some(config)),
        };
        Ok(Self {
            version,
            operation,
            tenant: agree(tenant, query.tenant)?,
            task_id,
            config_id,
            has_body: method == "POST",
            members: query.members,
        })
    }

    /// Brings path, query and body together into the parameters of the operation.
    ///
    /// Ids of the path take the place of those in the body, and all other bytes of the body stay. Only a message and a
    /// push configuration need a body. The error is -32700 or -32600 for a body that is no object, and -32602 for a
    /// second tenant.
    pub fn params(&self, body: &[u8]) -> Result<Box<RawValue>, Error> {
        let needs_body = self.operation.sends_message()
            || self.operation == Operation::CreateTaskPushNotificationConfig;
        let body = if self.has_body { body } else { &[] };
        let body = Body::read(body, !needs_body)?;
        let params = match self.version {
            Version::V1 => {
                let given = body.string("tenant")?;
                let is_given = given.is_some();
                let tenant = agree(self.tenant.clone(), given)?.filter(|_| !is_given);
                let tenant = tenant.map(|tenant| ("tenant", quoted(tenant)));
                body.with(&Vec::from_iter(tenant.into_iter().chain(self.located())))
            }
            Version::V03 => self.wrapped(body),
        };
        RawValue::from_string(params).map_err(|error| {
            let problem = format!("the parameters cannot be put together: {error}");
            Error::new(ErrorKind::Internal, problem)
        })
    }

    /// Brings the three forms in which 0.3 clients register a webhook into one: the request, its `config`, or what that
    /// nests.
    fn wrapped(&self, body: Body<'_>) -> String {
        let registers = self.operation == Operation::CreateTaskPushNotificationConfig;
        let members: Vec<_> = self.located().collect();
        if !registers || body.has("config") {
            return body.with(&members);
        }
        let config = if body.has("pushNotificationConfig") {
            body.text().to_owned()
        } else {
            format!("{{\"pushNotificationConfig\":{}}}", body.text())
        };
        let members = members.iter().map(|(name, json)| (*name, json.as_str()));
        format!(
            "{{{}}}",
            query::join(members.chain([("config", config.as_str())]))
        )
    }

    /// Returns what path and query say, as members of the version's request message.
    fn located(&self) -> impl Iterator<Item = (&'static str, String)> {
        let ids = match (self.version, &self.task_id, &self.config_id) {
            (_, None, _) => [None, None],
            (Version::V1, Some(task), None) if names_task_alone(self.operation) => {
                [Some(("id", quoted(task))), None]
            }
            (Version::V1, Some(task), config) => {
                let config = config.as_ref().map(|config| ("id", quoted(config)));
                [Some(("taskId", quoted(task))), config]
            }
            (Version::V03, Some(task), None) if names_task_alone(self.operation) => {
                [Some(("name", quoted(format!("tasks/{task}")))), None]
            }
            (Version::V03, Some(task), None) => {
                [Some(("parent", quoted(format!("tasks/{task}")))), None]
            }
            (Version::V03, Some(task), Some(config)) => {
                let name = format!("tasks/{task}/pushNotificationConfigs/{config}");
                [Some(("name", quoted(name))), None]
            }
        };
        ids.into_iter()
            .flatten()
            .chain(self.members.iter().cloned())
    }
}

/// Tells whether a task id is all that the parameters of an operation must hold.
fn names_task_alone(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask
    )
}

/// Tells whether the resource name of a configuration with this id would be read as that of another task's.
fn names_other_task(config_id: &str) -> bool {
    format!("/{config_id}").contains("/pushNotificationConfigs/")
}

/// Returns the tenant that two places name.
fn agree(one: Option<String>, other: Option<String>) -> Result<Option<String>, Error> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(query::invalid(
            "tenant",
            "differs between path, query and body",
        )),
        (one, other) => Ok(one.or(other)),
    }
}
