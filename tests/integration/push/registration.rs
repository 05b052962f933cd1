//! Registering, reading, listing and deleting webhooks.

use serde_json::{Value, json};

use super::{CREDENTIALS, TOKEN, hook, notifying, register, relaying, task_of};
use crate::{
    dialect::{BOTH, V1, V03, failure},
    mock::{Answer, Mock},
    world::eventually,
};

#[tokio::test]
async fn c028_webhooks_keep_the_shape_of_each_side() {
    for (client, agent) in [(V03, V1), (V1, V03), (V03, V03), (V1, V1)] {
        let mock = notifying(agent).await;
        let world = relaying(&mock).await;
        let task = task_of(&world, client).await;
        let webhook = client.webhook("https://hook.example/p");
        let created = world.call(client.create(&task, &webhook)).await.result();
        let read = world
            .call(client.about_webhook("GetTaskPushNotificationConfig", &task))
            .await;
        let params = match client {
            V03 => json!({ "id": task }),
            V1 => json!({ "taskId": task }),
        };
        let listed = world
            .call(client.call("ListTaskPushNotificationConfigs", &params))
            .await;
        let expected = match client {
            V03 => json!({ "taskId": task, "pushNotificationConfig": {
                "id": "p1", "url": "https://hook.example/p", "authentication": { "schemes": ["Bearer"] }
            }}),
            V1 => json!({
                "taskId": task, "id": "p1", "url": "https://hook.example/p",
                "authentication": { "scheme": "Bearer" }
            }),
        };
        assert_eq!(created, expected);
        assert_eq!(read.result(), expected);
        let list = match client {
            V03 => json!([expected]),
            V1 => json!({ "configs": [expected], "nextPageToken": "" }),
        };
        assert_eq!(listed.result(), list);
        let got = mock.calls().pop().unwrap();
        assert_eq!(
            got.rpc_method(),
            agent.method("CreateTaskPushNotificationConfig")
        );
        assert_eq!(got.params()["taskId"], "t-1");
    }
}

#[tokio::test]
async fn nothing_of_the_clients_webhook_reaches_the_agent() {
    for (client, agent) in [(V03, V1), (V1, V03), (V03, V03), (V1, V1)] {
        let mock = notifying(agent).await;
        let world = relaying(&mock).await;
        let task = task_of(&world, client).await;
        let mut webhook = client.webhook("https://hook.example/p");
        webhook["note"] = "for-the-client-alone".into();
        world.call(client.create(&task, &webhook)).await.result();
        for operation in ["SendMessage", "SendStreamingMessage"] {
            let call = client.send_with(operation, &webhook);
            let status = world.rpc("/a2a", &call).send().await.unwrap().status();
            assert_eq!(status, 200);
        }
        mock.called(4).await;
        let calls = mock.calls();
        let mut callbacks = Vec::new();
        for call in &calls[1..] {
            for secret in [
                "hook.example",
                "p1\"",
                TOKEN,
                CREDENTIALS,
                "for-the-client-alone",
            ] {
                assert!(!call.body.contains(secret), "{secret}: {}", call.body);
            }
            callbacks.push(agent.callback(call));
        }
        for (place, callback) in callbacks.iter().enumerate() {
            assert!(callback.path.len() > "/push/".len() + 40, "{callback:?}");
            let others = callbacks.iter().skip(place + 1);
            for other in others {
                assert_ne!(callback.path, other.path);
                assert_ne!(callback.bearer, other.bearer);
            }
        }
    }
}

#[tokio::test]
async fn c022_only_the_webhook_is_replaced_in_a_message() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{ "x": 1.0e2, "configuration" : {"y":[1 ,2], "taskPushNotificationConfig": {"url":"https://hook.example/p"} ,"z":"é" },"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo"}]} }}"#;
    world.call(body).await.result();
    let params = mock.only_call().raw_params();
    let start = r#"{ "x": 1.0e2, "configuration" : {"y":[1 ,2], "taskPushNotificationConfig": {"#;
    let end = r#"} ,"z":"é" },"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo"}]} }"#;
    assert!(
        params.starts_with(start) && params.ends_with(end),
        "{params}"
    );
}

#[tokio::test]
async fn a_webhook_of_a_message_is_listed_once_its_task_is_known() {
    for client in BOTH {
        let mock = notifying(client).await;
        let world = relaying(&mock).await;
        let webhook = json!({ "url": "https://hook.example/p" });
        let task = world
            .call(client.send_with("SendMessage", &webhook))
            .await
            .task_id();
        // Without an id of its own it has that of the task.
        let params = match client {
            V03 => json!({ "id": task }),
            V1 => json!({ "taskId": task, "id": task }),
        };
        let read = world
            .call(client.call("GetTaskPushNotificationConfig", &params))
            .await
            .result();
        let config = read.get("pushNotificationConfig").unwrap_or(&read);
        assert_eq!(
            (&config["id"], &config["url"]),
            (&json!(task), &webhook["url"])
        );
    }
}

