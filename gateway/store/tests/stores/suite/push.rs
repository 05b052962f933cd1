//! Webhooks, and the notifications that wait for them.

use gateway_core::ports::{
    ConfirmedPush, PushConfig, PushNotification, PushStore, Store, ToldState, Webhook,
};
use gateway_protocol::{TaskState, Version};
use jiff::Timestamp;
use secrecy::ExposeSecret as _;

use super::samples::{agent, decision, millis, record, state, task};

/// Returns a webhook of `0:ana` at the agent `becas`, with the id `p1`.
pub(crate) fn webhook(callback: &str) -> PushConfig {
    PushConfig {
        callback: callback.to_owned(),
        bearer: "sha256:bb".to_owned(),
        agent: agent("becas"),
        task_id: None,
        caller: "0:ana".to_owned(),
        version: Version::V03,
        sealed: true,
        agent_config_id: "g-1".to_owned(),
        webhook: Webhook {
            id: Some("p1".to_owned()),
            url: "https://hook.example/p?q=1".parse().unwrap(),
            token: Some("tk".into()),
            scheme: Some("Bearer".to_owned()),
            credentials: Some("cr".into()),
        },
        created_at: millis(0),
    }
}

pub(crate) async fn add(store: &dyn PushStore, config: PushConfig) {
    store.add_push_config(config).await.unwrap();
}

pub(crate) async fn confirm(
    store: &dyn PushStore,
    callback: &str,
    task_id: &str,
) -> Vec<ToldState> {
    let confirmed = ConfirmedPush {
        callback: callback.to_owned(),
        task_id: task_id.to_owned(),
        default_id: "default".to_owned(),
        agent_config_id: None,
        at: millis(10),
    };
    store.confirm_push_config(confirmed).await.unwrap()
}

pub(crate) async fn notify(
    store: &dyn PushStore,
    callback: &str,
    payload: &str,
    state: Option<TaskState>,
) {
    let notification = PushNotification {
        callback: callback.to_owned(),
        payload: payload.to_owned(),
        state,
        at: millis(20),
        held_until: millis(5000),
    };
    store.enqueue_push(notification).await.unwrap();
}

/// Claims all that is due at a time and returns the payloads.
async fn claim(store: &dyn PushStore, now: Timestamp) -> Vec<(i64, String)> {
    let until = now + jiff::SignedDuration::from_secs(60);
    let claimed = store.claim_pushes(now, until, 10).await.unwrap();
    let named = claimed.into_iter().map(|push| (push.id, push.payload));
    named.collect()
}

pub(crate) async fn payloads(store: &dyn PushStore, now: Timestamp) -> Vec<String> {
    let claimed = claim(store, now).await;
    claimed.into_iter().map(|(_, payload)| payload).collect()
}

async fn listed(store: &dyn PushStore, task_id: &str, caller: &str) -> Vec<String> {
    let configs = store.push_configs(&agent("becas"), task_id, caller).await;
    let callbacks = configs.unwrap().into_iter().map(|config| config.callback);
    callbacks.collect()
}

pub(crate) async fn unconfirmed_webhook_has_a_callback_and_is_not_listed(store: &dyn PushStore) {
    let config = PushConfig {
        task_id: Some("t-1".to_owned()),
        ..webhook("c-1")
    };
    add(store, config).await;
    assert!(store.push_config("c-1").await.unwrap().is_some());
    assert!(store.push_config("c-2").await.unwrap().is_none());
    assert_eq!(listed(store, "t-1", "0:ana").await, Vec::<String>::new());
}

