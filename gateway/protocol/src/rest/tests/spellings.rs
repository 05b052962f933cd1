//! The forms that clients send beside the ones this gateway writes.

use super::*;

fn params(line: &str, body: &str) -> Value {
    read(line, None, body.as_bytes()).unwrap().1
}

#[test]
fn c024_get_and_post_subscribe() {
    for method in ["GET", "POST"] {
        for (path, id) in [
            ("/tasks/t-1:subscribe", "id"),
            ("/v1/tasks/t-1:subscribe", "name"),
        ] {
            for body in ["", "{}", "null"] {
                let (route, params) =
                    read(&format!("{method} {path}"), None, body.as_bytes()).unwrap();
                assert_eq!(route.operation, Operation::SubscribeToTask);
                assert_eq!(route.task_id.as_deref(), Some("t-1"));
                let value = if id == "id" { "t-1" } else { "tasks/t-1" };
                assert_eq!(params, json!({ id: value }));
            }
        }
    }
}

#[test]
fn last_colon_splits_the_verb() {
    for (line, operation, id) in [
        ("POST /tasks/a:b:cancel", Operation::CancelTask, "a:b"),
        ("GET /tasks/a:b", Operation::GetTask, "a:b"),
        (
            "POST /tasks/a:cancel:cancel",
            Operation::CancelTask,
            "a:cancel",
        ),
        (
            "GET /tasks/a%3Asubscribe",
            Operation::GetTask,
            "a:subscribe",
        ),
        ("GET /tasks/:cancel", Operation::GetTask, ":cancel"),
        ("GET /tasks/a/", Operation::GetTask, "a"),
    ] {
        let (route, params) = read(line, None, b"").unwrap();
        assert_eq!(
            (route.operation, params),
            (operation, json!({ "id": id })),
            "{line}"
        );
    }
}

#[test]
fn bodies_keep_their_bytes_but_for_the_tenant() {
    let body = br#" {"message" : {"n":1E2,"n2":9007199254740993}, "new":[ ] } "#;
    let send = |path: &str, query| {
        let route = Route::parse("POST", path, query, None).unwrap();
        route.params(body).unwrap().get().to_owned()
    };
    let inside = r#"{"message" : {"n":1E2,"n2":9007199254740993}, "new":[ ] "#;
    assert_eq!(send("/message:send", None), format!("{inside}}}"));
    assert_eq!(send("/v1/message:send", None), format!("{inside}}}"));
    assert_eq!(
        send("/a%20b/message:send", None),
        format!("{inside},\"tenant\":\"a b\"}}")
    );
    assert_eq!(
        send("/message%3Asend", Some("tenant=a+b")),
        format!("{inside},\"tenant\":\"a b\"}}")
    );
}

#[test]
fn tenant_of_every_place_counts_once() {
    let expected = json!({ "tenant": "x", "message": {} });
    for (line, body) in [
        ("POST /x/message:send", r#"{"message":{}}"#),
        (
            "POST /x/message:send?tenant=x",
            r#"{"message":{},"tenant":""}"#,
        ),
        ("POST /x/message:send", r#"{"message":{},"tenant":null}"#),
        (
            "POST /message:send?tenant=x",
            r#"{"message":{},"tenant":"x"}"#,
        ),
        ("POST /message:send", r#"{"message":{},"tenant":"x"}"#),
    ] {
        assert_eq!(params(line, body), expected, "{line}");
    }
}

#[test]
fn ids_of_the_path_win() {
    assert_eq!(
        params("POST /tasks/t-1:cancel", r#"{"id":"other","metadata":{}}"#),
        json!({ "id": "t-1", "metadata": {} })
    );
    assert_eq!(
        params(
            "POST /tasks/t-1/pushNotificationConfigs",
            r#"{"task_id":"other","url":"u"}"#
        ),
        json!({ "task_id": "t-1", "url": "u" })
    );
    assert_eq!(
        params("POST /v1/tasks/t-1:cancel", r#"{"name":"tasks/other"}"#),
        json!({ "name": "tasks/t-1" })
    );
}

#[test]
fn three_forms_of_a_registration_become_one() {
    let line = "POST /v1/tasks/t-1/pushNotificationConfigs";
    let nested = json!({ "pushNotificationConfig": { "url": "u" } });
    let expected = json!({ "parent": "tasks/t-1", "config": nested });
    for body in [
        r#"{"parent":"tasks/other","config":{"pushNotificationConfig":{"url":"u"}}}"#,
        r#"{"config":{"pushNotificationConfig":{"url":"u"}}}"#,
        r#"{"pushNotificationConfig":{"url":"u"}}"#,
        r#"{"url":"u"}"#,
    ] {
        assert_eq!(params(line, body), expected, "{body}");
    }
    assert_eq!(
        params(
            &format!("{line}?configId=c"),
            r#"{"push_notification_config":{"url":"u"}}"#
        ),
        json!({ "parent": "tasks/t-1", "configId": "c", "config": { "push_notification_config": { "url": "u" } } })
    );
}

#[test]
fn agents_are_asked_the_other_way() {
    let ask = |operation, version, params: Value| {
        request(operation, version, &raw(&params.to_string())).unwrap()
    };
    let subscribe = Operation::SubscribeToTask;
    let new = ask(subscribe, Version::V1, json!({ "id": "t" }));
    for status in [404, 405] {
        let other = new.alternative(status).unwrap();
        assert_eq!((other.method, &other.path), ("GET", &new.path));
        assert_eq!(other.alternative(status), None);
    }
    assert_eq!(new.alternative(400), None);
    let old = ask(subscribe, Version::V03, json!({ "name": "tasks/t" }));
    assert_eq!(old.alternative(404), None);
    assert_eq!(old.alternative(405).unwrap().method, "GET");

    let registration = json!({ "parent": "tasks/t", "configId": "c", "config": { "pushNotificationConfig": { "url": "u" } } });
    let create = ask(
        Operation::CreateTaskPushNotificationConfig,
        Version::V03,
        registration,
    );
    let bare: Value =
        serde_json::from_slice(&create.alternative(400).unwrap().body.unwrap()).unwrap();
    assert_eq!(
        bare,
        json!({ "name": "tasks/t/pushNotificationConfigs/c", "pushNotificationConfig": { "url": "u" } })
    );
    assert_eq!(
        ask(Operation::GetTask, Version::V1, json!({ "id": "t" })).alternative(404),
        None
    );
}

#[test]
fn requests_say_what_they_hold() {
    let send = request(
        Operation::SendMessage,
        Version::V1,
        &raw(r#"{"message": {"n":1E2}}"#),
    )
    .unwrap();
    assert_eq!(send.content_type(), Some(REQUEST_CONTENT_TYPE));
    assert_eq!(send.body.unwrap(), br#"{"message": {"n":1E2}}"#);
    let get = request(
        Operation::GetTask,
        Version::V1,
        &raw(r#"{"id":"t","history_length":"2","new":{}}"#),
    )
    .unwrap();
    assert_eq!(
        (get.content_type(), get.target()),
        (None, "/tasks/t?historyLength=2".to_owned())
    );
}
