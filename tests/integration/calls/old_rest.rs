//! 0.3 over HTTP+JSON on both sides: its own form passes byte for byte, and is the one that is chosen.

use serde_json::{Value, json};

use crate::{
    dialect::{V03, success},
    mock::{Answer, Mock},
    world::{World, client::receive},
};

/// JSON that a generic reader and writer would change: numbers, spacing, order, escapes, unknown members.
const ODD: &str =
    r#"{ "n":1.0, "e":1e2,"huge":12345678901234567890 , "esc":"\u00e9\/","z":{"b" : 1,"a":[ ]} }"#;

/// Starts an agent of 0.3 that speaks HTTP+JSON, and JSON-RPC before it if `rpc` says so.
async fn agent(rpc: bool) -> Mock {
    let mock = Mock::start(V03, "alpha").await;
    let mut card = V03.card("alpha", &mock.rpc_url());
    card["defaultInputModes"] = json!(["text/plain", "application/json"]);
    let rest = json!({ "url": mock.rpc_url(), "transport": "HTTP+JSON" });
    if rpc {
        card["additionalInterfaces"] = json!([rest]);
    } else {
        card["preferredTransport"] = "HTTP+JSON".into();
    }
    mock.serves_card(&card);
    mock
}

/// What a client sends; the name of the message and the spelling of members are the client's own.
fn params(message: &str, task: &str) -> String {
    format!(
        r#"{{ "{message}" : {{"x-new":[1.50],"role":"ROLE_USER","message_id":"m-1"{task},
  "content":[{{"data":{{"data":{ODD}}}}},{{ "text":"p\u0069ng","metadata":{ODD}}}],
  "metadata" :{ODD} }},"configuration":{{"blocking":true , "x-mode":"NOVEL"}},"metadata":{ODD}}}"#
    )
}

fn task(state: &str) -> String {
    format!(
        r#"{{ "metadata":{ODD},"id" : "t-1", "contextId":"c-1","status":{{"state":"{state}" ,
  "update":{{"messageId":"s","role":"ROLE_NOVEL","content":[{{"text":"\u00e9"}}]}}}},
  "artifacts":[{{"artifactId":"t-1","parts":[{{"data":{{"data":{ODD}}}}}]}}],"x-new":{ODD}}}"#
    )
}

fn result(state: &str) -> String {
    format!("{{ \"task\" :\n {} }}", task(state))
}

/// Puts the agent's own ids back where the gateway has put sealed ones.
fn unsealed(text: &str) -> String {
    let mut text = text.to_owned();
    for (member, own) in [("\"id\" : \"", "t-1"), ("\"contextId\":\"", "c-1")] {
        let (before, rest) = text.split_once(member).expect(member);
        let (sealed, after) = rest.split_once('"').unwrap();
        assert!(sealed.starts_with("gw1-"), "{sealed}");
        text = format!("{before}{member}{own}\"{after}");
    }
    text
}

