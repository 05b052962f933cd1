//! `route:explain` says what would happen and does nothing.

use serde_json::{Value, json};

use crate::{
    dialect::{Dialect, V1, V03},
    mock::Mock,
    world::{Setup, World},
};

async fn world(dialect: Dialect) -> (World, Vec<Mock>) {
    let mut setup = Setup::new().profile("");
    let mut mocks = Vec::new();
    for (id, words, settings) in [
        (
            "parking",
            "parking permits for cars",
            "quality: 0.9, cost: { per_request: 0.02 }, latency: 300ms",
        ),
        (
            "library",
            "library books and opening hours",
            "quality: 0.7, effect: read",
        ),
        (
            "archive",
            "library archive of old books",
            "quality: 0.6, cost: { per_request: 0.2 }, latency: 3s",
        ),
        ("payments", "pay library fines", "effect: external_effect"),
    ] {
        let mock = Mock::start(dialect, id).await;
        let mut card = dialect.card_about(id, &mock.rpc_url(), words);
        card["capabilities"]["streaming"] = json!(id != "library");
        card["defaultOutputModes"] = json!(if id == "archive" {
            ["application/pdf"]
        } else {
            ["text/plain"]
        });
        mock.serves_card(&card);
        setup = setup.agent_with(id, &mock, settings);
        mocks.push(mock);
    }
    (setup.start().await, mocks)
}

/// Messages with what explains them.
fn cases(dialect: Dialect) -> Vec<(Value, Value)> {
    let text = "which books does the library have?";
    let version = dialect.number();
    let with_hints = |hints: Value| {
        let mut call = dialect.send(text);
        call["params"]["metadata"] = hints;
        call
    };
    let mut pdf = dialect.send(text);
    pdf["params"]["configuration"] = json!({ "acceptedOutputModes": ["application/pdf"] });
    vec![
        (
            dialect.send(text),
            json!({ "text": text, "version": version }),
        ),
        (
            dialect.stream(text),
            json!({ "text": text, "version": version, "streaming": true }),
        ),
        (
            dialect.send("permiso de parking"),
            json!({ "text": "permiso de parking", "version": version }),
        ),
        (
            dialect.send("zzz"),
            json!({ "text": "zzz", "version": version }),
        ),
        (
            pdf,
            json!({ "text": text, "version": version, "accepted_output_modes": ["application/pdf"] }),
        ),
        (
            with_hints(json!({ "agent": "parking" })),
            json!({ "text": text, "version": version, "agent": "parking" }),
        ),
        (
            with_hints(json!({ "skill": "archive-skill" })),
            json!({ "text": text, "version": version, "skill": "archive-skill" }),
        ),
        (
            with_hints(json!({ "budget": { "max_cost_eur": 0.1, "max_latency_ms": 1000 } })),
            json!({ "text": text, "version": version, "max_cost_eur": 0.1, "max_latency_ms": 1000 }),
        ),
    ]
}

#[tokio::test]
async fn what_is_explained_is_what_happens() {
    for dialect in [V03, V1] {
        let (world, mocks) = world(dialect).await;
        let sent = || mocks.iter().map(|mock| mock.calls().len()).sum::<usize>();
        for (call, explain) in cases(dialect) {
            let (sent_before, recorded_before) = (sent(), world.decisions("").await.len());
            let explained = world.admin_post("/v1/route:explain", &explain).await;
            assert_eq!(explained.status, 200, "{}", explained.body);
            assert_eq!(sent(), sent_before, "explaining sends nothing");
            assert_eq!(
                world.decisions("").await.len(),
                recorded_before,
                "explaining records nothing"
            );
            let explained = explained.json();
            let reply = world.call(&call).await;
            let lived = world.decision_of(&reply).await;
            assert_eq!(world.decisions("").await.len(), recorded_before + 1);
            for member in [
                "kind",
                "candidates",
                "margin",
                "weights",
                "client_version",
                "operation",
            ] {
                assert_eq!(explained[member], lived[member], "{member} for {explain}");
            }
            assert_eq!(explained["versions"], lived["versions"]);
            assert_eq!(explained["request"]["hints"], lived["request"]["hints"]);
            // What is measured of a stream is so once its first event has been passed on.
            for id in ["parking", "library", "archive", "payments"] {
                world
                    .agent_becomes(id, "a free place", |agent| agent["in_flight"] == 0)
                    .await;
            }
            // What it has taught is taken in now and not between the next two.
            assert_eq!(world.admin_get("/v1/signals").await.status, 200);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_explained_is_refused_with_what_there_is() {
    let (world, _mocks) = world(V1).await;
    for (question, expected) in [
        (json!({ "text": "x", "profile": "none" }), "balanced"),
        (json!({ "text": "x", "version": "9.9" }), "1.0"),
        (json!({ "text": "x", "colour": "red" }), "colour"),
        (json!({ "skill": "x" }), "text"),
    ] {
        let refused = world.admin_post("/v1/route:explain", &question).await;
        assert_eq!(refused.status, 400, "{question}: {}", refused.body);
        assert!(
            refused.body.contains(expected),
            "{question}: {}",
            refused.body
        );
    }
}
