//! Fit by words and meaning, with a model behind an embeddings API.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Value, json};

use crate::{
    dialect::Dialect,
    mock::{Answer, Mock, Request},
    world::{
        Setup, World,
        admin::{candidate, chosen},
        eventually,
    },
};

const V1: Dialect = Dialect::V1;

/// Answers with vectors to which each word adds one of its own; `zumbidos` means the same as `beehives`.
fn embeddings(asked: &Request) -> Answer {
    let side = |word: &str, axis: u32| {
        let mut hasher = DefaultHasher::new();
        let word = if word == "zumbidos" { "beehives" } else { word };
        (word, axis).hash(&mut hasher);
        if hasher.finish().is_multiple_of(2) {
            1
        } else {
            -1
        }
    };
    let texts = texts_of(asked);
    let vectors = texts.iter().enumerate().map(|(index, text)| {
        let words: Vec<&str> = text
            .split([' ', '.'])
            .filter(|word| !word.is_empty())
            .collect();
        let axis = |axis| words.iter().map(|word| side(word, axis)).sum::<i32>();
        json!({ "index": index, "embedding": (0..64).map(axis).collect::<Vec<_>>() })
    });
    Answer::json(json!({ "data": vectors.collect::<Vec<_>>() }))
}

fn texts_of(asked: &Request) -> Vec<String> {
    serde_json::from_value(asked.json()["input"].take()).unwrap()
}

async fn world() -> (World, [Mock; 3]) {
    let (model, alpha, beta) = (
        Mock::bare().await,
        Mock::start(V1, "alpha").await,
        Mock::start(V1, "beta").await,
    );
    model.answers(embeddings);
    alpha.serves_card(&V1.card_about("alpha", &alpha.rpc_url(), "beehives"));
    beta.serves_card(&V1.card_about("beta", &beta.rpc_url(), "parking permits"));
    let endpoint = format!(
        "{{ url: \"{}/v1/embeddings\", model: tiny, auth: {{ bearer: s3cret }}, timeout: 10s }}",
        model.url()
    );
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .fit(&format!("{{ engine: hybrid, endpoint: {endpoint} }}"))
        .start()
        .await;
    all_are_read(&world).await;
    (world, [model, alpha, beta])
}

async fn all_are_read(world: &World) {
    eventually("all cards to be read", async || {
        let fit = world.admin_get("/readyz").await.json()["fit"].take();
        if fit["cards_encoded"] == 2 {
            Ok(())
        } else {
            Err(fit.to_string())
        }
    })
    .await;
}

async fn decision(world: &World, text: &str) -> Value {
    let reply = world.call(V1.send(text)).await;
    world.decision_of(&reply).await
}

#[tokio::test]
async fn a_word_that_no_card_has_finds_the_agent_that_means_it() {
    let (world, [model, ..]) = world().await;
    let decision = decision(&world, "zumbidos").await;
    assert_eq!(chosen(&decision), "alpha");
    assert_eq!(decision["versions"]["fit"], "hybrid tiny");
    let terms = &candidate(&decision, "alpha")["signals"]["fit"]["terms"];
    assert!(terms["meaning"].is_number(), "{decision}");
    let calls = model.calls();
    assert_eq!(calls[0].target, "/v1/embeddings");
    assert_eq!(
        calls[0].header("authorization").as_deref(),
        Some("Bearer s3cret")
    );
}

#[tokio::test]
async fn without_its_model_a_message_is_routed_by_words_and_everything_says_so() {
    let (world, [model, ..]) = world().await;
    model.goes_down().await;
    let decision = decision(&world, "where are the beehives").await;
    assert_eq!(chosen(&decision), "alpha");
    assert_eq!(
        decision["versions"]["fit"],
        "lexical, since tiny did not answer"
    );
    let terms = &candidate(&decision, "alpha")["signals"]["fit"]["terms"];
    assert!(terms.get("meaning").is_none(), "{decision}");
    let metrics = world.admin_get("/metrics").await.body;
    for line in [
        "a2a_gateway_messages_unread_total 1",
        "a2a_gateway_fit_engine{engine=\"hybrid\",fallen_back=\"true\"} 1",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line}\n{metrics}"
        );
    }
    let fit = world.admin_get("/readyz").await.json()["fit"].take();
    let problem = fit["problem"].as_str().unwrap();
    assert!(
        problem.contains("connection refused") && problem.contains(&model.url()),
        "{fit}"
    );
}

#[tokio::test]
async fn a_restart_does_not_read_the_cards_again() {
    let (mut world, [model, ..]) = world().await;
    let read = |from: usize| {
        let calls = model.calls();
        let texts: Vec<_> = calls[from..].iter().flat_map(texts_of).collect();
        texts.iter().any(|text| text.contains("parking permits"))
    };
    assert!(read(0));
    let before = model.calls().len();
    world.restart().await;
    all_are_read(&world).await;
    assert!(!read(before));
    assert_eq!(chosen(&decision(&world, "zumbidos").await), "alpha");
}
