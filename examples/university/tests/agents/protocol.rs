//! What every A2A server must do, whoever it is.

use std::time::Duration;

use serde_json::{Value, json};
use university::Agent;

use crate::client::{World, follow_up, message, old_message};

const SLOW: &str = "Review my scholarship, income 18,000 euros";

#[tokio::test]
async fn card_is_served_with_its_tag_and_not_again_to_who_has_it() {
    let world = World::start(10).await;
    for (agent, base) in world.federation.urls() {
        let url = format!("{base}/.well-known/agent-card.json");
        let response = world.http.get(&url).send().await.unwrap();
        assert_eq!(response.headers()["cache-control"], "max-age=60");
        assert_eq!(response.headers()["content-type"], "application/json");
        let tag = response.headers()["etag"].clone();
        let card: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        let endpoint = card["url"]
            .as_str()
            .or(card["supportedInterfaces"][0]["url"].as_str());
        assert_eq!(endpoint, Some(format!("{base}/a2a").as_str()));

        let again = world
            .http
            .get(&url)
            .header("if-none-match", tag)
            .send()
            .await
            .unwrap();
        assert_eq!(again.status(), 304);
        assert_eq!(again.headers()["cache-control"], "max-age=60");
        let other = world
            .http
            .get(&url)
            .header("if-none-match", "\"other\"")
            .send()
            .await
            .unwrap();
        assert_eq!(other.status(), 200);

        let old = format!("{base}/.well-known/agent.json");
        let old = world.http.get(old).send().await.unwrap();
        assert_eq!(old.status().is_success(), agent == Agent::Letters);
    }
}

#[tokio::test]
async fn agents_of_1_0_refuse_other_versions_and_0_3_does_not_look() {
    let world = World::start(10).await;
    let request = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    };
    let post = async |agent, query: &str, version: Option<&str>, body: String| {
        let mut post = world
            .http
            .post(format!("{}/a2a{query}", world.federation.url(agent)));
        if let Some(version) = version {
            post = post.header("A2A-Version", version);
        }
        let text = post.body(body).send().await.unwrap().text().await.unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    for version in [None, Some("0.3"), Some("2.0")] {
        let body = request("SendMessage", message("Hello, where is the library?"));
        let answer = post(Agent::Helper, "", version, body).await;
        assert_eq!(answer["error"]["code"], -32009, "{version:?}");
        assert_eq!(
            answer["error"]["data"][0]["reason"],
            "VERSION_NOT_SUPPORTED"
        );
    }
    let body = request("SendMessage", message("Where is the library?"));
    let answer = post(Agent::Helper, "?A2A-Version=1.0", None, body).await;
    assert!(answer["result"]["task"].is_object(), "{answer}");
    let body = request("message/send", old_message("a letter"));
    let answer = post(Agent::Letters, "", Some("1.0"), body).await;
    assert_eq!(answer["result"]["kind"], "task");
}

#[tokio::test]
async fn request_id_comes_back_as_it_was_sent() {
    let world = World::start(10).await;
    for id in ["7", "\"7\"", "null", "-1", "9007199254740993"] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"GetTask","params":{{"id":"none"}}}}"#);
        let answer = world.post(Agent::Helper, body).await.text().await.unwrap();
        assert!(answer.contains(&format!(r#""id":{id},"#)), "{answer}");
    }
}

#[tokio::test]
async fn bad_envelopes_and_params_are_refused_by_their_code() {
    let world = World::start(10).await;
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"{"id":1,"method":"GetTask"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"}"#, -32602),
    ] {
        let answer = world
            .post(Agent::Helper, body.to_owned())
            .await
            .text()
            .await
            .unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["code"], code, "{body}");
    }
    let agent = Agent::Scholarships;
    assert_eq!(
        world.error(agent, "message/send", message("x")).await,
        -32601
    );
    assert_eq!(world.error(agent, "SendMessage", json!({})).await, -32602);
    let mut empty = message("x");
    empty["message"]["parts"] = json!([]);
    assert_eq!(world.error(agent, "SendMessage", empty).await, -32602);
    assert_eq!(
        world.error(agent, "GetTask", json!({"id": 5})).await,
        -32602
    );
    assert_eq!(
        world
            .error(agent, "GetExtendedAgentCard", Value::Null)
            .await,
        -32004
    );
    let push = json!({"taskId": "x", "url": "https://a.example"});
    assert_eq!(
        world
            .error(agent, "CreateTaskPushNotificationConfig", push)
            .await,
        -32003
    );
    assert_eq!(
        world
            .error(Agent::Letters, "SendMessage", message("x"))
            .await,
        -32601
    );
}

#[tokio::test]
async fn unknown_task_is_not_found_by_any_operation() {
    let world = World::start(10).await;
    for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
        let code = world
            .error(Agent::Helper, method, json!({"id": "none"}))
            .await;
        assert_eq!(code, -32001, "{method}");
    }
    let params = follow_up(&json!({"id": "none"}), "x");
    assert_eq!(
        world.error(Agent::Helper, "SendMessage", params).await,
        -32001
    );
    for method in ["tasks/get", "tasks/cancel", "tasks/resubscribe"] {
        let code = world
            .error(Agent::Letters, method, json!({"id": "none"}))
            .await;
        assert_eq!(code, -32001, "{method}");
    }
}

#[tokio::test]
async fn ended_task_takes_no_message_and_no_subscriber() {
    let world = World::start(10).await;
    let task = world.send(Agent::Helper, "Where is the library?").await;
    let params = follow_up(&task, "And the cafeteria?");
    assert_eq!(
        world.error(Agent::Helper, "SendMessage", params).await,
        -32004
    );
    let id = json!({"id": task["id"]});
    assert_eq!(
        world
            .error(Agent::Helper, "SubscribeToTask", id.clone())
            .await,
        -32004
    );
    assert_eq!(world.error(Agent::Helper, "CancelTask", id).await, -32002);
}

