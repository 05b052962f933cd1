//! When cards are fetched, and what holds while they cannot be.

use serde_json::Value;

use crate::{
    dialect::V1,
    mock::{Answer, CARD, Gate, Mock},
    world::{Setup, World},
};

/// Serves a card with a skill and validator of this version.
fn serve(mock: &Mock, version: u32) {
    let mut card = V1.card("alpha", &mock.rpc_url());
    card["skills"][0]["id"] = format!("skill-{version}").into();
    mock.at(CARD, move |request| {
        let tag = format!("\"{version}\"");
        let headers = format!("etag: {tag}\r\ncache-control: max-age=300\r\n");
        if request.header("if-none-match") == Some(tag) {
            Answer::http(304, &headers, "")
        } else {
            Answer::http(200, &headers, card.to_string())
        }
    });
}

fn skill(agent: &Value) -> &Value {
    &agent["card"]["raw"]["skills"][0]["id"]
}

#[tokio::test]
async fn c009_an_unchanged_card_is_not_fetched_again_and_a_changed_one_is_taken_over() {
    let mock = Mock::start(V1, "alpha").await;
    serve(&mock, 1);
    let world = World::of("alpha", &mock).await;
    let first = world.agent("alpha").await;
    assert_eq!(skill(&first), "skill-1");
    let unchanged = world
        .refresh("alpha", "a refresh", |agent| {
            agent["checked_at"] != first["checked_at"]
        })
        .await;
    assert_eq!(skill(&unchanged), "skill-1");
    let asked = mock.log().pop().unwrap();
    assert_eq!(asked.header("if-none-match").as_deref(), Some("\"1\""));
    let outcome = unchanged["tried"][0]["outcome"].as_str().unwrap();
    assert!(outcome.starts_with("304"), "{unchanged}");

    serve(&mock, 2);
    world
        .refresh("alpha", "the new skill", |agent| skill(agent) == "skill-2")
        .await;
    let served = world.get("/agents/alpha").await.json();
    assert_eq!(served["skills"][0]["id"], "skill-2");
}

#[tokio::test]
async fn c009_a_broken_card_is_not_taken_over_and_the_last_good_one_goes_on() {
    let mock = Mock::start(V1, "alpha").await;
    serve(&mock, 1);
    let world = World::of("alpha", &mock).await;
    let trouble = [
        Answer::http(500, "", ""),
        Answer::http(401, "", ""),
        Answer::json("{}"),
        Answer::nothing().reset(),
    ];
    for (number, answer) in trouble.into_iter().enumerate() {
        mock.at(CARD, move |_| answer.clone());
        let stale = world
            .refresh("alpha", "a stale card", |agent| agent["state"] == "stale")
            .await;
        assert_eq!(skill(&stale), "skill-1", "{number}");
        assert!(
            stale["card"]["age_seconds"].is_number() && stale["problem"].is_string(),
            "{stale}"
        );
        let reply = world.post("/agents/alpha", V1.send("ping")).await;
        assert_eq!(reply.task_id(), "t-1", "{number}");
        serve(&mock, 1);
        let again = world
            .refresh("alpha", "a good card", |agent| agent["state"] == "ready")
            .await;
        assert_eq!(again["problem"], Value::Null);
    }
}

#[tokio::test]
async fn c119_cards_are_not_fetched_for_calls() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for _ in 0..200 {
        assert_eq!(world.call(V1.send("ping")).await.status, 200);
    }
    assert_eq!(mock.card_requests(), [CARD]);

    mock.at(CARD, |_| Answer::http(500, "", ""));
    world
        .refresh("alpha", "a stale card", |agent| agent["state"] == "stale")
        .await;
    for _ in 0..200 {
        let reply = world.call(V1.send("ping")).await;
        assert_eq!(reply.task()["status"]["state"], "TASK_STATE_COMPLETED");
    }
    assert_eq!(mock.calls().len(), 400);
    let card_requests = mock.card_requests().len();
    assert!(card_requests < 10, "{card_requests} requests for cards");
}

#[tokio::test]
async fn c119_calls_do_not_wait_for_a_refresh_and_do_not_multiply_it() {
    let mock = Mock::start(V1, "alpha").await;
    let room = "limits: { max_in_flight: 200 }";
    let world = Setup::new().agent_with("alpha", &mock, room).start().await;
    let gate = Gate::new();
    let (blocked, card) = (
        gate.clone(),
        V1.card("renamed", &mock.rpc_url()).to_string(),
    );
    mock.at(CARD, move |_| {
        Answer::nothing().wait(&blocked).and(Answer::json(&card))
    });
    for _ in 0..5 {
        let asked = world
            .admin_post("/v1/agents/alpha/refresh", &Value::Null)
            .await;
        assert_eq!(asked.status, 202);
    }
    mock.asked_for_card(2).await;
    let calls = (0..100).map(|_| world.call(V1.send("ping")));
    for reply in futures_util::future::join_all(calls).await {
        assert_eq!(reply.task()["status"]["state"], "TASK_STATE_COMPLETED");
    }
    assert_eq!(
        mock.card_requests().len(),
        2,
        "one at the start, one under way"
    );
    gate.open();
    world
        .agent_becomes("alpha", "the refreshed card", |agent| {
            agent["card"]["name"] == "renamed"
        })
        .await;
}

#[tokio::test]
async fn an_agent_that_answers_otherwise_than_its_card_says_is_asked_for_it_once() {
    let error =
        r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32009,"message":"no such version"}}"#;
    for (what, answer, call) in [
        ("version", Answer::json(error), V1.send("ping")),
        (
            "version of a stream",
            Answer::stream().event(error).end(),
            V1.stream("ping"),
        ),
        ("404", Answer::http(404, "", "gone"), V1.send("ping")),
    ] {
        let mock = Mock::start(V1, "alpha").await;
        let world = World::of("alpha", &mock).await;
        mock.serves_card(&V1.card("renamed", &mock.rpc_url()));
        mock.always(answer);
        for _ in 0..10 {
            let reply = world.post("/agents/alpha", &call).await;
            assert!(reply.json()["error"].is_object(), "{what}: {}", reply.body);
        }
        world
            .agent_becomes("alpha", "the new card", |agent| {
                agent["card"]["name"] == "renamed"
            })
            .await;
        for _ in 0..10 {
            world.post("/agents/alpha", &call).await;
        }
        assert_eq!(mock.calls().len(), 20, "{what}");
        assert_eq!(mock.card_requests(), [CARD, CARD], "{what}");
    }
}

#[tokio::test]
async fn an_error_of_the_agents_own_is_no_reason_to_doubt_its_card() {
    let mock = Mock::start(V1, "alpha").await;
    let world = World::of("alpha", &mock).await;
    for answer in [
        Answer::json(r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"gone"}}"#),
        Answer::http(
            404,
            "",
            r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"gone"}}"#,
        ),
        Answer::http(500, "", "boom"),
        Answer::nothing().reset(),
    ] {
        mock.always(answer);
        world.post("/agents/alpha", V1.send("ping")).await;
    }
    // A fetch that was asked for would be seen before this one.
    let checked = world.agent("alpha").await["checked_at"].take();
    world
        .refresh("alpha", "a refresh", |agent| agent["checked_at"] != checked)
        .await;
    assert_eq!(mock.card_requests(), [CARD, CARD]);
}
