//! Compression: what headers say is what the bytes are.

use crate::{
    dialect::{BOTH, Dialect, V1, failure, success},
    mock::{Answer, CARD, Mock, gzip},
    world::{Reply, Setup, client::receive},
};

const GZIPPED: &str = "content-encoding: gzip\r\ncontent-type: application/json\r\n";

/// Starts an agent that compresses everything it says.
async fn compressing(dialect: Dialect) -> Mock {
    let mock = Mock::start(dialect, "alpha").await;
    let card = dialect
        .card(&"alpha ".repeat(300), &mock.rpc_url())
        .to_string();
    mock.at(CARD, move |_| Answer::http(200, GZIPPED, gzip(&card)));
    mock.answers(move |call| {
        if call.params()["message"]["parts"][0]["text"] == "fail" {
            let error = failure(call, -32004, &"no ".repeat(700));
            return Answer::http(400, GZIPPED, gzip(error));
        }
        let task = dialect.sent_task("t-1", &"c".repeat(2000), "completed");
        Answer::http(200, GZIPPED, gzip(success(call, &task)))
    });
    mock
}

/// Sends a request that accepts some encodings, and checks that the body is what its headers say.
async fn plain_reply(request: reqwest::RequestBuilder, accepted: Option<&str>) -> Reply {
    let request = match accepted {
        Some(accepted) => request.header("accept-encoding", accepted),
        None => request,
    };
    let reply = receive(request).await;
    assert_eq!(reply.header("content-encoding"), None, "{accepted:?}");
    assert_eq!(
        reply.header("content-length"),
        Some(reply.body.len().to_string().as_str())
    );
    reply
}

#[tokio::test]
async fn c123_compressed_answers_reach_every_client_in_an_encoding_it_accepts() {
    let accepted = [
        None,
        Some("gzip"),
        Some("identity"),
        Some("br"),
        Some("gzip;q=0"),
        Some("*;q=0"),
    ];
    for dialect in BOTH {
        let mock = compressing(dialect).await;
        let world = Setup::new().agent("alpha", &mock).start().await;
        for accepted in accepted {
            let path = "/agents/alpha";
            let done = plain_reply(world.rpc(path, dialect.send("ping")), accepted).await;
            assert_eq!(done.context_id().len(), 2000);
            let failed = plain_reply(world.rpc(path, dialect.send("fail")), accepted).await;
            assert_eq!(failed.code(), -32004);
            let card = plain_reply(world.request(reqwest::Method::GET, path), accepted).await;
            assert!(
                card.status == 200 && card.body.len() > 1800,
                "{}",
                card.body
            );
        }
        let asked_for = mock.calls()[0].header("accept-encoding").unwrap();
        assert!(asked_for.contains("gzip"), "{asked_for}");
    }
}

#[tokio::test]
async fn c123_heads_and_unchanged_cards_have_no_body() {
    let mock = Mock::start(V1, "alpha").await;
    let world = Setup::new().agent("alpha", &mock).start().await;
    let whole = world.get("/agents/alpha").await;
    let head = receive(world.request(reqwest::Method::HEAD, "/agents/alpha")).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("etag"), whole.header("etag"));
    let request = world.request(reqwest::Method::GET, "/agents/alpha");
    let unchanged = receive(request.header("if-none-match", whole.header("etag").unwrap())).await;
    assert_eq!(
        (unchanged.status, unchanged.header("content-encoding")),
        (304, None)
    );
    assert_eq!(unchanged.body, "");
}

#[tokio::test]
async fn c096_a_small_body_that_unpacks_beyond_the_limit_is_refused() {
    let mock = Mock::start(V1, "alpha").await;
    let bomb = gzip("x".repeat(4_000_000));
    assert!(bomb.len() < 8192, "{}", bomb.len());
    mock.always(Answer::http(200, GZIPPED, bomb));
    let world = Setup::new()
        .agent_with("alpha", &mock, "limits: { max_response: 64KiB }")
        .start()
        .await;
    let reply = world.post("/agents/alpha", V1.send("ping")).await;
    assert_eq!(reply.code(), -32603);
    assert!(reply.message().contains("65536"), "{}", reply.body);
}
