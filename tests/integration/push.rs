//! Push notifications through the gateway: webhooks of clients on one side, callbacks for agents on the other.

mod delivery;
mod refusal;
mod registration;

use serde_json::{Value, json};

use crate::{
    dialect::{Dialect, V1, V03, success},
    mock::{Answer, Mock, Request},
    world::{Reply, Setup, World, eventually},
};

/// The token that the client wants to see at its webhook.
const TOKEN: &str = "tk-secret";
/// What the client's webhook is called with.
const CREDENTIALS: &str = "cr-secret";

impl Dialect {
    /// Returns the client's configuration without its task, as sends hold it.
    fn webhook(self, url: &str) -> Value {
        let authentication = match self {
            V03 => json!({ "schemes": ["Bearer"], "credentials": CREDENTIALS }),
            V1 => json!({ "scheme": "Bearer", "credentials": CREDENTIALS }),
        };
        json!({ "id": "p1", "url": url, "token": TOKEN, "authentication": authentication })
    }

    /// Returns the call that registers a webhook for a task.
    fn create(self, task: &str, webhook: &Value) -> Value {
        let params = match self {
            V03 => json!({ "taskId": task, "pushNotificationConfig": webhook }),
            V1 => {
                let mut params = webhook.clone();
                params["taskId"] = task.into();
                params
            }
        };
        self.call("CreateTaskPushNotificationConfig", &params)
    }

    /// Returns a call about the webhook `p1` of a task.
    fn about_webhook(self, operation: &str, task: &str) -> Value {
        let params = match self {
            V03 => json!({ "id": task, "pushNotificationConfigId": "p1" }),
            V1 => json!({ "taskId": task, "id": "p1" }),
        };
        self.call(operation, &params)
    }

    /// Returns a call that sends a text along with a webhook.
    fn send_with(self, operation: &str, webhook: &Value) -> Value {
        let member = match self {
            V03 => "pushNotificationConfig",
            V1 => "taskPushNotificationConfig",
        };
        let configuration = json!({ member: webhook });
        self.call(
            operation,
            &json!({ "message": self.message("echo this"), "configuration": configuration }),
        )
    }

    /// Returns the notification that task `t-1` is in a state.
    fn notification(self, state: &str) -> Value {
        match self {
            V03 => self.task("t-1", "c-1", state),
            V1 => json!({ "statusUpdate": {
                "taskId": "t-1", "contextId": "c-1", "status": { "state": self.state(state) }
            }}),
        }
    }

    /// Returns the task id and the state in a notification.
    fn told(self, notification: &Value) -> (String, String) {
        let (id, status) = match self {
            V03 if notification["kind"] == "task" => (&notification["id"], &notification["status"]),
            V03 => (&notification["taskId"], &notification["status"]),
            V1 if notification.get("task").is_some() => {
                (&notification["task"]["id"], &notification["task"]["status"])
            }
            V1 => (
                &notification["statusUpdate"]["taskId"],
                &notification["statusUpdate"]["status"],
            ),
        };
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        (text(id), text(&status["state"]))
    }

    /// Finds what an agent of this version was told to notify, in the parameters of a registration or a send.
    fn callback(self, call: &Request) -> Callback {
        let params = call.params();
        let config = match self {
            V03 => params["pushNotificationConfig"]
                .as_object()
                .or_else(|| params["configuration"]["pushNotificationConfig"].as_object()),
            V1 => params["configuration"]["taskPushNotificationConfig"]
                .as_object()
                .or_else(|| params.as_object()),
        };
        let config = Value::Object(
            config
                .unwrap_or_else(|| panic!("no callback: {params}"))
                .clone(),
        );
        let authentication = &config["authentication"];
        match self {
            V03 => assert_eq!(authentication["schemes"], json!(["Bearer"]), "{config}"),
            V1 => assert_eq!(authentication["scheme"], "Bearer", "{config}"),
        }
        let url = config["url"].as_str().unwrap();
        let path = url.splitn(4, '/').nth(3).unwrap();
        Callback {
            id: config["id"].as_str().unwrap().to_owned(),
            path: format!("/{path}"),
            bearer: authentication["credentials"].as_str().unwrap().to_owned(),
            config,
        }
    }
}