#[tokio::test]
async fn default_names_the_webhook_without_an_id_in_the_old_version_only() {
    let named = |url: &str, id: &str| json!({ "url": url, "id": id });
    for (client, agent) in [(V03, V1), (V03, V03), (V1, V1)] {
        let mock = notifying(agent).await;
        let world = relaying(&mock).await;
        let task = task_of(&world, client).await;
        let unnamed = json!({ "url": "https://hook.example/unnamed" });
        world.call(client.create(&task, &unnamed)).await.result();
        let params = match client {
            V03 => json!({ "id": task, "pushNotificationConfigId": "default" }),
            V1 => json!({ "taskId": task, "id": "default" }),
        };
        let get = client.call("GetTaskPushNotificationConfig", &params);
        let read = world.call(&get).await;
        match client {
            V03 => assert_eq!(
                read.result()["pushNotificationConfig"]["url"],
                unnamed["url"]
            ),
            V1 => assert_eq!(read.code(), -32001),
        }
        // One that has this very id is another one, and comes first.
        let explicit = named("https://hook.example/named", "default");
        world.call(client.create(&task, &explicit)).await.result();
        let read = world.call(&get).await.result();
        let config = read.get("pushNotificationConfig").unwrap_or(&read);
        assert_eq!(config["url"], explicit["url"]);
    }
}

#[tokio::test]
async fn a_deleted_webhook_is_gone_at_the_agent_too() {
    for (client, agent) in [(V03, V1), (V1, V03)] {
        let mock = notifying(agent).await;
        let world = relaying(&mock).await;
        let hook = hook(&[]).await;
        let (task, callback) = register(&world, (agent, &mock), client, &hook).await;
        let delete = client.about_webhook("DeleteTaskPushNotificationConfig", &task);
        assert_eq!(world.call(&delete).await.result(), Value::Null);
        let call = mock.calls().pop().unwrap();
        assert_eq!(
            call.rpc_method(),
            agent.method("DeleteTaskPushNotificationConfig")
        );
        let expected = match agent {
            V03 => json!({ "id": "t-1", "pushNotificationConfigId": callback.id }),
            V1 => json!({ "taskId": "t-1", "id": callback.id }),
        };
        assert_eq!(call.params(), expected);
        assert_eq!(
            callback
                .notify(&world, &agent.notification("completed"))
                .await,
            404
        );
        let read = client.about_webhook("GetTaskPushNotificationConfig", &task);
        assert_eq!(world.call(&read).await.code(), -32001);
        assert_eq!(
            world.call(&delete).await.result(),
            Value::Null,
            "deleting again succeeds"
        );
        assert!(hook.calls().is_empty());
    }
}

#[tokio::test]
async fn registering_again_under_the_same_id_replaces() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let (old, new) = (hook(&[]).await, hook(&[]).await);
    let (task, first) = register(&world, (V1, &mock), V1, &old).await;
    let webhook = V1.webhook(&format!("{}/hook", new.url()));
    world.call(V1.create(&task, &webhook)).await.result();
    let second = V1.callback(&mock.calls().pop().unwrap());
    assert_eq!(first.id, second.id);
    assert_eq!(first.notify(&world, &V1.notification("working")).await, 404);
    assert_eq!(
        second.notify(&world, &V1.notification("working")).await,
        200
    );
    new.called(1).await;
    assert!(old.calls().is_empty());
    let params = json!({ "taskId": task });
    let listed = world
        .call(V1.call("ListTaskPushNotificationConfigs", &params))
        .await
        .result();
    assert_eq!(listed["configs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_refusal_of_the_agent_passes_and_leaves_nothing_behind() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let task = task_of(&world, V1).await;
    mock.answers(|call| Answer::json(failure(call, -32001, "no such task here")));
    let refused = world
        .call(V1.create(&task, &V1.webhook("https://hook.example/p")))
        .await;
    assert_eq!(
        (refused.code(), refused.message().as_str()),
        (-32001, "no such task here")
    );
    let callback = V1.callback(&mock.calls().pop().unwrap());
    assert_eq!(
        callback.notify(&world, &V1.notification("working")).await,
        404
    );
    // Nothing is known here, so the agent says whether there is a task at all.
    let params = json!({ "taskId": task });
    let listed = world
        .call(V1.call("ListTaskPushNotificationConfigs", &params))
        .await;
    assert_eq!(listed.code(), -32001);
}

#[tokio::test]
async fn served_cards_say_whether_notifications_are_relayed() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    for path in [
        "/.well-known/agent-card.json",
        "/agents/notifier/.well-known/agent-card.json",
    ] {
        let card = world.get(path).await.json();
        assert_eq!(card["capabilities"]["pushNotifications"], true, "{path}");
    }
    mock.serves_card(&V1.card("notifier", &mock.rpc_url()));
    let pushes = |agent: &Value| agent.to_string().contains("pushNotifications");
    world
        .admin_post("/v1/agents/notifier/refresh", &Value::Null)
        .await;
    eventually("the card to change", async || {
        let card = world.get("/.well-known/agent-card.json").await.json();
        let capabilities = &card["capabilities"];
        if pushes(capabilities) && capabilities["pushNotifications"] == true {
            Err(card.to_string())
        } else {
            Ok(())
        }
    })
    .await;
}

