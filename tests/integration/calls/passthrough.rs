//! Same version on both sides: what the gateway does not own passes byte for byte.

use crate::{
    dialect::{BOTH, Dialect, V1, V03},
    mock::{Answer, Mock},
    world::World,
};

/// JSON that a generic reader and writer would change: numbers, spacing, order, escapes, unknown members.
const ODD: &str = r#"{ "n":1, "id":9007199254740993,"huge":123456789012345678901 , "d":0.10,"e":1E2,"minus":-0,
  "esc":"\u00e9\/é\ud83d\ude00\t","z":{"b" : 1,"a":[ ],"":null},"bool":true }"#;

fn params(dialect: Dialect) -> String {
    match dialect {
        V03 => format!(
            r#"{{ "message" : {{"kind":"message","x-new":[1.50],"role":"user","messageId":"m-1",
  "parts":[{{"kind":"data","data":{ODD}}},{{ "text":"p\u0069ng","kind":"text","metadata":{ODD}}}],
  "metadata" :{ODD} }},"configuration":{{"blocking":true , "acceptedOutputModes":[ ]}},"metadata":{ODD}}}"#
        ),
        V1 => format!(
            r#"{{ "message" : {{"x-new":[1.50],"role":"ROLE_USER","messageId":"m-1",
  "parts":[{{"data":{ODD}}},{{ "text":"p\u0069ng","metadata":{ODD}}}],
  "metadata" :{ODD} }},"configuration":{{"returnImmediately":false , "historyLength":1.0}},"metadata":{ODD}}}"#
        ),
    }
}

fn result(dialect: Dialect) -> String {
    let task = |kind: &str, state: &str| {
        format!(
            r#"{{{kind} "metadata":{ODD},"id" : "t-1", "contextId":"c-1","status":{{"state":"{state}" }},
  "artifacts":[{{"artifactId":"t-1","parts":[{{"data":{ODD}}}]}}],"x-new":{ODD}}}"#
        )
    };
    match dialect {
        V03 => task(r#""kind":"task","#, "completed"),
        V1 => format!("{{ \"task\" :\n {} }}", task("", "TASK_STATE_COMPLETED")),
    }
}

fn call(dialect: Dialect, operation: &str) -> String {
    let method = dialect.method(operation);
    format!(
        "{{\"id\":\"q1\",\"params\":{} ,\"method\":\"{method}\",\"jsonrpc\":\"2.0\"}}",
        params(dialect)
    )
}

/// Starts an agent that takes any kind of part.
async fn agent(dialect: Dialect) -> Mock {
    let mock = Mock::start(dialect, "alpha").await;
    let mut card = dialect.card("alpha", &mock.rpc_url());
    card["defaultInputModes"] = serde_json::json!(["text/plain", "application/json"]);
    mock.serves_card(&card);
    mock
}

/// Puts the agent's own ids back where the gateway has put sealed ones.
fn unsealed(text: &str) -> String {
    let mut text = text.to_owned();
    for (member, own) in [("\"id\" : \"", "t-1"), ("\"contextId\":\"", "c-1")] {
        let (before, rest) = text.split_once(member).expect(member);
        let (_sealed, after) = rest.split_once('"').unwrap();
        text = format!("{before}{member}{own}\"{after}");
    }
    text
}

#[tokio::test]
async fn c022_unary_calls_and_answers_keep_every_byte() {
    for dialect in BOTH {
        let mock = agent(dialect).await;
        mock.always(Answer::json(format!(
            "{{ \"result\":{}, \"id\":\"other\" , \"jsonrpc\":\"2.0\"}}",
            result(dialect)
        )));
        let world = World::of("alpha", &mock).await;
        for path in ["/agents/alpha", "/a2a"] {
            let reply = world.post(path, call(dialect, "SendMessage")).await;
            let got = mock.calls().pop().unwrap();
            assert_eq!(got.raw_params(), params(dialect), "{path}");
            assert_eq!(unsealed(&reply.raw("result")), result(dialect), "{path}");
            let untouched = reply.raw("result") == result(dialect);
            assert_eq!(untouched, path != "/a2a", "{path}");
        }
    }
}

