//! Errors that agents answer.

use serde_json::json;

use crate::{
    dialect::{BOTH, V1},
    mock::{Answer, Mock},
    world::World,
};

const CODES: [i64; 12] = [
    -32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009, -32602, -32603, -32042,
];

/// An error that a generic reader and writer would change.
fn error(code: i64) -> String {
    format!(
        r#"{{ "message":"no \u00e9","code":{code},"data":[{{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"a2a-protocol.org","metadata":{{"k":"v"}}}},{{"@type":"x","n":1, "m":1.0}}], "x-new":[ ]}}"#
    )
}

#[tokio::test]
async fn c061_agent_errors_pass_unchanged_whatever_the_status() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        let task = world.call(dialect.send("ping")).await.task_id();
        for code in CODES {
            for status in [200, 400, 404, 500] {
                let body = format!(
                    r#"{{"error":{},"id":"other","jsonrpc":"2.0"}}"#,
                    error(code)
                );
                mock.always(Answer::http(
                    status,
                    "content-type: application/json\r\n",
                    body,
                ));
                let calls = [
                    ("/a2a", dialect.send("ping")),
                    ("/agents/alpha", dialect.send("ping")),
                    ("/a2a", dialect.about("GetTask", &task)),
                    ("/agents/alpha", dialect.about("CancelTask", "t-1")),
                ];
                for (path, call) in calls {
                    let reply = world.post(path, &call).await;
                    assert_eq!(reply.raw("error"), error(code), "{path} {status} {call}");
                    assert_eq!(reply.raw("id"), "\"q1\"");
                    assert_eq!(reply.status, 200);
                }
            }
        }
    }
}

#[tokio::test]
async fn c061_errors_inside_streams_pass_unchanged_and_end_them() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for code in CODES {
            let first = json!({ "jsonrpc": "2.0", "id": 1, "result": dialect.sent_task("t-1", "c-1", "working") });
            let last = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{}}}"#, error(code));
            mock.always(Answer::stream().event(&first).event(&last).end());
            for path in ["/a2a", "/agents/alpha"] {
                let events = world
                    .follow(path, dialect.stream("ping"))
                    .await
                    .rest()
                    .await;
                assert_eq!(events.len(), 2, "{events:?}");
                assert!(
                    events[1].data.contains(&error(code)),
                    "{path}: {}",
                    events[1].data
                );
                assert_eq!(events[1].json()["id"], "q1");
            }
        }
    }
}

#[tokio::test]
async fn c061_ids_in_the_details_of_errors_are_sealed_like_all_others() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let task = world.call(V1.send("ping")).await.task_id();
    let error = json!({ "code": -32002, "message": "task t-1 is done", "data": [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_CANCELABLE",
          "domain": "a2a-protocol.org", "metadata": { "taskId": "t-1", "k": "t-1" } }
    ]});
    mock.always(Answer::json(
        json!({ "jsonrpc": "2.0", "id": 1, "error": error }),
    ));
    let sealed = world.call(V1.about("CancelTask", &task)).await.error();
    assert_eq!(
        sealed["data"][0]["metadata"],
        json!({ "taskId": task, "k": "t-1" })
    );
    assert_eq!(sealed["message"], "task t-1 is done");
    let pinned = world
        .post("/agents/alpha", V1.about("CancelTask", "t-1"))
        .await
        .error();
    assert_eq!(pinned, error);
}

#[tokio::test]
async fn c053_an_error_about_a_finished_task_passes_and_says_nothing_about_health() {
    for dialect in BOTH {
        let (alpha, beta) = (
            Mock::start(dialect, "alpha").await,
            Mock::start(dialect, "beta").await,
        );
        let setup = crate::world::Setup::new()
            .agent("alpha", &alpha)
            .agent("beta", &beta);
        let world = setup.start().await;
        let mut first = dialect.send("ping");
        first["params"]["metadata"] = json!({ "agent": "alpha" });
        let task = world.call(first).await.task_id();
        for code in [-32004, -32602] {
            alpha.always(Answer::json(format!(
                r#"{{"id":1,"jsonrpc":"2.0","error":{}}}"#,
                error(code)
            )));
            for _ in 0..20 {
                let mut call = dialect.send("and now?");
                call["params"]["message"]["taskId"] = task.as_str().into();
                assert_eq!(world.call(call).await.raw("error"), error(code));
            }
        }
        assert!(beta.calls().is_empty());
        let ratio = world.agent("alpha").await["answer_ratio"].as_f64().unwrap();
        assert!(ratio > 0.999, "{ratio}");
    }
}

#[tokio::test]
async fn operations_that_an_agent_has_not_are_refused_as_unsupported() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for (operation, code) in [
        ("CreateTaskPushNotificationConfig", -32003),
        ("GetTaskPushNotificationConfig", -32003),
        ("ListTaskPushNotificationConfigs", -32003),
        ("DeleteTaskPushNotificationConfig", -32003),
        ("GetExtendedAgentCard", -32004),
    ] {
        let params = json!({ "taskId": "t-1", "id": "p-1", "url": "https://hook.example" });
        let reply = world
            .post("/agents/alpha", V1.call(operation, &params))
            .await;
        assert_eq!(reply.code(), code, "{operation}: {}", reply.body);
    }
    let mut push = V1.send("ping");
    push["params"]["configuration"] =
        json!({ "taskPushNotificationConfig": { "url": "https://hook.example" } });
    assert_eq!(world.call(push).await.code(), -32003);
    assert!(mock.calls().is_empty(), "{:?}", mock.methods());
}
