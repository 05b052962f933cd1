//! The ids of parameters as path segments.

use crate::rest::body::Body;
use crate::rest::percent;
use crate::rest::query::invalid;
use crate::{Error, Operation, Version};

const CONFIGS: &str = "/pushNotificationConfigs";

/// Says where a request goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) tenant: Option<String>,
    /// The path without tenant and version.
    pub(super) path: String,
}

/// Lists the members that become part of the path, for operations without a body.
pub(super) fn members(operation: Operation, version: Version) -> &'static [&'static str] {
    match (operation, version) {
        (Operation::GetTask | Operation::SubscribeToTask, Version::V1) => &["tenant", "id"],
        (Operation::ListTaskPushNotificationConfigs, Version::V1) => &["tenant", "taskId"],
        (
            Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig,
            Version::V1,
        ) => &["tenant", "taskId", "id"],
        (_, Version::V1) => &["tenant"],
        (Operation::ListTaskPushNotificationConfigs, Version::V03) => &["parent"],
        (_, Version::V03) => &["name"],
    }
}

/// Finds the place of an operation.
pub(super) fn place(
    operation: Operation,
    version: Version,
    params: Body<'_>,
) -> Result<Place, Error> {
    let tenant = match version {
        Version::V1 => params.string("tenant")?,
        Version::V03 => None,
    };
    if let Some(tenant) = &tenant {
        check("tenant", tenant)?;
    }
    let path = match operation {
        Operation::SendMessage => "/message:send".to_owned(),
        Operation::SendStreamingMessage => "/message:stream".to_owned(),
        Operation::ListTasks => "/tasks".to_owned(),
        Operation::GetExtendedAgentCard => match version {
            Version::V1 => "/extendedAgentCard".to_owned(),
            Version::V03 => "/card".to_owned(),
        },
        Operation::GetTask => task(version, "id", "name", params)?,
        Operation::CancelTask => task(version, "id", "name", params)? + ":cancel",
        Operation::SubscribeToTask => task(version, "id", "name", params)? + ":subscribe",
        Operation::CreateTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs => {
            task(version, "taskId", "parent", params)? + CONFIGS
        }
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            config(version, params)?
        }
    };
    Ok(Place { tenant, path })
}

/// Writes the path of a task, whose id is a member of its own in 1.0 and a resource name in 0.3.
fn task(
    version: Version,
    id: &'static str,
    name: &'static str,
    params: Body<'_>,
) -> Result<String, Error> {
    match version {
        Version::V1 => Ok(format!("/tasks/{}", segment(id, &required(params, id)?)?)),
        Version::V03 => {
            let resource = required(params, name)?;
            let task = resource.strip_prefix("tasks/").filter(|id| !id.is_empty());
            let task = task.ok_or_else(|| invalid(name, "must be `tasks/` and an id"))?;
            Ok(format!("/tasks/{}", segment(name, task)?))
        }
    }
}

fn config(version: Version, params: Body<'_>) -> Result<String, Error> {
    let (task, config) = match version {
        Version::V1 => (required(params, "taskId")?, required(params, "id")?),
        Version::V03 => {
            let resource = required(params, "name")?;
            let ids = resource
                .strip_prefix("tasks/")
                .and_then(|ids| ids.rsplit_once("/pushNotificationConfigs/"))
                .filter(|(task, config)| !task.is_empty() && !config.is_empty());
            let problem = "must be `tasks/`, an id, `/pushNotificationConfigs/` and an id";
            let (task, config) = ids.ok_or_else(|| invalid("name", problem))?;
            (task.to_owned(), config.to_owned())
        }
    };
    let (task, config) = (segment("taskId", &task)?, segment("id", &config)?);
    Ok(format!("/tasks/{task}{CONFIGS}/{config}"))
}

fn segment(name: &'static str, id: &str) -> Result<String, Error> {
    check(name, id)?;
    Ok(percent::encode(id))
}

/// Refuses what every reader of URLs takes for a step up or for nothing, encoded or not.
fn check(name: &'static str, id: &str) -> Result<(), Error> {
    if matches!(id, "." | "..") {
        return Err(invalid(name, "cannot be a path segment, being `.` or `..`"));
    }
    Ok(())
}

fn required(params: Body<'_>, name: &'static str) -> Result<String, Error> {
    params
        .string(name)?
        .ok_or_else(|| invalid(name, "is missing"))
}
