//! Webhooks that are refused before any agent hears of them.

use serde_json::{Value, json};

use super::{field, hook, notifying, register, relaying, task_of};
use crate::{
    dialect::{BOTH, Dialect, V1, V03},
    mock::Mock,
    world::World,
};

fn prefix(client: Dialect) -> &'static str {
    match client {
        V03 => "pushNotificationConfig.",
        V1 => "",
    }
}

fn inline_prefix(client: Dialect) -> &'static str {
    match client {
        V03 => "configuration.pushNotificationConfig.",
        V1 => "configuration.taskPushNotificationConfig.",
    }
}

/// Tries a webhook on every way in, and expects that each refuses it for the same field.
async fn refused_everywhere(
    world: &World,
    mock: &Mock,
    client: Dialect,
    webhook: &Value,
    name: &str,
) {
    let before = mock.calls().len();
    let task = world.call(client.send("echo this")).await.task_id();
    let created = world.call(client.create(&task, webhook)).await;
    assert_eq!(
        field(&created),
        format!("{}{name}", prefix(client)),
        "{webhook}"
    );
    let pinned = world
        .post("/agents/notifier", client.create("t-1", webhook))
        .await;
    assert_eq!(
        field(&pinned),
        format!("{}{name}", prefix(client)),
        "{webhook}"
    );
    for operation in ["SendMessage", "SendStreamingMessage"] {
        let call = client.send_with(operation, webhook);
        for path in ["/a2a", "/agents/notifier"] {
            let refused = world.post(path, &call).await;
            assert_eq!(
                field(&refused),
                format!("{}{name}", inline_prefix(client)),
                "{webhook}"
            );
        }
    }
    assert_eq!(
        mock.calls().len(),
        before + 1,
        "the agent heard of {webhook}"
    );
}

#[tokio::test]
async fn c081_inner_addresses_are_refused_on_every_way_in() {
    for client in BOTH {
        let mock = notifying(client).await;
        let world = World::of("notifier", &mock).await;
        for url in [
            "http://127.0.0.1:8080/x",
            "http://169.254.169.254/",
            "https://169.254.169.254/",
            "http://10.0.0.5/",
            "https://10.0.0.5/",
            "http://localhost/",
            "https://localhost/",
            "https://[::ffff:127.0.0.1]/",
            "https://2130706433/",
            "ftp://h/x",
            "file:///etc/passwd",
            "http://user:pw@hook.example/",
            "https://user:pw@hook.example/",
            "http://hook.example/",
        ] {
            refused_everywhere(&world, &mock, client, &json!({ "url": url }), "url").await;
        }
    }
}

#[tokio::test]
async fn c089_line_breaks_are_refused_on_every_way_in() {
    for client in BOTH {
        let mock = notifying(client).await;
        let world = World::of("notifier", &mock).await;
        let scheme = match client {
            V03 => "schemes",
            V1 => "scheme",
        };
        let authentication = |name: &str, credentials: &str| {
            let value = match client {
                V03 => json!([name]),
                V1 => json!(name),
            };
            json!({ scheme: value, "credentials": credentials })
        };
        let url = "https://hook.example/p";
        for (webhook, name) in [
            (
                json!({ "url": url, "token": "a\r\nX-Evil: 1" }),
                "token".to_owned(),
            ),
            (
                json!({ "url": url, "authentication": authentication("Bearer", "b\nc") }),
                "authentication.credentials".to_owned(),
            ),
            (
                json!({ "url": url, "authentication": authentication("Bearer x", "c") }),
                format!("authentication.{scheme}"),
            ),
        ] {
            refused_everywhere(&world, &mock, client, &webhook, &name).await;
        }
    }
}

#[tokio::test]
async fn a_webhook_given_twice_is_refused() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://hook.example/p"},"task_push_notification_config":{"url":"https://evil.example/p"}}}}"#;
    assert_eq!(
        field(&world.call(body).await),
        "configuration.taskPushNotificationConfig"
    );
    assert!(mock.calls().is_empty());
}

#[tokio::test]
async fn an_agent_without_notifications_is_not_asked() {
    for client in BOTH {
        let mock = Mock::start(client, "silent").await;
        let world = World::of("silent", &mock).await;
        let task = task_of(&world, client).await;
        let webhook = client.webhook("https://hook.example/p");
        let list = match client {
            V03 => json!({ "id": task }),
            V1 => json!({ "taskId": task }),
        };
        let sent = client.send_with("SendMessage", &webhook);
        for (path, call) in [
            ("/a2a", client.create(&task, &webhook)),
            (
                "/a2a",
                client.about_webhook("GetTaskPushNotificationConfig", &task),
            ),
            (
                "/a2a",
                client.call("ListTaskPushNotificationConfigs", &list),
            ),
            (
                "/a2a",
                client.about_webhook("DeleteTaskPushNotificationConfig", &task),
            ),
            ("/a2a", sent.clone()),
            ("/agents/silent", sent),
        ] {
            assert_eq!(world.post(path, &call).await.code(), -32003, "{call}");
        }
        assert_eq!(mock.calls().len(), 1);
    }
}

#[tokio::test]
async fn tasks_of_others_have_no_webhooks() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let hook = hook(&[]).await;
    register(&world, (V1, &mock), V1, &hook).await;
    let before = mock.calls().len();
    for operation in [
        "GetTaskPushNotificationConfig",
        "DeleteTaskPushNotificationConfig",
    ] {
        for id in ["t-1", "gw1-forged"] {
            assert_eq!(
                world.call(V1.about_webhook(operation, id)).await.code(),
                -32001
            );
        }
    }
    assert_eq!(mock.calls().len(), before);
}

#[tokio::test]
async fn a_gateway_without_an_address_for_agents_says_so() {
    let mock = notifying(V1).await;
    let setup = crate::world::Setup::new()
        .agent("notifier", &mock)
        .section("identity: { open: true }");
    let yaml = setup
        .yaml()
        .replace("listen: 127.0.0.1:0\n", "listen: 0.0.0.0:0\n");
    let folder = tempfile::tempdir().unwrap();
    let config = gateway::config::parse("test.yaml", folder.path(), &yaml, &|_| None).unwrap();
    let app = gateway::App::build(config).await.unwrap();
    assert!(!app.gateway().push.is_available());
}
