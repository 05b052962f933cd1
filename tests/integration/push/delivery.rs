//! Notifications on their way to webhooks.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::{CREDENTIALS, TOKEN, answer, eventually, hook, notifying, register, relaying, told};
use crate::{
    dialect::{BOTH, V1, V03, success},
    mock::{Answer, Gate},
    world::Setup,
};

#[tokio::test]
async fn c059_a_notification_arrives_as_its_client_reads_it() {
    for (client, agent) in [(V03, V1), (V1, V03), (V03, V03), (V1, V1)] {
        let mock = notifying(agent).await;
        let world = relaying(&mock).await;
        let hook = hook(&[]).await;
        let (task, callback) = register(&world, (agent, &mock), client, &hook).await;
        assert_eq!(
            callback
                .notify(&world, &agent.notification("completed"))
                .await,
            200
        );
        hook.called(1).await;
        let got = hook.only_call();
        assert_eq!(
            client.told(&got.json()),
            (task, client.state("completed")),
            "{}",
            got.body
        );
        let media_type = match client {
            V03 => "application/json",
            V1 => "application/a2a+json",
        };
        assert_eq!(got.header("content-type").as_deref(), Some(media_type));
        assert_eq!(
            got.header("authorization"),
            Some(format!("Bearer {CREDENTIALS}"))
        );
        assert_eq!(
            got.header("x-a2a-notification-token").as_deref(),
            Some(TOKEN)
        );
        assert!(
            !got.body.contains("t-1") && !got.body.contains("c-1"),
            "{}",
            got.body
        );
        assert!(!got.head.contains(&callback.bearer));
    }
}

#[tokio::test]
async fn a_webhook_of_a_message_is_notified_of_its_task() {
    for (client, agent) in [(V03, V1), (V1, V03), (V03, V03), (V1, V1)] {
        let mock = notifying(agent).await;
        let world = relaying(&mock).await;
        let hook = hook(&[]).await;
        let webhook = client.webhook(&format!("{}/hook", hook.url()));
        let sent = world.call(client.send_with("SendMessage", &webhook)).await;
        let callback = agent.callback(&mock.only_call());
        assert_eq!(
            callback
                .notify(&world, &agent.notification("completed"))
                .await,
            200
        );
        hook.called(1).await;
        let got = hook.only_call();
        assert_eq!(
            client.told(&got.json()),
            (sent.task_id(), client.state("completed"))
        );
        assert_eq!(
            got.header("authorization"),
            Some(format!("Bearer {CREDENTIALS}"))
        );
        let decision = world.decision_of(&sent).await;
        world.outcome(&decision["id"], "completed").await;
    }
}

#[tokio::test]
async fn a_webhook_of_a_streamed_message_is_notified_of_its_task() {
    for client in BOTH {
        let mock = notifying(client).await;
        let world = relaying(&mock).await;
        let hook = hook(&[]).await;
        let webhook = client.webhook(&format!("{}/hook", hook.url()));
        let events = world
            .follow("/a2a", client.send_with("SendStreamingMessage", &webhook))
            .await;
        events.rest().await;
        let callback = client.callback(&mock.only_call());
        assert_eq!(
            callback
                .notify(&world, &client.notification("completed"))
                .await,
            200
        );
        hook.called(1).await;
    }
}

#[tokio::test]
async fn ids_on_the_path_of_an_agent_stay_its_own() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let hook = hook(&[]).await;
    let webhook = V03.webhook(&format!("{}/hook", hook.url()));
    world
        .post("/agents/notifier", V03.create("t-1", &webhook))
        .await
        .result();
    let callback = V1.callback(&mock.only_call());
    callback.notify(&world, &V1.notification("working")).await;
    hook.called(1).await;
    assert_eq!(V03.told(&hook.only_call().json()).0, "t-1");
}

#[tokio::test]
async fn a_notification_before_the_answer_waits_for_it() {
    let mock = notifying(V1).await;
    let gate = Gate::new();
    let held = gate.clone();
    mock.answers(move |call| {
        let sent = success(call, &V1.sent_task("t-1", "c-1", "working"));
        Answer::nothing().wait(&held).and(Answer::json(sent))
    });
    let world = relaying(&mock).await;
    let hook = hook(&[]).await;
    let webhook = V1.webhook(&format!("{}/hook", hook.url()));
    let sending = world.call(V1.send_with("SendMessage", &webhook));
    let early = async {
        mock.called(1).await;
        let callback = V1.callback(&mock.only_call());
        for state in ["working", "completed"] {
            assert_eq!(callback.notify(&world, &V1.notification(state)).await, 200);
        }
        assert!(hook.calls().is_empty());
        gate.open();
    };
    let (sent, ()) = tokio::join!(sending, early);
    let states = told(&hook, V1, 2).await;
    assert_eq!(states, [V1.state("working"), V1.state("completed")]);
    assert_eq!(V1.told(&hook.calls()[0].json()).0, sent.task_id());
    let decision = world.decision_of(&sent).await;
    world.outcome(&decision["id"], "completed").await;
}

#[tokio::test]
async fn a_notification_names_the_task_of_a_call_that_stays_open() {
    let mock = notifying(V1).await;
    let gate = Gate::new();
    let held = gate.clone();
    mock.answers(move |call| {
        let sent = success(call, &V1.sent_task("t-1", "c-1", "completed"));
        Answer::nothing().wait(&held).and(Answer::json(sent))
    });
    let world = relaying(&mock).await;
    let hook = hook(&[]).await;
    let webhook = V1.webhook(&format!("{}/hook", hook.url()));
    let sending = world.call(V1.send_with("SendMessage", &webhook));
    let early = async {
        mock.called(1).await;
        let callback = V1.callback(&mock.only_call());
        callback.notify(&world, &V1.notification("working")).await;
        hook.called(1).await;
        gate.open();
    };
    let (sent, ()) = tokio::join!(sending, early);
    assert_eq!(V1.told(&hook.only_call().json()).0, sent.task_id());
}