#[tokio::test]
async fn context_is_kept_and_a_foreign_one_refused() {
    let world = World::start(10).await;
    let mut params = message("Am I entitled to a grant?");
    params["message"]["contextId"] = json!("my-context");
    let task = world
        .result(Agent::Scholarships, "SendMessage", params)
        .await["task"]
        .take();
    assert_eq!(task["contextId"], "my-context");
    assert_eq!(task["history"][0]["contextId"], "my-context");
    let mut params = follow_up(&task, "18000");
    params["message"]["contextId"] = json!("other");
    assert_eq!(
        world
            .error(Agent::Scholarships, "SendMessage", params)
            .await,
        -32602
    );
}

#[tokio::test]
async fn history_length_is_honoured() {
    let world = World::start(10).await;
    let mut params = message(SLOW);
    params["configuration"] = json!({"historyLength": 1});
    let task = world
        .result(Agent::Scholarships, "SendMessage", params)
        .await["task"]
        .take();
    assert_eq!(task["history"].as_array().unwrap().len(), 1);
    let id = &task["id"];
    let get = async |params| world.result(Agent::Scholarships, "GetTask", params).await;
    assert_eq!(
        get(json!({"id": id})).await["history"][0]["messageId"],
        "m-1"
    );
    assert!(
        get(json!({"id": id, "historyLength": 0}))
            .await
            .get("history")
            .is_none()
    );
    let code = world.error(
        Agent::Scholarships,
        "GetTask",
        json!({"id": id, "historyLength": -1}),
    );
    assert_eq!(code.await, -32602);
}

#[tokio::test]
async fn subscriber_gets_a_snapshot_first_and_leaving_does_not_cancel() {
    let world = World::start(60).await;
    let agent = Agent::Scholarships;
    let mut first = world
        .stream(agent, "SendStreamingMessage", message(SLOW))
        .await;
    let id = first.next().await.unwrap()["task"]["id"].clone();
    first.next().await.unwrap();
    drop(first);

    let params = json!({"id": id});
    let events = world
        .stream(agent, "SubscribeToTask", params)
        .await
        .rest()
        .await;
    assert_eq!(events[0]["task"]["status"]["state"], "TASK_STATE_WORKING");
    let last = events.last().unwrap();
    assert_eq!(
        last["statusUpdate"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
}

#[tokio::test]
async fn stream_ends_with_the_question_and_a_subscriber_sees_it_answered() {
    let world = World::start(10).await;
    let agent = Agent::Scholarships;
    let stream = world
        .stream(agent, "SendStreamingMessage", message("Am I due a grant?"))
        .await;
    let events = stream.rest().await;
    let last = events.last().unwrap();
    assert_eq!(
        last["statusUpdate"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );

    let task = &events[0]["task"];
    let mut watching = world
        .stream(agent, "SubscribeToTask", json!({"id": task["id"]}))
        .await;
    let snapshot = watching.next().await.unwrap();
    assert_eq!(
        snapshot["task"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );
    let answered = world
        .result(agent, "SendMessage", follow_up(task, "90.000 euros"))
        .await;
    assert_eq!(answered["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let seen = watching.rest().await;
    assert_eq!(
        seen.last().unwrap()["statusUpdate"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
}

#[tokio::test]
async fn send_of_0_3_returns_at_once_only_when_it_is_not_to_block() {
    let world = World::start(500).await;
    let mut params = old_message("a letter to the dean");
    params["configuration"] = json!({"blocking": false});
    let task = world.result(Agent::Letters, "message/send", params).await;
    assert_eq!(task["status"]["state"], "working");
    let id = json!({"id": task["id"]});
    let canceled = world
        .result(Agent::Letters, "tasks/cancel", id.clone())
        .await;
    assert_eq!(canceled["status"]["state"], "canceled");
    assert_eq!(
        world.error(Agent::Letters, "tasks/resubscribe", id).await,
        -32004
    );
    let task = world
        .result(Agent::Letters, "message/send", old_message("a letter"))
        .await;
    assert_eq!(task["status"]["state"], "completed");
}

#[tokio::test]
async fn tasks_are_listed_newest_first() {
    let world = World::start(10).await;
    let first = world.send(Agent::Helper, "Where is the library?").await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let second = world.send(Agent::Helper, "Where is the gym?").await;
    let page = world
        .result(Agent::Helper, "ListTasks", json!({"pageSize": 1}))
        .await;
    assert_eq!(page["tasks"][0]["id"], second["id"]);
    assert_eq!(page["totalSize"], 2);
    let next = json!({"pageToken": page["nextPageToken"], "pageSize": 1});
    let page = world.result(Agent::Helper, "ListTasks", next).await;
    assert_eq!(
        (&page["tasks"][0]["id"], &page["nextPageToken"]),
        (&first["id"], &json!(""))
    );
}

#[tokio::test]
async fn shutdown_ends_streams_and_fails_what_is_under_way() {
    let world = World::start(60_000).await;
    let stream = world
        .stream(Agent::Scholarships, "SendStreamingMessage", message(SLOW))
        .await;
    let all_ended = world.federation.shutdown().await;
    assert!(all_ended, "nothing is left behind");
    let events = stream.rest().await;
    let state = &events.last().unwrap()["statusUpdate"]["status"]["state"];
    assert_eq!(state, "TASK_STATE_FAILED");
}