#[tokio::test]
async fn c022_streams_keep_every_byte() {
    for dialect in BOTH {
        let mock = agent(dialect).await;
        // Line ends within an event become several data lines and are restored by the client.
        let lines = result(dialect).replace('\n', "\ndata: ");
        mock.always(
            Answer::stream()
                .event(format!(r#"{{"result":{lines},"id":1}}"#))
                .end(),
        );
        let world = World::of("alpha", &mock).await;
        for path in ["/agents/alpha", "/a2a"] {
            let events = world
                .follow(path, call(dialect, "SendStreamingMessage"))
                .await
                .rest()
                .await;
            assert_eq!(
                mock.calls().pop().unwrap().raw_params(),
                params(dialect),
                "{path}"
            );
            assert_eq!(events.len(), 1, "{path}: {events:?}");
            let sent = format!(
                r#"{{"jsonrpc":"2.0","id":"q1","result":{}}}"#,
                result(dialect)
            );
            assert_eq!(unsealed(&events[0].data), sent, "{path}");
        }
    }
}

#[tokio::test]
async fn c022_other_operations_keep_every_byte() {
    for dialect in BOTH {
        let mock = agent(dialect).await;
        let world = World::of("alpha", &mock).await;
        let task = world.call(dialect.send("ping")).await.task_id();
        let bare = match dialect {
            V03 => result(V03),
            V1 => result(V1)
                .trim_start_matches("{ \"task\" :\n ")
                .trim_end_matches(" }")
                .to_owned(),
        };
        mock.always(Answer::json(format!(r#"{{"result":{bare}}}"#)));
        for operation in ["GetTask", "CancelTask"] {
            let method = dialect.method(operation);
            for (path, id) in [("/agents/alpha", "t-1"), ("/a2a", task.as_str())] {
                let params = |id: &str| {
                    format!(r#"{{ "metadata":{ODD}, "id":"{id}" ,"historyLength" : 2}}"#)
                };
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":"q1","method":"{method}","params":{}}}"#,
                    params(id)
                );
                let reply = world.post(path, body).await;
                let got = mock.calls().pop().unwrap();
                assert_eq!(got.raw_params(), params("t-1"), "{path} {operation}");
                assert_eq!(unsealed(&reply.raw("result")), bare, "{path} {operation}");
            }
        }
    }
}

#[tokio::test]
async fn ids_are_rewritten_where_they_are_ids_and_nowhere_else() {
    let mock = Mock::start(V1, "alpha").await;
    let text = r#"{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_WORKING",
        "message":{"messageId":"t-1","taskId":"t-1","contextId":"c-1","role":"ROLE_AGENT",
        "parts":[{"text":"task t-1 of c-1"},{"data":{"taskId":"t-1","contextId":"c-1"}}]}},
        "history":[{"messageId":"h","taskId":"t-1","contextId":"c-1","referenceTaskIds":["t-1","t-0"],"parts":[]}],
        "metadata":{"taskId":"t-1"}}}"#;
    mock.always(Answer::json(format!(r#"{{"result":{text}}}"#)));
    let world = World::of("alpha", &mock).await;
    let task = world.call(V1.send("ping")).await.task();
    let (id, context) = (&task["id"], &task["contextId"]);
    assert!(
        id.as_str().unwrap().starts_with("gw1-") && context.as_str().unwrap().starts_with("gw1-")
    );
    assert_ne!(id, context);
    for message in [&task["status"]["message"], &task["history"][0]] {
        assert_eq!(
            (&message["taskId"], &message["contextId"]),
            (id, context),
            "{task}"
        );
    }
    assert_eq!(&task["history"][0]["referenceTaskIds"][0], id);
    assert_ne!(&task["history"][0]["referenceTaskIds"][1], id);
    let message = &task["status"]["message"];
    assert_eq!(message["messageId"], "t-1");
    assert_eq!(message["parts"][0]["text"], "task t-1 of c-1");
    assert_eq!(message["parts"][1]["data"]["taskId"], "t-1");
    assert_eq!(task["metadata"]["taskId"], "t-1");
}
