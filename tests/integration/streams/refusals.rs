//! Agents that answer a request for a stream with something else.

use serde_json::json;

use crate::{
    dialect::{BOTH, Dialect, V1, V03, failure, success},
    mock::{Answer, Mock},
    world::{Reply, World},
};

/// How an agent labels a plain JSON answer.
const LABELS: [&str; 6] = [
    "content-type: application/json\r\n",
    "content-type: application/json; charset=utf-8\r\n",
    "",
    "content-type: text/event-stream\r\n",
    "content-type: text/plain\r\n",
    "content-type: application/octet-stream\r\n",
];

/// Returns the only answer to a stream, whether it came as JSON or as the one event of a stream.
async fn only_answer(world: &World, path: &str, call: &serde_json::Value) -> serde_json::Value {
    let reply: Reply = world.post(path, call).await;
    let json = reply.header("content-type") == Some("application/json");
    let text = if json {
        reply.body.clone()
    } else {
        let data: Vec<_> = reply
            .body
            .split("\n\n")
            .filter_map(|block| block.strip_prefix("data: "))
            .collect();
        assert_eq!(data.len(), 1, "{}", reply.body);
        data[0].to_owned()
    };
    assert_eq!(reply.status, 200, "{}", reply.body);
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn c038_an_error_in_place_of_a_stream_reaches_the_client() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for label in LABELS {
            for status in [200, 400, 500] {
                mock.answers(move |call| Answer::http(status, label, failure(call, -32004, "no")));
                for path in ["/a2a", "/agents/alpha"] {
                    let answer = only_answer(&world, path, &dialect.stream("ping")).await;
                    assert_eq!(
                        answer["error"]["code"], -32004,
                        "{label} {status}: {answer}"
                    );
                    assert_eq!(
                        (&answer["error"]["message"], &answer["id"]),
                        (&json!("no"), &json!("q1"))
                    );
                }
                let newest = world.decisions("limit=1").await.remove(0);
                let ended = world.outcome(&newest["id"], "error").await;
                assert_eq!(ended["outcome"]["error"]["code"], -32004);
            }
        }
    }
}

#[tokio::test]
async fn c038_a_subscription_that_is_refused_is_an_error_as_well() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for label in LABELS {
            mock.answers(move |call| Answer::http(200, label, failure(call, -32001, "gone")));
            let call = dialect.about("SubscribeToTask", "t-1");
            let answer = only_answer(&world, "/agents/alpha", &call).await;
            assert_eq!(
                (&answer["error"]["code"], &answer["id"]),
                (&json!(-32001), &json!("q1")),
                "{label}"
            );
        }
    }
}

#[tokio::test]
async fn c038_clients_of_0_3_get_an_error_as_an_event_since_they_read_nothing_else() {
    for (dialect, expected) in [(V03, "text/event-stream"), (V1, "application/json")] {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        mock.answers(move |call| Answer::http(200, LABELS[0], failure(call, -32004, "no")));
        for (path, call, code) in [
            ("/a2a", dialect.about("SubscribeToTask", "unknown"), -32001),
            ("/agents/alpha", dialect.stream("ping"), -32004),
        ] {
            let reply = world.post(path, &call).await;
            assert_eq!(reply.header("content-type"), Some(expected), "{path}");
            let answer = only_answer(&world, path, &call).await;
            assert_eq!(
                (&answer["error"]["code"], &answer["id"]),
                (&json!(code), &json!("q1"))
            );
        }
    }
}

#[tokio::test]
async fn c038_a_result_in_place_of_a_stream_is_its_only_event() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for label in LABELS {
            mock.answers(move |call| {
                Answer::http(
                    200,
                    label,
                    success(call, &dialect.sent_task("t-1", "c-1", "completed")),
                )
            });
            let results = world
                .follow("/agents/alpha", dialect.stream("ping"))
                .await
                .results()
                .await;
            assert_eq!(
                results,
                [dialect.sent_task("t-1", "c-1", "completed")],
                "{label}"
            );
        }
    }
}

#[tokio::test]
async fn c038_c044_what_is_neither_stream_nor_answer_is_an_error_and_never_an_empty_stream() {
    let html = "<html>secret</html>";
    let answers = [
        (
            "a web page",
            Answer::http(502, "content-type: text/html\r\n", html),
        ),
        (
            "a web page with 200",
            Answer::http(200, "content-type: text/html\r\n", html),
        ),
        (
            "a web page called events",
            Answer::http(200, "content-type: text/event-stream\r\n", html),
        ),
        (
            "nothing",
            Answer::http(200, "content-type: text/event-stream\r\n", ""),
        ),
        ("nothing without a label", Answer::http(200, "", "")),
        ("204", Answer::raw("HTTP/1.1 204 No Content\r\n\r\n")),
        ("an empty stream", Answer::stream().end()),
        ("only comments", Answer::stream().chunk(": hello\n\n").end()),
        (
            "an event that is no JSON",
            Answer::stream().event("secret").end(),
        ),
        (
            "an event without outcome",
            Answer::stream().event("{\"secret\":1}").end(),
        ),
        ("a list", Answer::json("[]")),
        ("401", Answer::http(401, "", "")),
        (
            "503 called events",
            Answer::http(503, "content-type: text/event-stream\r\n", "data: x\n\n"),
        ),
        ("a reset", Answer::nothing().reset()),
    ];
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for (what, answer) in &answers {
            mock.always(answer.clone());
            let answer = only_answer_of(&world, dialect).await;
            let code = answer["error"]["code"].as_i64();
            assert!(
                [Some(-32603), Some(-32006)].contains(&code),
                "{what}: {answer}"
            );
            assert_eq!(answer["id"], "q1", "{what}");
            assert!(
                answer["error"]["message"]
                    .as_str()
                    .unwrap()
                    .contains("`alpha`"),
                "{what}: {answer}"
            );
            assert!(!answer.to_string().contains("secret"), "{what}: {answer}");
        }
    }
}

/// Like [`only_answer`], passing over comments.
async fn only_answer_of(world: &World, dialect: Dialect) -> serde_json::Value {
    let reply = world.post("/agents/alpha", dialect.stream("ping")).await;
    let data = reply
        .body
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap_or(&reply.body);
    serde_json::from_str(data).unwrap_or_else(|_| panic!("no answer: {:?}", reply.body))
}

#[tokio::test]
async fn c044_agents_that_do_not_stream_are_not_asked_to() {
    let mock = Mock::start(V1, "alpha").await;
    let mut card = V1.card("alpha", &mock.rpc_url());
    card["capabilities"]["streaming"] = false.into();
    mock.serves_card(&card);
    let world = World::of("alpha", &mock).await;
    for path in ["/a2a", "/agents/alpha"] {
        let refused = world.post(path, V1.stream("ping")).await;
        assert_eq!(refused.code(), -32004, "{}", refused.body);
        let decision = world.decision_of(&refused).await;
        assert_eq!(decision["candidates"][0]["reason"], "streaming");
    }
    assert!(mock.calls().is_empty());
}