pub(crate) async fn confirmed_webhook_comes_back_unchanged(store: &dyn PushStore) {
    add(store, webhook("c-1")).await;
    confirm(store, "c-1", "t-1").await;
    notify(store, "c-1", "{}", None).await;
    let (config, waiting) = store.push_config("c-1").await.unwrap().unwrap();
    assert_eq!(waiting, 1);
    let shown = |config: &PushConfig| format!("{config:?}");
    let expected = PushConfig {
        task_id: Some("t-1".to_owned()),
        ..webhook("c-1")
    };
    assert_eq!(shown(&config), shown(&expected));
    let secret = |value: &Option<secrecy::SecretString>| {
        value.as_ref().map(|value| value.expose_secret().to_owned())
    };
    assert_eq!(secret(&config.webhook.token).as_deref(), Some("tk"));
    assert_eq!(secret(&config.webhook.credentials).as_deref(), Some("cr"));
}

pub(crate) async fn webhook_without_id_gets_the_default(store: &dyn PushStore) {
    let mut config = webhook("c-1");
    config.webhook.id = None;
    add(store, config).await;
    confirm(store, "c-1", "t-1").await;
    let configs = store
        .push_configs(&agent("becas"), "t-1", "0:ana")
        .await
        .unwrap();
    assert_eq!(configs[0].webhook.id.as_deref(), Some("default"));
}

pub(crate) async fn webhooks_are_listed_per_task_and_caller(store: &dyn PushStore) {
    let mut second = webhook("c-2");
    second.webhook.id = Some("p2".to_owned());
    second.created_at = millis(1);
    add(store, webhook("c-1")).await;
    add(store, second).await;
    add(
        store,
        PushConfig {
            caller: "0:ben".to_owned(),
            ..webhook("c-3")
        },
    )
    .await;
    add(
        store,
        PushConfig {
            agent: agent("pagos"),
            ..webhook("c-4")
        },
    )
    .await;
    for callback in ["c-4", "c-3", "c-2", "c-1"] {
        confirm(store, callback, "t-1").await;
    }
    assert_eq!(listed(store, "t-1", "0:ana").await, ["c-1", "c-2"]);
    assert_eq!(listed(store, "t-1", "0:ben").await, ["c-3"]);
    assert_eq!(listed(store, "t-2", "0:ana").await, Vec::<String>::new());
}

pub(crate) async fn webhook_with_the_same_id_is_replaced_and_its_notifications_stay(
    store: &dyn PushStore,
) {
    add(store, webhook("c-1")).await;
    confirm(store, "c-1", "t-1").await;
    notify(store, "c-1", "first", None).await;
    add(store, webhook("c-2")).await;
    notify(store, "c-2", "second", None).await;
    confirm(store, "c-2", "t-1").await;
    assert_eq!(listed(store, "t-1", "0:ana").await, ["c-2"]);
    assert!(store.push_config("c-1").await.unwrap().is_none());
    let (id, payload) = claim(store, millis(30)).await.remove(0);
    assert_eq!(payload, "first");
    store.finish_push(id).await.unwrap();
    assert_eq!(payloads(store, millis(30)).await, ["second"]);
}

pub(crate) async fn notifications_leave_one_by_one_in_order(store: &dyn PushStore) {
    for callback in ["c-1", "c-2"] {
        let mut config = webhook(callback);
        config.webhook.id = Some(callback.to_owned());
        add(store, config).await;
        confirm(store, callback, "t-1").await;
    }
    for payload in ["a", "b", "c"] {
        notify(store, "c-1", payload, None).await;
    }
    notify(store, "c-2", "x", None).await;
    let claimed = claim(store, millis(30)).await;
    let payloads: Vec<_> = claimed
        .iter()
        .map(|(_, payload)| payload.as_str())
        .collect();
    assert_eq!(payloads, ["a", "x"]);
    assert_eq!(
        claim(store, millis(30)).await,
        [],
        "what is claimed holds up the rest"
    );
    store.finish_push(claimed[0].0).await.unwrap();
    let claimed = claim(store, millis(30)).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].1, "b");
}

pub(crate) async fn claimed_notification_comes_back_when_the_claim_lapses(store: &dyn PushStore) {
    add(store, webhook("c-1")).await;
    confirm(store, "c-1", "t-1").await;
    notify(store, "c-1", "a", None).await;
    assert_eq!(payloads(store, millis(30)).await, ["a"]);
    assert_eq!(payloads(store, millis(59_000)).await, Vec::<String>::new());
    assert_eq!(payloads(store, millis(61_000)).await, ["a"]);
}

