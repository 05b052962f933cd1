use serde_json::{Value, json};

use super::*;
use crate::testing::{Answered, World};

fn task() -> Value {
    json!({ "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_CANCELED" } })
}

/// Posts a call; `version` is the header, unless it is empty.
async fn call(
    world: &World,
    path: &str,
    version: &str,
    (method, params): (&str, &str),
) -> Answered {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let mut request = Request::post(path).header("content-type", "application/json");
    if !version.is_empty() {
        request = request.header("a2a-version", version);
    }
    world.send(request.body(Body::from(body)).unwrap()).await
}

#[tokio::test]
async fn tenant_names_the_agent_on_the_federated_endpoint() {
    let world = World::answering(task());
    let params = r#"{"n": 1.50, "tenant":"beta","id":"t"}"#;
    for path in ["/a2a", "/agents/beta", "/agents/beta/"] {
        let answered = call(&world, path, "1.0", ("GetTask", params)).await;
        assert_eq!(answered.json()["result"], task(), "{path}");
        assert_eq!(world.last_params(), r#"{"n": 1.50,"id":"t"}"#);
    }
    assert!(world.asked().iter().all(|(agent, _)| agent == "beta"));
    let send = r#"{"tenant":"beta","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}"#;
    call(&world, "/a2a", "", ("SendMessage", send)).await;
    let (agent, params) = world.asked().pop().unwrap();
    assert_eq!((agent.as_str(), params.get("tenant")), ("beta", None));
}

#[tokio::test]
async fn tenants_that_name_no_agent_or_another_are_refused() {
    let world = World::answering(task());
    for (path, tenant, code) in [
        ("/a2a", r#""nobody""#, -32600),
        ("/a2a", r#""No Agent""#, -32600),
        ("/a2a", "7", -32602),
        ("/agents/alpha", r#""beta""#, -32602),
    ] {
        let params = format!(r#"{{"tenant":{tenant},"id":"t"}}"#);
        let answered = call(&world, path, "1.0", ("GetTask", &params)).await;
        assert_eq!(answered.status, 200);
        assert_eq!(answered.json()["error"]["code"], code, "{}", answered.body);
    }
    assert!(world.asked().is_empty());
}

#[tokio::test]
async fn the_old_version_has_no_tenant() {
    let world = World::answering(task());
    let params = r#"{"tenant":"beta","id":"t"}"#;
    call(&world, "/agents/alpha", "0.3", ("tasks/get", params)).await;
    let (agent, _) = world.asked().pop().unwrap();
    assert_eq!(agent, "alpha");
}

#[tokio::test]
async fn c016_without_a_version_the_method_decides_unless_versions_are_strict() {
    for (strict, method, version, works) in [
        (false, "GetTask", "", true),
        (false, "tasks/get", "", true),
        (true, "GetTask", "", false),
        (true, "GetTask", "1.0", true),
        (true, "GetTask", "0.3", false),
        (true, "tasks/get", "", true),
        (true, "tasks/get", "0.3", true),
    ] {
        let world = World::answering(task());
        let world = if strict { world.strict() } else { world };
        let answered = call(&world, "/agents/alpha", version, (method, r#"{"id":"t"}"#)).await;
        let error = &answered.json()["error"];
        assert_eq!(
            error.is_null(),
            works,
            "{strict} {method} {version:?}: {error}"
        );
        assert!(works || error["code"] == -32009, "{error}");
        assert_eq!(world.asked().len(), usize::from(works));
    }
}
