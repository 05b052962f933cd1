//! Answers that are none.

use crate::{
    dialect::{BOTH, V1, success},
    mock::{Answer, Mock},
    world::{Reply, World},
};

const SECRET: &str = "inner-host-42";

type Case = (&'static str, Answer);

fn typed(status: u16, media_type: &str, body: &str) -> Answer {
    Answer::http(status, &format!("content-type: {media_type}\r\n"), body)
}

/// Answers that say no by their status, or say nothing.
fn statuses() -> Vec<Case> {
    let html = format!("<html><title>{SECRET}</title></html>");
    vec![
        ("502 with a web page", typed(502, "text/html", &html)),
        ("500 with text", typed(500, "text/plain", SECRET)),
        ("404 without a body", Answer::http(404, "", "")),
        ("200 without a body", Answer::http(200, "", "")),
        ("204", Answer::raw("HTTP/1.1 204 No Content\r\n\r\n")),
        (
            "elsewhere",
            Answer::http(302, "location: http://127.0.0.9/\r\n", ""),
        ),
        ("401", typed(401, "text/html", &html)),
        ("403", Answer::http(403, "", "")),
        ("429", Answer::http(429, "retry-after: 7\r\n", "")),
        ("503", Answer::http(503, "", SECRET)),
    ]
}

/// Bodies of 200 that hold no outcome.
fn bodies() -> Vec<Case> {
    let html = format!("<html><title>{SECRET}</title></html>");
    let event = r#"{"jsonrpc":"2.0","id":"q1","result":{}}"#;
    let mut cases = vec![
        ("a web page", typed(200, "text/html", &html)),
        (
            "bytes",
            Answer::http(200, "content-type: application/json\r\n", [0xff, 0xfe]),
        ),
        ("events", Answer::stream().event(event).end()),
        (
            "a false encoding",
            Answer::http(200, "content-encoding: gzip\r\n", "{}"),
        ),
    ];
    let foreign = format!(r#"{{"detail":"{SECRET}"}}"#);
    let text_as_error = format!(r#"{{"error":"{SECRET}"}}"#);
    let json = [
        ("white space", " \r\n "),
        ("a web page called JSON", &html),
        ("a list", "[]"),
        ("a text", "\"inner-host-42\""),
        ("null", "null"),
        ("no outcome", r#"{"jsonrpc":"2.0","id":"q1"}"#),
        ("a foreign object", &foreign),
        (
            "null as error only",
            r#"{"jsonrpc":"2.0","id":"q1","error":null}"#,
        ),
        ("a text as error", &text_as_error),
        (
            "half a JSON text",
            r#"{"jsonrpc":"2.0","id":"q1","result":{"ta"#,
        ),
    ];
    cases.extend(json.map(|(what, body)| (what, Answer::json(body))));
    cases
}

/// Connections that go wrong.
fn connections() -> Vec<Case> {
    let begun = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"res";
    vec![
        ("no HTTP", Answer::raw("SSH-2.0\r\n\r\n").close()),
        ("a reset", Answer::nothing().reset()),
        ("an end", Answer::nothing().close()),
        ("an end in the middle", Answer::raw(begun).close()),
    ]
}

/// Answers to a unary call that hold no outcome, by what they are.
fn malformed() -> Vec<Case> {
    [statuses(), bodies(), connections()].concat()
}

#[track_caller]
fn check(reply: &Reply, what: &str) {
    assert!(
        [-32603, -32006].contains(&reply.code()),
        "{what}: {}",
        reply.body
    );
    assert_eq!(reply.raw("id"), "\"q1\"", "{what}");
    assert!(
        reply.message().contains("`alpha`"),
        "{what}: {}",
        reply.body
    );
    assert!(!reply.body.contains(SECRET), "{what}: {}", reply.body);
    assert!(!reply.body.contains("127.0.0."), "{what}: {}", reply.body);
}

#[tokio::test]
async fn c063_answers_that_are_none_become_errors_that_name_the_agent() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        let task = world.call(dialect.send("ping")).await.task_id();
        for (what, answer) in malformed() {
            mock.always(answer);
            for path in ["/a2a", "/agents/alpha"] {
                let before = mock.calls().len();
                let reply = world.post(path, dialect.send("ping")).await;
                check(&reply, what);
                let decision = world.decision_of(&reply).await;
                let ended = world.outcome(&decision["id"], "error").await;
                assert_eq!(ended["outcome"]["error"]["code"], reply.code(), "{what}");
                assert_ne!(ended["attempts"][0]["outcome"], "ok", "{what}: {ended}");
                assert_eq!(
                    mock.calls().len(),
                    before + 1,
                    "{what}: nothing is sent twice"
                );
            }
            check(&world.call(dialect.about("GetTask", &task)).await, what);
        }
    }
}

#[tokio::test]
async fn c063_different_causes_are_told_in_different_words() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let mut texts = Vec::new();
    for what in [
        "502 with a web page",
        "200 without a body",
        "a list",
        "events",
        "401",
        "429",
        "a reset",
        "no HTTP",
    ] {
        let (_, answer) = malformed()
            .into_iter()
            .find(|(name, _)| *name == what)
            .unwrap();
        mock.always(answer);
        let reply = world.call(V1.send("ping")).await;
        assert!(
            !texts.contains(&reply.message()),
            "{what}: {}",
            reply.message()
        );
        assert_eq!(
            reply.header("retry-after"),
            (what == "429").then_some("7"),
            "{what}"
        );
        texts.push(reply.message());
    }
}

#[tokio::test]
async fn an_answer_with_a_null_error_beside_its_result_is_a_result() {
    let mock = Mock::start(V1, "alpha").await;
    mock.answers(|call| {
        let body = success(call, &V1.sent_task("t-1", "c-1", "completed"));
        Answer::json(body.replacen('{', r#"{"error":null,"#, 1))
    });
    let world = World::of("alpha", &mock).await;
    assert_eq!(
        world.post("/agents/alpha", V1.send("ping")).await.task_id(),
        "t-1"
    );
}

#[tokio::test]
async fn c065_refused_reset_and_late_are_told_apart_and_nothing_is_sent_again() {
    let (alpha, beta) = (
        Mock::start(V1, "alpha").await,
        Mock::start(V1, "beta").await,
    );
    let world = crate::world::Setup::new()
        .agent_with("alpha", &alpha, "limits: { timeout: 50ms }")
        .agent("beta", &beta)
        .start()
        .await;
    let gate = crate::mock::Gate::new();
    let (late, reset) = (
        Answer::nothing().until_closed(&gate),
        Answer::nothing().reset(),
    );
    alpha.always(late);
    let reply = world.post("/agents/alpha", V1.send("ping")).await;
    assert!(reply.message().contains("0.05 s"), "{}", reply.body);
    assert!(
        reply.message().contains("may still be running"),
        "{}",
        reply.body
    );
    gate.passed("the gateway to give up its connection").await;
    alpha.always(reset);
    let broken = world.post("/agents/alpha", V1.send("ping")).await;
    assert!(
        broken.message().contains("may still be running"),
        "{}",
        broken.body
    );
    assert_ne!(broken.message(), reply.message());
    assert_eq!(alpha.calls().len(), 2);
    assert!(beta.calls().is_empty());
}
