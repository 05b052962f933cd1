//! The parameters that travel in the query, with their types (A2A §11.5).
//!
//! Names are read in camelCase and snake_case and written in camelCase. Unknown names are ignored, since proxies and
//! clients add their own, `A2A-Version` among them. No operation has a parameter that is a list.

use std::borrow::Cow;

use super::body::Body;
use super::percent;
use crate::json::{Kind, encode, is_named};
use crate::{Error, ErrorKind, Operation, Version};

mod scalar;

pub(super) use scalar::{Scalar, Type};

/// Is a parameter: its camelCase name and its type.
pub(super) type Field = (&'static str, Type);

const TENANT: Field = ("tenant", Type::Text);
const HISTORY_LENGTH: Field = ("historyLength", Type::Integer);
const PAGE_SIZE: Field = ("pageSize", Type::Integer);
const PAGE_TOKEN: Field = ("pageToken", Type::Text);

/// Returns the parameters of an operation that the query may hold, without the tenant.
pub(super) fn fields(version: Version, operation: Operation) -> &'static [Field] {
    match operation {
        Operation::GetTask => &[HISTORY_LENGTH],
        Operation::ListTasks => &[
            ("contextId", Type::Text),
            ("status", Type::TaskState),
            PAGE_SIZE,
            PAGE_TOKEN,
            HISTORY_LENGTH,
            ("statusTimestampAfter", Type::Time),
            ("includeArtifacts", Type::Boolean),
        ],
        Operation::ListTaskPushNotificationConfigs => &[PAGE_SIZE, PAGE_TOKEN],
        // The protobuf annotation makes the configuration the body, which leaves its id to the query.
        Operation::CreateTaskPushNotificationConfig if version == Version::V03 => {
            &[("configId", Type::Text)]
        }
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::CancelTask
        | Operation::SubscribeToTask
        | Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::DeleteTaskPushNotificationConfig
        | Operation::GetExtendedAgentCard => &[],
    }
}

/// Holds what a query says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) tenant: Option<String>,
    /// Names and raw JSON values in the order of the operation's fields.
    pub(super) members: Vec<(&'static str, String)>,
}

impl Query {
    /// Reads a query; the error is -32602 and names the parameter.
    pub(super) fn read(
        version: Version,
        operation: Operation,
        query: Option<&str>,
    ) -> Result<Self, Error> {
        let pairs: Vec<(Cow<'_, str>, &str)> = pairs(query.unwrap_or_default()).collect();
        let mut read = Self::default();
        if version == Version::V1
            && let Some(Scalar::Text(tenant)) = find(TENANT, &pairs)?
        {
            read.tenant = Some(tenant);
        }
        for field in fields(version, operation) {
            if let Some(value) = find(*field, &pairs)? {
                read.members.push((field.0, value.into_json()));
            }
        }
        Ok(read)
    }
}

/// Splits a query; names that are not text name nothing.
fn pairs(query: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    query.split('&').filter_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((percent::decode_query(name)?, value))
    })
}

/// Finds the value of a parameter; an empty one counts as absent, and it may be repeated but not contradicted.
fn find((name, kind): Field, pairs: &[(Cow<'_, str>, &str)]) -> Result<Option<Scalar>, Error> {
    let mut found = None;
    for (_, raw) in pairs.iter().filter(|(given, _)| is_named(given, name)) {
        let text = percent::decode_query(raw).ok_or_else(|| invalid(name, "must be UTF-8 text"))?;
        if text.is_empty() {
            continue;
        }
        let value = kind
            .read(&text)
            .ok_or_else(|| invalid(name, kind.expected()))?;
        if value.is_default() {
            continue;
        }
        if found.as_ref().is_some_and(|other| *other != value) {
            return Err(invalid(
                name,
                "occurs more than once, with different values",
            ));
        }
        found = Some(value);
    }
    Ok(found)
}

/// Writes members of the parameters into a query; the error is -32602 and names the member.
pub(super) fn write(
    fields: &[Field],
    params: Body<'_>,
) -> Result<Vec<(&'static str, String)>, Error> {
    let mut query = Vec::new();
    for (name, kind) in fields {
        let Some(value) = params.value(name)? else {
            continue;
        };
        let text = match value.kind() {
            Some(Kind::Bool | Kind::Number) => Some(Cow::Borrowed(value.text)),
            _ => value.string(),
        };
        let wrong = || invalid(name, kind.expected());
        let text = text.ok_or_else(wrong)?;
        if text.is_empty() {
            continue;
        }
        let value = kind.read(&text).ok_or_else(wrong)?;
        if !value.is_default() {
            query.push((*name, value.into_text()));
        }
    }
    Ok(query)
}

/// Makes the -32602 of a parameter.
pub(super) fn invalid(name: &str, problem: &str) -> Error {
    Error::new(ErrorKind::InvalidParams, format!("`{name}` {problem}"))
        .field_violation(name, problem)
}

/// Writes the members of an object.
pub(super) fn join<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let members = members
        .into_iter()
        .map(|(name, json)| format!("{}:{json}", encode(name)));
    members.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests;