#[tokio::test]
async fn c059_a_failed_delivery_is_repeated_and_order_is_kept() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let hook = hook(&[500]).await;
    let (_, callback) = register(&world, (V1, &mock), V1, &hook).await;
    for state in ["submitted", "working", "completed"] {
        assert_eq!(callback.notify(&world, &V1.notification(state)).await, 200);
    }
    let states = told(&hook, V1, 4).await;
    let expected = ["submitted", "submitted", "working", "completed"].map(|state| V1.state(state));
    assert_eq!(states, expected);
    let metrics = eventually("the counters", async || {
        let text = world.admin_get("/metrics").await.body;
        let count = r#"push_deliveries_total{outcome="delivered"} 3"#;
        if text.contains(count) {
            Ok(text)
        } else {
            Err(text)
        }
    })
    .await;
    assert!(
        metrics.contains(r#"push_deliveries_total{outcome="retried"} 1"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn one_slow_webhook_does_not_delay_another() {
    let mock = notifying(V1).await;
    let world = relaying(&mock).await;
    let (dead, alive) = (hook(&[500; 64]).await, hook(&[]).await);
    let (_, first) = register(&world, (V1, &mock), V1, &dead).await;
    first.notify(&world, &V1.notification("working")).await;
    dead.called(1).await;
    let webhook = V03.webhook(&format!("{}/hook", alive.url()));
    world
        .post("/agents/notifier", V03.create("t-1", &webhook))
        .await
        .result();
    let second = V1.callback(&mock.calls().pop().unwrap());
    second.notify(&world, &V1.notification("working")).await;
    alive.called(1).await;
}

#[tokio::test]
async fn what_was_taken_is_delivered_after_a_restart() {
    let mock = notifying(V03).await;
    let mut world = relaying(&mock).await;
    let hook = hook(&[503]).await;
    let (task, callback) = register(&world, (V03, &mock), V1, &hook).await;
    callback.notify(&world, &V03.notification("working")).await;
    callback
        .notify(&world, &V03.notification("completed"))
        .await;
    hook.called(1).await;
    world.restart().await;
    let states = told(&hook, V1, 3).await;
    let expected = ["working", "working", "completed"].map(|state| V1.state(state));
    assert_eq!(states, expected);
    let read = V1.about_webhook("GetTaskPushNotificationConfig", &task);
    world.call(read).await.result();
}

#[tokio::test]
async fn a_webhook_that_never_answers_well_is_given_up() {
    let mock = notifying(V1).await;
    let push = "push: { allow: [127.0.0.1], max_attempts: 2 }";
    let world = Setup::new()
        .agent("notifier", &mock)
        .section(push)
        .start()
        .await;
    let hook = hook(&[500, 500]).await;
    let (_, callback) = register(&world, (V1, &mock), V1, &hook).await;
    callback.notify(&world, &V1.notification("working")).await;
    callback.notify(&world, &V1.notification("completed")).await;
    let states = told(&hook, V1, 3).await;
    let expected = ["working", "working", "completed"].map(|state| V1.state(state));
    assert_eq!(states, expected);
    let metrics = world.admin_get("/metrics").await.body;
    assert!(
        metrics.contains(r#"push_deliveries_total{outcome="gave_up"} 1"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn c081_a_webhook_that_is_no_longer_allowed_is_not_called() {
    let mock = notifying(V1).await;
    let mut world = relaying(&mock).await;
    let hook = hook(&[503]).await;
    let (_, callback) = register(&world, (V1, &mock), V1, &hook).await;
    callback.notify(&world, &V1.notification("working")).await;
    hook.called(1).await;
    let agent = mock.clone();
    world.change(|_| Setup::new().agent("notifier", &agent));
    world.restart().await;
    eventually("the delivery to be refused", async || {
        let text = world.admin_get("/metrics").await.body;
        let count = r#"push_deliveries_total{outcome="refused"} 1"#;
        if text.contains(count) {
            Ok(())
        } else {
            Err(text)
        }
    })
    .await;
    assert_eq!(hook.calls().len(), 1);
}

#[tokio::test]
async fn agents_that_show_one_header_or_none_are_heard_and_liars_are_not() {
    let mock = notifying(V1).await;
    let seen = AtomicUsize::new(0);
    mock.answers(move |call| {
        seen.fetch_add(1, Ordering::SeqCst);
        answer(V1, call)
    });
    let world = relaying(&mock).await;
    let hook = hook(&[]).await;
    let (_, callback) = register(&world, (V1, &mock), V1, &hook).await;
    assert_eq!(callback.config["token"], callback.bearer.as_str());
    let event = V1.notification("working");
    for (headers, status) in [
        (&[][..], 200),
        (
            &[("x-a2a-notification-token", callback.bearer.as_str())],
            200,
        ),
        (&[("x-a2a-notification-token", "other")], 401),
        (&[("authorization", "Bearer other")], 401),
        (&[("authorization", "Basic dTpw")], 401),
    ] {
        assert_eq!(
            callback.notify_with(&world, headers, &event).await,
            status,
            "{headers:?}"
        );
    }
    let mut other = event.clone();
    other["statusUpdate"]["taskId"] = json!("t-2");
    assert_eq!(callback.notify(&world, &other).await, 400);
    assert_eq!(callback.notify(&world, &json!({ "hello": 1 })).await, 400);
    assert_eq!(told(&hook, V1, 2).await.len(), 2);
}
