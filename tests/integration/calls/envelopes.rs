//! Requests that are none, and the ids of those that are.

use crate::{
    dialect::{BOTH, V1},
    mock::{Answer, Mock},
    world::World,
};

/// A body, the code it is refused with, and the id of the refusal.
type Refused = (String, i64, &'static str);

fn k1() -> String {
    V1.send("ping").to_string()
}

fn with_params(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{params}}}"#)
}

fn broken_json() -> Vec<Refused> {
    let k1 = k1();
    let bodies = [
        "{".to_owned(),
        String::new(),
        "nonsense".to_owned(),
        format!("{k1}{k1}"),
        k1.replace("\"ping\"", "\"\u{1}\""),
    ];
    bodies.map(|body| (body, -32700, "null")).to_vec()
}

fn bad_envelopes() -> Vec<Refused> {
    let k1 = k1();
    let nameless = [
        "[]".to_owned(),
        format!("[{k1},{k1}]"),
        "\"text\"".to_owned(),
        "7".to_owned(),
        "{}".to_owned(),
        k1.replace("\"q1\"", "{}"),
        k1.replace("\"q1\"", "[1]"),
        k1.replace("\"q1\"", "true"),
    ];
    let named = [
        k1.replace("\"2.0\"", "\"1.0\""),
        k1.replace("\"2.0\"", "2.0"),
        k1.replace("\"jsonrpc\"", "\"version\""),
        k1.replace("\"method\"", "\"name\""),
        k1.replace("\"SendMessage\"", "7"),
        k1.replace("\"jsonrpc\"", "\"method\":\"GetTask\",\"jsonrpc\""),
    ];
    let nameless = nameless.map(|body| (body, -32600, "null"));
    let named = named.map(|body| (body, -32600, "\"q1\""));
    nameless.into_iter().chain(named).collect()
}

fn unknown_methods() -> Vec<Refused> {
    let methods = [
        "sendmessage",
        "SendMessage ",
        "message/Send",
        "",
        "rpc.discover",
        "tasks/list",
    ];
    let body = |method| k1().replace("\"SendMessage\"", &format!("\"{method}\""));
    methods
        .map(|method| (body(method), -32601, "\"q1\""))
        .to_vec()
}

fn bad_params() -> Vec<Refused> {
    let message = V1.message("ping").to_string();
    let whole = [
        "[]",
        "\"x\"",
        "null",
        "{}",
        "{\"message\":null}",
        "{\"message\":[]}",
    ];
    let parts = [
        "[]",
        "null",
        "{}",
        "[{}]",
        "[{\"metadata\":{}}]",
        "[null]",
        "[{\"text\":7}]",
    ];
    let messages = [
        message.replace("ROLE_USER", "user"),
        message.replace("\"m-1\"", "\"\""),
        message.replace("\"m-1\"", "7"),
        message.replace("\"parts\"", "\"pieces\""),
        message.replace("\"parts\"", "\"contextId\":{},\"parts\""),
    ];
    let with_parts = |parts: &str| {
        format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":{parts}}}}}"#)
    };
    let whole = whole.map(str::to_owned).into_iter();
    let all = whole
        .chain(parts.map(with_parts))
        .chain(messages.map(|message| format!(r#"{{"message":{message}}}"#)));
    all.map(|params| (with_params(&params), -32602, "\"q1\""))
        .collect()
}

#[tokio::test]
async fn c067_malformed_requests_are_refused_and_reach_no_agent() {
    let cases = [
        broken_json(),
        bad_envelopes(),
        unknown_methods(),
        bad_params(),
    ]
    .concat();
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for (body, code, id) in cases {
        for path in ["/a2a", "/agents/alpha"] {
            let reply = world.post(path, &body).await;
            assert_eq!(reply.code(), code, "{path} {body}: {}", reply.body);
            assert_eq!(reply.json()["jsonrpc"], "2.0");
            assert_eq!(reply.raw("id"), id, "{path} {body}: {}", reply.body);
            if code == -32602 {
                let data = reply.error()["data"].to_string();
                assert!(
                    data.contains("\"field\""),
                    "no field path: {} for {body}",
                    reply.body
                );
            }
        }
    }
    assert_eq!(mock.methods(), Vec::<String>::new());
    assert_eq!(world.decisions("").await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn c067_operations_on_tasks_need_an_id() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for operation in crate::dialect::TASK_OPERATIONS {
            for params in [
                "{}",
                r#"{"id":""}"#,
                r#"{"id":7}"#,
                r#"{"id":null}"#,
                r#"{"id":["t"]}"#,
            ] {
                let params = serde_json::from_str(params).unwrap();
                for path in ["/a2a", "/agents/alpha"] {
                    let reply = world.post(path, dialect.call(operation, &params)).await;
                    assert_eq!(
                        reply.code(),
                        -32602,
                        "{path} {operation} {params}: {}",
                        reply.body
                    );
                }
            }
        }
        assert_eq!(mock.methods(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn c067_bodies_that_do_not_call_themselves_json_are_refused() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for content_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let request = world.request(reqwest::Method::POST, "/a2a");
        let request = request
            .header("content-type", content_type)
            .body(V1.send("ping").to_string());
        let reply = crate::world::client::receive(request).await;
        assert_eq!(
            (reply.status, reply.code()),
            (415, -32005),
            "{content_type}"
        );
    }
    assert!(mock.calls().is_empty());
}

#[tokio::test]
async fn c067_request_ids_come_back_and_go_on_exactly_as_spelled() {
    let ids = [
        "\"q1\"",
        "\"\"",
        "\"7\"",
        r#""\u00e9\/""#,
        "7",
        "0",
        "-1",
        "null",
        "1.0",
        "1e2",
        "-0",
        "1E+2",
        "9007199254740993",
        "123456789012345678901234567890",
        "0.10",
    ];
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for id in ids {
            let with_id = |call: serde_json::Value| call.to_string().replacen("\"q1\"", id, 1);
            for path in ["/a2a", "/agents/alpha"] {
                mock.answers(move |call| dialect.obliging(call));
                let reply = world.post(path, with_id(dialect.send("ping"))).await;
                assert_eq!(
                    (reply.raw("id").as_str(), reply.raw("result").is_empty()),
                    (id, false)
                );
                assert_eq!(mock.calls().pop().unwrap().rpc_id(), id, "{path}");

                let stream = world.follow(path, with_id(dialect.stream("ping"))).await;
                for event in stream.rest().await {
                    let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
                    assert!(
                        event.data.starts_with(&start),
                        "{path} {id}: {}",
                        event.data
                    );
                }
                mock.always(Answer::json(
                    r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32042,"message":"no"}}"#,
                ));
                let refused = world.post(path, with_id(dialect.send("ping"))).await;
                assert_eq!(
                    (refused.raw("id").as_str(), refused.code()),
                    (id, -32042),
                    "{path}"
                );

                mock.always(Answer::http(500, "", "broken"));
                let broken = world.post(path, with_id(dialect.send("ping"))).await;
                assert_eq!(broken.raw("id"), id, "{path}: {}", broken.body);
            }
            let missing = world.call(with_id(dialect.about("GetTask", "none"))).await;
            assert_eq!((missing.raw("id").as_str(), missing.code()), (id, -32001));
            let unknown = world
                .post("/agents/nobody", with_id(dialect.send("ping")))
                .await;
            assert_eq!((unknown.raw("id").as_str(), unknown.status), (id, 404));
        }
    }
}
