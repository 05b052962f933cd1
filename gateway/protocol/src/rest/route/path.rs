//! The paths of both versions.

use std::borrow::Cow;

use super::RouteError;
use crate::rest::percent;
use crate::rest::query::invalid;
use crate::{Operation, Version};

/// The names that no tenant may have, since its paths would be those of something else.
const RESERVED: [&str; 4] = ["v1", "tasks", "card", "extendedAgentCard"];

/// Is a path that some operation has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) version: Version,
    pub(super) tenant: Option<String>,
    pub(super) names: Names,
}

/// Says what a path names, with the ids in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Names {
    Send,
    Stream,
    Tasks,
    Task(String),
    Cancel(String),
    Subscribe(String),
    Configs(String),
    Config(String, String),
    Card,
}

/// Finds the version and the resource of a path.
pub(super) fn find(path: &str, prefer: Option<Version>) -> Result<Found, RouteError> {
    let relative = path.strip_prefix('/').unwrap_or(path);
    let relative = relative.strip_suffix('/').unwrap_or(relative);
    let segments: Vec<&str> = relative.split('/').collect();
    match (segments.as_slice(), prefer) {
        (["v1", rest @ ..], None | Some(Version::V03)) => {
            let names = resource(Version::V03, rest)?;
            names.map(|names| Found {
                version: Version::V03,
                tenant: None,
                names,
            })
        }
        (_, Some(Version::V03)) => None,
        (segments, None | Some(Version::V1)) => find_new(segments)?,
    }
    .ok_or_else(|| RouteError::not_found(path, prefer))
}

fn find_new(segments: &[&str]) -> Result<Option<Found>, RouteError> {
    let version = Version::V1;
    if let Some(names) = resource(version, segments)? {
        return Ok(Some(Found {
            version,
            tenant: None,
            names,
        }));
    }
    let Some((tenant, rest)) = segments.split_first() else {
        return Ok(None);
    };
    let tenant = decode("tenant", tenant)?;
    let is_reserved = RESERVED.contains(&&*tenant) || tenant.starts_with("message:");
    if tenant.is_empty() || is_reserved {
        return Ok(None);
    }
    let names = resource(version, rest)?;
    Ok(names.map(|names| Found {
        version,
        tenant: Some(tenant),
        names,
    }))
}

fn resource(version: Version, segments: &[&str]) -> Result<Option<Names>, RouteError> {
    let id = |segment: &str| decode("id", segment);
    Ok(match segments {
        ["tasks"] => Some(Names::Tasks),
        ["tasks", ""] | ["tasks", "", ..] => None,
        ["tasks", task] => Some(match task.rsplit_once(':') {
            Some((task, "cancel")) if !task.is_empty() => Names::Cancel(id(task)?),
            Some((task, "subscribe")) if !task.is_empty() => Names::Subscribe(id(task)?),
            _ => Names::Task(id(task)?),
        }),
        ["tasks", task, "pushNotificationConfigs"] => Some(Names::Configs(id(task)?)),
        ["tasks", task, "pushNotificationConfigs", config] if !config.is_empty() => {
            Some(Names::Config(id(task)?, id(config)?))
        }
        [only] => match (
            &*percent::decode(only).unwrap_or(Cow::Borrowed(only)),
            version,
        ) {
            ("message:send", _) => Some(Names::Send),
            ("message:stream", _) => Some(Names::Stream),
            ("extendedAgentCard", Version::V1) | ("card", Version::V03) => Some(Names::Card),
            _ => None,
        },
        _ => None,
    })
}

fn decode(name: &'static str, segment: &str) -> Result<String, RouteError> {
    let decoded = percent::decode(segment);
    let invalid = || {
        invalid(
            name,
            "must be UTF-8 text when its percent-encoding is undone",
        )
    };
    decoded
        .map(Cow::into_owned)
        .ok_or_else(|| RouteError::Invalid(invalid()))
}

/// Finds the operation that a method asks of a resource.
pub(super) fn operation(
    version: Version,
    names: &Names,
    method: &str,
) -> Result<Operation, RouteError> {
    let methods: &'static [(&'static str, Operation)] = match names {
        Names::Send => &[("POST", Operation::SendMessage)],
        Names::Stream => &[("POST", Operation::SendStreamingMessage)],
        Names::Tasks => &[("GET", Operation::ListTasks)],
        Names::Task(_) => &[("GET", Operation::GetTask)],
        Names::Cancel(_) => &[("POST", Operation::CancelTask)],
        // The text of the specification says POST, its protobuf says GET.
        Names::Subscribe(_) => &[
            ("GET", Operation::SubscribeToTask),
            ("POST", Operation::SubscribeToTask),
        ],
        Names::Configs(_) => &[
            ("GET", Operation::ListTaskPushNotificationConfigs),
            ("POST", Operation::CreateTaskPushNotificationConfig),
        ],
        Names::Config(..) => &[
            ("DELETE", Operation::DeleteTaskPushNotificationConfig),
            ("GET", Operation::GetTaskPushNotificationConfig),
        ],
        Names::Card => &[("GET", Operation::GetExtendedAgentCard)],
    };
    let found = methods.iter().find(|(known, _)| *known == method);
    found.map(|(_, operation)| *operation).ok_or_else(|| {
        let allow = methods.iter().map(|(method, _)| *method).collect();
        RouteError::MethodNotAllowed { version, allow }
    })
}
