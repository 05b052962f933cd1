//! HTTP+JSON: what a request line and a body mean can be written for an agent, and read back to the same.
//!
//! An input is a request: the first line is method and target, what follows is the body.

use gateway_protocol::rest::{HttpRequest, Route, RouteError, request};
use gateway_protocol::{ErrorKind, Operation, Version};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::input::tree;

const VERSIONS: [Version; 2] = [Version::V03, Version::V1];

/// Reads a request, and writes its body as the parameters of every operation.
///
/// # Panics
/// When a request that is accepted, or written, does not lead back to its operation and parameters.
pub fn rest(input: &[u8]) {
    let line = input
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let body = input.get(line.len() + 1..).unwrap_or_default();
    if let Ok(line) = str::from_utf8(line) {
        let (method, target) = line.split_once(' ').unwrap_or((line, ""));
        for prefer in [None, Some(Version::V03), Some(Version::V1)] {
            match read(method, target, prefer) {
                Ok(route) => check_route(&route, method, prefer, body),
                Err(error) => check_refusal(&error),
            }
        }
    }
    if let Ok(params) = serde_json::from_slice::<&RawValue>(body) {
        for operation in Operation::ALL {
            for version in VERSIONS {
                check_params(operation, version, params);
            }
        }
    }
}

fn read(method: &str, target: &str, prefer: Option<Version>) -> Result<Route, RouteError> {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    Route::parse(method, path, query, prefer)
}

fn check_route(route: &Route, method: &str, prefer: Option<Version>, body: &[u8]) {
    assert!(prefer.is_none_or(|prefer| prefer == route.version));
    let params = match route.params(body) {
        Ok(params) => params,
        Err(error) => {
            assert_ne!(error.kind, ErrorKind::Internal, "{error}");
            assert_eq!(method, "POST", "a request without a body is refused for it");
            return;
        }
    };
    check_ids(route, &params);
    match request(route.operation, route.version, &params) {
        Ok(request) => {
            let (read, read_params) = leads_back(route.operation, route.version, &request);
            assert_eq!(
                (&read.task_id, &read.config_id),
                (&route.task_id, &route.config_id),
                "a body changes the ids of the path"
            );
            if method != "POST" {
                assert_eq!(request.unplaced, 0);
                assert_eq!(read_params.get(), params.get());
            }
        }
        Err(error) if error.kind == ErrorKind::UnsupportedOperation => {
            assert_eq!(route.operation, Operation::ListTasks);
        }
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::InvalidParams);
            assert!(method == "POST" || has_steps(route), "{error}");
        }
    }
}

/// Checks that no member of the body names other ids than the path.
fn check_ids(route: &Route, params: &RawValue) {
    let (Some(task), Some(tree)) = (&route.task_id, tree(params.get().as_bytes())) else {
        return;
    };
    let (name, value) = match (route.version, route.operation, &route.config_id) {
        (Version::V03, _, Some(config)) => {
            let name = format!("tasks/{task}/pushNotificationConfigs/{config}");
            (["name"; 2], name)
        }
        (version, operation, _) => match (version, takes_task_alone(operation)) {
            (Version::V1, true) => (["id"; 2], task.clone()),
            (Version::V1, false) => (["taskId", "task_id"], task.clone()),
            (Version::V03, true) => (["name"; 2], format!("tasks/{task}")),
            (Version::V03, false) => (["parent"; 2], format!("tasks/{task}")),
        },
    };
    let given: Vec<_> = name.iter().filter_map(|name| tree.get(name)).collect();
    assert!(!given.is_empty(), "the parameters miss the task");
    assert!(given.iter().all(|given| **given == *value), "{params}");
}

fn takes_task_alone(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask
    )
}

/// Tells whether a path would have a segment that URLs cannot have.
fn has_steps(route: &Route) -> bool {
    let names = [&route.tenant, &route.task_id, &route.config_id];
    let mut names = names.into_iter().flatten();
    names.any(|name| matches!(name.as_str(), "." | ".."))
}

fn check_refusal(error: &RouteError) {
    assert!((400..500).contains(&error.status()));
    assert_eq!(error.status() == 405, error.allow().is_some());
    for version in VERSIONS {
        assert!(tree(&error.body(version)).is_some_and(|body| body.is_object()));
    }
}

/// Checks the request that any JSON makes.
fn check_params(operation: Operation, version: Version, params: &RawValue) {
    let Ok(request) = request(operation, version, params) else {
        return;
    };
    let Some(mut before) = tree(params.get().as_bytes()) else {
        return;
    };
    if version == Version::V1 && is_reserved(&before["tenant"]) {
        return;
    }
    let (_, read) = leads_back(operation, version, &request);
    if request.body.is_some() {
        if before.is_null() {
            before = Value::Object(Map::new());
        }
        assert_eq!(Some(before), tree(read.get().as_bytes()));
    }
    for status in [400, 404, 405, 422] {
        if let Some(other) = request.alternative(status) {
            leads_back(operation, version, &other);
        }
    }
}

/// Tells whether the paths of a tenant mean something else; an agent may have such a tenant all the same.
fn is_reserved(tenant: &Value) -> bool {
    let names = ["v1", "tasks", "card", "extendedAgentCard"];
    let tenant = tenant.as_str().unwrap_or_default();
    names.contains(&tenant) || tenant.starts_with("message:")
}

/// Reads a request as an agent does, and writes once more what it read.
fn leads_back(
    operation: Operation,
    version: Version,
    written: &HttpRequest,
) -> (Route, Box<RawValue>) {
    let target = written.target();
    let route = read(written.method, &target, Some(version));
    let route = route.unwrap_or_else(|error| panic!("{error}: {} {target}", written.method));
    assert_eq!(
        (route.version, route.operation),
        (version, operation),
        "{target}"
    );
    let params = route.params(written.body.as_deref().unwrap_or_default());
    let params = params.unwrap_or_else(|error| panic!("{error}: {target}"));
    let again = request(operation, version, &params);
    let again = again.unwrap_or_else(|error| panic!("{error}: {target} as {params}"));
    assert_eq!(again.target(), target);
    assert_eq!(again.unplaced, 0);
    (route, params)
}
