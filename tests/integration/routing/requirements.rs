//! Hard requirements come before scores.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1, V03},
    mock::{Answer, Gate, Mock},
    world::{
        Setup, World,
        admin::{candidate, chosen},
        client::receive,
    },
};

const EXTENSION: &str = "https://x.example/required";

/// Starts `p`, which scores higher and can little, and `q`, which scores lower and can all.
async fn world(dialect: Dialect, required: bool) -> (World, Mock, Mock) {
    let (p, q) = (
        Mock::start(dialect, "p").await,
        Mock::start(dialect, "q").await,
    );
    let mut card = dialect.card("p", &p.rpc_url());
    card["capabilities"]["streaming"] = required.into();
    if required {
        card["capabilities"]["extensions"] = json!([{ "uri": EXTENSION, "required": true }]);
    }
    p.serves_card(&card);
    let mut card = dialect.card("q", &q.rpc_url());
    card["defaultInputModes"] = json!(["text/plain", "image/*", "application/json"]);
    card["skills"][0]["outputModes"] = json!(["text/plain", "application/json"]);
    q.serves_card(&card);
    let world = Setup::new()
        .agent_with("p", &p, "quality: 0.95")
        .agent_with("q", &q, "quality: 0.5");
    (world.start().await, p, q)
}

fn image(dialect: Dialect) -> Value {
    match dialect {
        V03 => json!({ "kind": "file", "file": { "bytes": "AAEC", "mimeType": "image/png" } }),
        V1 => json!({ "raw": "AAEC", "mediaType": "image/png" }),
    }
}

#[tokio::test]
async fn c105_an_agent_that_cannot_do_it_is_passed_over_however_well_it_scores() {
    for dialect in BOTH {
        let (world, p, q) = world(dialect, false).await;
        let control = world.call(dialect.send("echo")).await;
        assert_eq!(chosen(&world.decision_of(&control).await), "p");

        let mut with_image = dialect.send("echo");
        with_image["params"]["message"]["parts"]
            .as_array_mut()
            .unwrap()
            .push(image(dialect));
        let mut json_only = dialect.send("echo");
        json_only["params"]["configuration"] =
            json!({ "acceptedOutputModes": ["application/json"] });
        let mut data = dialect.send("echo");
        data["params"]["message"]["parts"] = match dialect {
            V03 => json!([{ "kind": "data", "data": { "echo": 1 } }]),
            V1 => json!([{ "data": { "echo": 1 } }]),
        };
        for (call, reason) in [
            (dialect.stream("echo"), "streaming"),
            (with_image, "input_mode"),
            (json_only, "output_mode"),
            (data, "input_mode"),
        ] {
            let reply = world.call(&call).await;
            let decision = world.decision_of(&reply).await;
            assert_eq!(chosen(&decision), "q", "{reason}");
            let passed = candidate(&decision, "p");
            assert_eq!(
                (&passed["verdict"], &passed["reason"]),
                (&json!("discarded"), &json!(reason))
            );
            assert!(passed["detail"].as_str().unwrap().len() > 10, "{passed}");
        }
        assert_eq!((p.calls().len(), q.calls().len()), (1, 4));
    }
}

#[tokio::test]
async fn c105_an_extension_that_an_agent_requires_must_be_declared() {
    for dialect in BOTH {
        let (world, p, q) = world(dialect, true).await;
        let decision = world
            .decision_of(&world.call(dialect.send("echo")).await)
            .await;
        assert_eq!(
            (chosen(&decision), &candidate(&decision, "p")["reason"]),
            ("q", &json!("extension_required"))
        );
        let refused = world.post("/agents/p", dialect.send("echo")).await;
        assert_eq!(refused.code(), -32008, "{}", refused.body);
        assert!(refused.message().contains(EXTENSION), "{}", refused.body);
        assert!(p.calls().is_empty());

        let header = if dialect == V03 {
            "x-a2a-extensions"
        } else {
            "a2a-extensions"
        };
        let declared = receive(
            world
                .rpc("/a2a", dialect.send("echo"))
                .header(header, EXTENSION),
        )
        .await;
        assert_eq!(chosen(&world.decision_of(&declared).await), "p");
        let mut call = dialect.send("echo");
        call["params"]["message"]["extensions"] = json!([EXTENSION]);
        assert_eq!(
            chosen(&world.decision_of(&world.call(call).await).await),
            "p"
        );
        assert_eq!((p.calls().len(), q.calls().len()), (2, 1));
    }
}