/// 0.3 over HTTP+JSON, whose configurations have a name for the task and a place of their own in a message.
#[tokio::test]
async fn c028_webhooks_of_old_rest_keep_their_shape_on_both_sides() {
    let mock = Mock::bare().await;
    let mut card = V03.card("notifier", &mock.rpc_url());
    card["preferredTransport"] = "HTTP+JSON".into();
    card["capabilities"]["pushNotifications"] = json!(true);
    mock.serves_card(&card);
    mock.answers(|call| {
        let task =
            json!({ "id": "t-1", "contextId": "c-1", "status": { "state": "TASK_STATE_WORKING" } });
        if call.target.ends_with("/message:send") {
            return Answer::json(json!({ "task": task }));
        }
        Answer::json(call.json()["config"].take())
    });
    let world = relaying(&mock).await;
    let webhook = |path: &str| {
        json!({ "url": format!("https://hook.example/{path}"), "token": TOKEN,
            "authentication": { "schemes": ["Bearer"], "credentials": CREDENTIALS } })
    };

    let inline = json!({ "message": { "messageId": "m", "role": "ROLE_USER", "content": [{ "text": "echo" }] },
        "configuration": { "pushNotification": webhook("inline") } });
    let sent = world.post("/a2a/v1/message:send", &inline).await.json();
    let task = sent["task"]["id"].as_str().unwrap();
    let configs = format!("/a2a/v1/tasks/{task}/pushNotificationConfigs");
    let created = world
        .post(
            &configs,
            json!({ "configId": "p1", "config": { "pushNotificationConfig": webhook("p") } }),
        )
        .await
        .json();

    let name = format!("tasks/{task}/pushNotificationConfigs/p1");
    let expected = json!({ "name": name, "pushNotificationConfig": {
        "id": "p1", "url": "https://hook.example/p", "authentication": { "schemes": ["Bearer"] }
    }});
    assert_eq!(created, expected);
    assert_eq!(world.get(&format!("{configs}/p1")).await.json(), expected);
    let listed = world.get(&configs).await.json();
    assert_eq!(listed["configs"].as_array().unwrap().len(), 2, "{listed}");

    let calls = mock.calls();
    let placed = [
        calls[0].json()["configuration"]["pushNotification"].take(),
        calls[1].json()["config"]["pushNotificationConfig"].take(),
    ];
    for callback in placed {
        assert_eq!(callback["authentication"]["schemes"], json!(["Bearer"]));
        assert!(
            callback["url"].as_str().unwrap().contains("/push/"),
            "{callback}"
        );
    }
    assert_eq!(calls[1].json()["parent"], "tasks/t-1");
    for call in calls {
        assert!(!call.body.contains("hook.example"), "{}", call.body);
        assert!(!call.body.contains(CREDENTIALS), "{}", call.body);
    }
}

#[tokio::test]
async fn webhooks_of_old_rest_are_refused_by_the_names_of_that_form() {
    let mock = notifying(V03).await;
    let world = relaying(&mock).await;
    let configs = "/agents/notifier/v1/tasks/t-1/pushNotificationConfigs";
    let wrong = json!({ "config": { "pushNotificationConfig": { "url": "ftp://hook.example" } } });
    let registered = world.post(configs, wrong).await.json();
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "content": [{ "text": "echo" }] });
    let send = |name: &str| json!({ "message": message, "configuration": { name: { "url": "ftp://hook.example" } } });
    let path = "/a2a/v1/message:send";
    let sent = world.post(path, send("pushNotification")).await.json();
    let misnamed = world
        .post(path, send("pushNotificationConfig"))
        .await
        .json();
    for (refused, field) in [
        (registered, "config.pushNotificationConfig.url"),
        (sent, "configuration.pushNotification.url"),
        (misnamed, "configuration.pushNotificationConfig"),
    ] {
        let violation = &refused["data"][0]["fieldViolations"][0];
        assert_eq!(violation["field"], field, "{refused}");
    }
    assert!(mock.calls().is_empty());
}