pub(crate) async fn failed_notification_holds_up_those_behind_it(store: &dyn PushStore) {
    add(store, webhook("c-1")).await;
    confirm(store, "c-1", "t-1").await;
    notify(store, "c-1", "a", None).await;
    notify(store, "c-1", "b", None).await;
    let (id, _) = claim(store, millis(30)).await.remove(0);
    store.postpone_push(id, millis(1000)).await.unwrap();
    assert_eq!(payloads(store, millis(999)).await, Vec::<String>::new());
    let claimed = store
        .claim_pushes(millis(1000), millis(2000), 10)
        .await
        .unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!((claimed[0].payload.as_str(), claimed[0].failures), ("a", 1));
    assert_eq!(claimed[0].at, millis(20));
}

pub(crate) async fn notification_without_task_waits_and_its_state_is_told(store: &dyn PushStore) {
    add(store, webhook("c-1")).await;
    notify(store, "c-1", "a", Some(TaskState::Working)).await;
    notify(store, "c-1", "b", None).await;
    assert_eq!(payloads(store, millis(30)).await, Vec::<String>::new());
    let told = confirm(store, "c-1", "t-1").await;
    let expected = ToldState {
        state: TaskState::Working,
        at: millis(20),
    };
    assert_eq!(told, [expected]);
    assert_eq!(payloads(store, millis(30)).await, ["a"]);
    // A task that no answer names is named by its notification, when that has waited long enough.
    add(store, webhook("c-2")).await;
    notify(store, "c-2", "early", None).await;
    assert_eq!(payloads(store, millis(4999)).await, Vec::<String>::new());
    assert_eq!(payloads(store, millis(5000)).await, ["early"]);
}

pub(crate) async fn removed_webhook_takes_its_notifications_along(store: &dyn PushStore) {
    add(store, webhook("c-1")).await;
    confirm(store, "c-1", "t-1").await;
    notify(store, "c-1", "a", None).await;
    store.remove_push_config("c-1").await.unwrap();
    store.remove_push_config("c-1").await.unwrap();
    notify(store, "c-1", "b", None).await;
    assert_eq!(payloads(store, millis(30)).await, Vec::<String>::new());
    assert_eq!(confirm(store, "c-1", "t-1").await, []);
    assert!(store.push_config("c-1").await.unwrap().is_none());
}

pub(crate) async fn webhooks_expire_after_their_task<S: Store + PushStore>(store: &S) {
    let id = record(store, decision(0)).await;
    task(store, &id, "t-1", "completed", millis(5)).await;
    for callback in ["ended", "ends", "waiting", "running", "unconfirmed"] {
        let mut config = webhook(callback);
        config.webhook.id = Some(callback.to_owned());
        add(store, config).await;
    }
    confirm(store, "ended", "t-1").await;
    confirm(store, "waiting", "t-1").await;
    confirm(store, "running", "t-2").await;
    task(store, &id, "t-3", "working", millis(5)).await;
    confirm(store, "ends", "t-3").await;
    state(store, "t-3", "canceled", millis(10)).await;
    notify(store, "waiting", "a", None).await;
    let left = async || {
        let mut left = Vec::new();
        for callback in ["ended", "ends", "waiting", "running", "unconfirmed"] {
            if store.push_config(callback).await.unwrap().is_some() {
                left.push(callback);
            }
        }
        left
    };
    store
        .expire_push_configs(millis(0), millis(0))
        .await
        .unwrap();
    assert_eq!(
        left().await,
        ["ended", "ends", "waiting", "running", "unconfirmed"]
    );
    store
        .expire_push_configs(millis(11), millis(0))
        .await
        .unwrap();
    assert_eq!(left().await, ["waiting", "running"]);
    store
        .expire_push_configs(millis(11), millis(11))
        .await
        .unwrap();
    assert_eq!(left().await, ["waiting"]);
}