#[tokio::test]
async fn c105_an_agent_without_a_usable_card_is_passed_over() {
    for dialect in BOTH {
        let (p, q) = (Mock::bare().await, Mock::start(dialect, "q").await);
        let world = Setup::new()
            .agent_with("p", &p, "quality: 1")
            .agent("q", &q)
            .start()
            .await;
        let decision = world
            .decision_of(&world.call(dialect.send("echo")).await)
            .await;
        assert_eq!(
            (chosen(&decision), &candidate(&decision, "p")["reason"]),
            ("q", &json!("card_unavailable"))
        );
    }
}

#[tokio::test]
async fn a_full_agent_is_passed_over_and_named_to_those_who_want_no_other() {
    for dialect in BOTH {
        let (p, q) = (
            Mock::start(dialect, "p").await,
            Mock::start(dialect, "q").await,
        );
        let world = Setup::new()
            .agent_with("p", &p, "quality: 1, limits: { max_in_flight: 1 }")
            .agent_with("q", &q, "quality: 0.1")
            .start()
            .await;
        let gate = Gate::new();
        let held = gate.clone();
        p.answers(move |call| Answer::nothing().wait(&held).and(dialect.obliging(call)));
        let first = tokio::spawn(world.rpc("/a2a", dialect.send("echo")).send());
        p.called(1).await;

        let decision = world
            .decision_of(&world.call(dialect.send("echo")).await)
            .await;
        assert_eq!(
            (chosen(&decision), &candidate(&decision, "p")["reason"]),
            ("q", &json!("saturated"))
        );
        let pinned = world.post("/agents/p", dialect.send("echo")).await;
        assert_eq!(pinned.code(), -32603, "{}", pinned.body);
        assert_eq!(pinned.header("retry-after"), Some("1"));
        assert!(
            pinned.message().contains("`p` already has 1 requests"),
            "{}",
            pinned.body
        );
        let mut hinted = dialect.send("echo");
        hinted["params"]["metadata"] = json!({ "agent": "p" });
        assert_eq!(world.call(hinted).await.code(), -32004);
        assert_eq!(p.calls().len(), 1);

        gate.open();
        assert_eq!(first.await.unwrap().unwrap().status(), 200);
        world
            .agent_becomes("p", "a free place", |agent| agent["in_flight"] == 0)
            .await;
        gate.open();
        assert_eq!(
            chosen(
                &world
                    .decision_of(&world.call(dialect.send("echo")).await)
                    .await
            ),
            "p"
        );
    }
}

#[tokio::test]
async fn an_open_stream_takes_a_place_until_it_ends() {
    let (p, gate) = (Mock::start(V1, "p").await, Gate::new());
    let [first, _, last] = V1
        .events("t-1", "c-1")
        .map(|event| json!({ "result": event }));
    p.always(Answer::stream().event(first).wait(&gate).event(last).end());
    let world = Setup::new()
        .agent_with("p", &p, "limits: { max_in_flight: 1 }")
        .start()
        .await;
    let mut stream = world.follow("/a2a", V1.stream("echo")).await;
    stream.expect().await;
    let refused = world.call(V1.send("echo")).await;
    assert!(
        refused.message().contains("1 saturated"),
        "{}",
        refused.body
    );
    gate.open();
    stream.rest().await;
    world
        .agent_becomes("p", "a free place", |agent| agent["in_flight"] == 0)
        .await;
}