/// What an agent was given in place of the client's webhook.
#[derive(Debug, Clone)]
struct Callback {
    id: String,
    path: String,
    bearer: String,
    config: Value,
}

impl Callback {
    /// Notifies as an agent does that shows its credential.
    async fn notify(&self, world: &World, notification: &Value) -> u16 {
        let bearer = format!("Bearer {}", self.bearer);
        self.notify_with(world, &[("authorization", &bearer)], notification)
            .await
    }

    async fn notify_with(
        &self,
        world: &World,
        headers: &[(&str, &str)],
        notification: &Value,
    ) -> u16 {
        let mut request = world.rpc(&self.path, notification);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap().status().as_u16()
    }
}

/// Starts an agent with push notifications whose tasks keep working.
async fn notifying(dialect: Dialect) -> Mock {
    let mock = Mock::bare().await;
    let mut card = dialect.card("notifier", &mock.rpc_url());
    card["capabilities"]["pushNotifications"] = json!(true);
    mock.serves_card(&card);
    mock.answers(move |call| answer(dialect, call));
    mock
}

fn answer(dialect: Dialect, call: &Request) -> Answer {
    let method = call.rpc_method();
    if method == dialect.method("CreateTaskPushNotificationConfig") {
        return Answer::json(success(call, &call.params()));
    }
    if method == dialect.method("DeleteTaskPushNotificationConfig") {
        return Answer::json(success(call, &Value::Null));
    }
    if method == dialect.method("SendMessage") {
        return Answer::json(success(call, &dialect.sent_task("t-1", "c-1", "working")));
    }
    dialect.obliging(call)
}

/// Starts a webhook that answers with these statuses in turn, and with 200 from there on.
async fn hook(statuses: &'static [u16]) -> Mock {
    let mock = Mock::bare().await;
    let answered = std::sync::atomic::AtomicUsize::new(0);
    mock.answers(move |_| {
        let place = answered.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Answer::http(statuses.get(place).copied().unwrap_or(200), "", "")
    });
    mock
}

/// Starts a gateway in front of an agent, which may call webhooks on this machine.
async fn relaying(agent: &Mock) -> World {
    let setup = Setup::new().agent("notifier", agent);
    setup.section("push: { allow: [127.0.0.1] }").start().await
}

/// Sends a text and returns the client's id of the task.
async fn task_of(world: &World, dialect: Dialect) -> String {
    world.call(dialect.send("echo this")).await.task_id()
}

/// Registers a webhook for a task and returns what the agent got.
async fn register(
    world: &World,
    agent: (Dialect, &Mock),
    client: Dialect,
    hook: &Mock,
) -> (String, Callback) {
    let task = task_of(world, client).await;
    let webhook = client.webhook(&format!("{}/hook", hook.url()));
    world.call(client.create(&task, &webhook)).await.result();
    let call = agent.1.calls().pop().unwrap();
    (task, agent.0.callback(&call))
}

/// Returns the states that a webhook was told of, once there are so many.
async fn told(hook: &Mock, client: Dialect, count: usize) -> Vec<String> {
    hook.called(count).await;
    let states = hook.calls();
    states
        .iter()
        .map(|call| client.told(&call.json()).1)
        .collect()
}

/// Returns the field that a refusal names; that of a stream is its only event.
#[track_caller]
fn field(reply: &Reply) -> String {
    let body = reply.body.trim_start_matches("data: ");
    let answer: Value = serde_json::from_str(body).unwrap();
    let error = &answer["error"];
    assert_eq!(error["code"], -32602, "{error}");
    let details = error["data"].as_array().unwrap();
    let violation = details
        .iter()
        .find_map(|detail| detail["fieldViolations"][0]["field"].as_str());
    violation
        .unwrap_or_else(|| panic!("no field: {error}"))
        .to_owned()
}
