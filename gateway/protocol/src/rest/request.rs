//! From parameters to an HTTP request for an agent.

use serde_json::value::RawValue;

use super::body::{Body, quoted};
use super::query::{self, invalid};
use super::{REQUEST_CONTENT_TYPE, accept, percent};
use crate::json::is_named;
use crate::{Error, ErrorKind, Operation, Version};

mod ids;

use ids::{Place, members, place};

/// Is a request, relative to the url of an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: &'static str,
    /// The path with its leading slash and its tenant, percent-encoded; it is appended to the url.
    pub path: String,
    /// The query, not yet encoded.
    pub query: Vec<(&'static str, String)>,
    /// The body, JSON of [`REQUEST_CONTENT_TYPE`].
    pub body: Option<Vec<u8>>,
    /// The value of the `Accept` header.
    pub accept: &'static str,
    /// How many members of the parameters have no place in path and query, where there is no body.
    pub unplaced: usize,
    alternative: Option<Alternative>,
}

/// Is what else to try, and after which statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Alternative {
    after: &'static [u16],
    method: &'static str,
    body: Option<Vec<u8>>,
}

impl HttpRequest {
    /// Returns the path with its query.
    pub fn target(&self) -> String {
        let mut target = self.path.clone();
        for (index, (name, value)) in self.query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            target.push_str(name);
            target.push('=');
            target.push_str(&percent::encode(value));
        }
        target
    }

    /// Returns the content type, where there is a body.
    pub fn content_type(&self) -> Option<&'static str> {
        self.body.as_ref().map(|_| REQUEST_CONTENT_TYPE)
    }

    /// Returns the form of the request to try after an agent has answered `status`, if there is one.
    ///
    /// Agents differ in the method of subscribing (POST in text and most SDKs, GET in the protobuf and Python 0.3) and in
    /// the body that registers a webhook in 0.3 (the whole request, or its `config`, which the 0.3 side of JavaScript
    /// 1.x wants). Neither form has an effect where it is not understood, so the second is safe to send; which one an
    /// agent takes is worth remembering.
    pub fn alternative(&self, status: u16) -> Option<Self> {
        let alternative = self.alternative.as_ref()?;
        alternative.after.contains(&status).then(|| Self {
            method: alternative.method,
            body: alternative.body.clone(),
            alternative: None,
            ..self.clone()
        })
    }
}

/// Takes parameters apart into a request.
///
/// The body of an operation that has one is the parameters byte for byte. Otherwise the members that the operation
/// defines move into path and query, and others have no place to go. The error is -32602 with the name of the member,
/// or -32004 for listing tasks in 0.3.
pub fn request(
    operation: Operation,
    version: Version,
    params: &RawValue,
) -> Result<HttpRequest, Error> {
    if operation == Operation::ListTasks && version == Version::V03 {
        let problem = "tasks cannot be listed in A2A 0.3, use 1.0";
        return Err(Error::new(ErrorKind::UnsupportedOperation, problem));
    }
    let params = Body::read(params.get().as_bytes(), true)?;
    let Place { tenant, path } = place(operation, version, params)?;
    let whole = || params.text().as_bytes().to_vec();
    let body = match operation {
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::CancelTask
        | Operation::CreateTaskPushNotificationConfig => Some(whole()),
        _ => None,
    };
    // A body holds all members, so that only an operation without one has a query.
    let fields = match body {
        Some(_) => &[],
        None => query::fields(version, operation),
    };
    let prefix = match (version, tenant) {
        (Version::V03, _) => "/v1".to_owned(),
        (Version::V1, Some(tenant)) => format!("/{}", percent::encode(&tenant)),
        (Version::V1, None) => String::new(),
    };
    Ok(HttpRequest {
        method: method(operation),
        path: format!("{prefix}{path}"),
        query: query::write(fields, params)?,
        alternative: alternative(operation, version, params)?,
        unplaced: match body {
            Some(_) => 0,
            None => params.others(|name| {
                let mut ids = members(operation, version).iter();
                ids.any(|id| is_named(name, id))
                    || fields.iter().any(|(field, _)| is_named(name, field))
            }),
        },
        body,
        accept: accept(version, operation),
    })
}

const fn method(operation: Operation) -> &'static str {
    match operation {
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::CancelTask
        | Operation::SubscribeToTask
        | Operation::CreateTaskPushNotificationConfig => "POST",
        Operation::DeleteTaskPushNotificationConfig => "DELETE",
        Operation::GetTask
        | Operation::ListTasks
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::GetExtendedAgentCard => "GET",
    }
}

fn alternative(
    operation: Operation,
    version: Version,
    params: Body<'_>,
) -> Result<Option<Alternative>, Error> {
    Ok(match (operation, version) {
        (Operation::SubscribeToTask, Version::V1) => Some(Alternative {
            after: &[404, 405],
            method: "GET",
            body: None,
        }),
        // An old JavaScript agent takes GET for a lookup of a task with a strange id, and says 404 to POST when it
        // means it.
        (Operation::SubscribeToTask, Version::V03) => Some(Alternative {
            after: &[405],
            method: "GET",
            body: None,
        }),
        (Operation::CreateTaskPushNotificationConfig, Version::V03) => Some(Alternative {
            after: &[400, 422],
            method: "POST",
            body: Some(bare_config(params)?),
        }),
        _ => None,
    })
}

/// Writes the `config` of a registration with the name that tells its task.
fn bare_config(params: Body<'_>) -> Result<Vec<u8>, Error> {
    let missing = || invalid("config", "is missing");
    let config = params.object("config")?.ok_or_else(missing)?;
    if config.has("name") {
        return Ok(config.text().as_bytes().to_vec());
    }
    let parent = params.string("parent")?.unwrap_or_default();
    let id = params.string("configId")?.unwrap_or_default();
    let name = quoted(format!("{parent}/pushNotificationConfigs/{id}"));
    Ok(config.with(&[("name", name)]).into_bytes())
}