fn sealed_id(body: &str) -> String {
    let task: Value = serde_json::from_str(body).unwrap();
    task["task"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn c022_unary_calls_and_answers_keep_every_byte() {
    let mock = agent(false).await;
    // The second state is none that the protocol knows.
    for state in ["TASK_STATE_CANCELLED", "TASK_STATE_NOVEL"] {
        mock.always(Answer::json(result(state)));
        let world = World::of("alpha", &mock).await;
        for message in ["message", "request"] {
            let sent = params(message, "");
            let pinned = world.post("/agents/alpha/v1/message:send", &sent).await;
            assert_eq!(mock.calls().pop().unwrap().body, sent);
            assert_eq!(pinned.body, result(state));
            let federated = world.post("/a2a/v1/message:send", &sent).await;
            assert_eq!(mock.calls().pop().unwrap().body, sent);
            assert_eq!(unsealed(&federated.body), result(state));
        }
        let calls = mock.calls();
        assert!(
            calls
                .iter()
                .all(|call| call.target == "/rpc/v1/message:send")
        );
    }
}

#[tokio::test]
async fn c022_streams_keep_every_byte() {
    let mock = agent(false).await;
    let update = r#"{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_NOVEL"},"final":false,"x-new":1e2}}"#;
    let last = update
        .replace("NOVEL", "COMPLETED")
        .replace("false", "true");
    let lines = result("TASK_STATE_WORKING").replace('\n', "\ndata: ");
    mock.always(
        Answer::stream()
            .event(lines)
            .event(update)
            .event(&last)
            .end(),
    );
    let world = World::of("alpha", &mock).await;
    for (path, is_sealed) in [("/agents/alpha", false), ("/a2a", true)] {
        let sent = params("message", "");
        let path = format!("{path}/v1/message:stream");
        let events = world.follow(&path, &sent).await.rest().await;
        assert_eq!(mock.calls().pop().unwrap().body, sent, "{path}");
        assert_eq!(events.len(), 3, "{path}: {events:?}");
        let expected = result("TASK_STATE_WORKING");
        if is_sealed {
            assert_eq!(unsealed(&events[0].data), expected);
            let shown = events[1].json();
            assert_eq!(shown["statusUpdate"]["taskId"], sealed_id(&events[0].data));
            assert!(events[1].data.ends_with(r#""final":false,"x-new":1e2}}"#));
        } else {
            let told: Vec<_> = events.into_iter().map(|event| event.data).collect();
            assert_eq!(told, [expected.as_str(), update, &last]);
        }
    }
}

#[tokio::test]
async fn c022_operations_on_a_task_keep_every_byte() {
    let mock = agent(false).await;
    mock.always(Answer::json(result("TASK_STATE_WORKING")));
    let world = World::of("alpha", &mock).await;
    let sent = world
        .post("/a2a/v1/message:send", params("request", ""))
        .await;
    let id = sealed_id(&sent.body);
    let bare = task("TASK_STATE_INPUT_REQUIRED");
    let answer = Answer::json(&bare);
    mock.at("/rpc/v1/tasks/t-1?historyLength=2", move |_| answer.clone());
    mock.always(Answer::json(&bare));
    for (path, id, is_sealed) in [("/agents/alpha", "t-1", false), ("/a2a", id.as_str(), true)] {
        let got = world
            .get(&format!("{path}/v1/tasks/{id}?historyLength=2"))
            .await;
        let cancel = format!("{path}/v1/tasks/{id}:cancel");
        let canceled = world.post(&cancel, r#"{ "n":1e2 }"#).await;
        let call = mock.calls().pop().unwrap();
        assert_eq!(call.target, "/rpc/v1/tasks/t-1:cancel");
        assert_eq!(call.body, r#"{ "n":1e2 ,"name":"tasks/t-1"}"#);
        for reply in [got, canceled] {
            let shown = if is_sealed {
                unsealed(&reply.body)
            } else {
                reply.body
            };
            assert_eq!(shown, bare, "{path}");
        }
    }
    // The message that goes on with the task names it in the client's spelling.
    let next = |id: &str| params("message", &format!(r#","task_id":"{id}""#));
    mock.always(Answer::json(result("TASK_STATE_WORKING")));
    world.post("/a2a/v1/message:send", next(&id)).await;
    assert_eq!(mock.calls().pop().unwrap().body, next("t-1"));
}

#[tokio::test]
async fn c018_of_two_interfaces_of_one_version_the_one_of_the_same_form_is_called() {
    let mock = agent(true).await;
    mock.answers(|call| {
        if call.target == "/rpc" {
            let task = V03.task("t-1", "c-1", "completed");
            return Answer::json(success(call, &task));
        }
        Answer::json(result("TASK_STATE_COMPLETED"))
    });
    let world = World::of("alpha", &mock).await;
    world
        .post("/a2a/v1/message:send", params("message", ""))
        .await;
    assert_eq!(mock.calls().pop().unwrap().target, "/rpc/v1/message:send");
    world.call(V03.send("ping")).await.task_id();
    assert_eq!(mock.calls().pop().unwrap().target, "/rpc");
}

#[tokio::test]
async fn c018_messages_in_the_words_of_json_rpc_are_put_into_those_of_the_agent() {
    let mock = agent(false).await;
    mock.always(Answer::json(result("TASK_STATE_COMPLETED")));
    let world = World::of("alpha", &mock).await;
    let sent = json!({ "message": V03.message("ping"), "configuration": { "blocking": true } });
    world.post("/a2a/v1/message:send", &sent).await.json();
    let got = mock.only_call().json();
    let message = json!({
        "messageId": "m-1", "role": "ROLE_USER", "content": [{ "text": "ping" }]
    });
    assert_eq!(
        got,
        json!({ "message": message, "configuration": { "blocking": true } })
    );
}

#[tokio::test]
async fn the_decision_is_named_in_the_result_of_a_client_that_asks() {
    let mock = agent(false).await;
    let told = r#"{"msg":{"messageId":"r","role":"ROLE_AGENT","content":[{"text":"hi"}],"n":1e2}}"#;
    mock.always(Answer::json(told));
    let world = World::of("alpha", &mock).await;
    let routing = "urn:a2a-gateway:routing:1";
    let request = world
        .rpc("/a2a/v1/message:send", params("message", ""))
        .header("x-a2a-extensions", routing);
    let reply = receive(request).await;
    let decision = reply.header("x-a2a-gateway-decision").unwrap();
    let named = format!(r#","metadata":{{"{routing}":{{"decisionId":"{decision}"}}}}}}}}"#);
    assert_eq!(reply.body, told.replace("}}", &named));
}
