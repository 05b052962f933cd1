//! The hybrid engine keeps what the lexical one promises, where its model is at hand.

use std::{
    env,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{Json, Router, routing::post};
use gateway_core::Catalog;
use gateway_embedding::Encoder;
use routing::{
    catalog,
    engine::{Engine, MODEL_VARIABLE, fits},
    figures::Figures,
    labelled::Request,
};
use serde_json::{Value, json};
use url::Url;

use super::{dev, foreign};

/// Returns the engine if the environment names a model, as `tests/run` does; says so otherwise.
pub(super) fn hybrid() -> Option<Engine> {
    let Some(folder) = env::var_os(MODEL_VARIABLE) else {
        let said = format!("skipped: `{MODEL_VARIABLE}` names no model\n");
        let _nobody_listens = io::stderr().write_all(said.as_bytes());
        return None;
    };
    Some(Engine::hybrid(&PathBuf::from(folder)).unwrap())
}

fn won(engine: &Engine, catalog: &Catalog, agent: usize, requests: &[&Request]) -> usize {
    let is_won = |request: &&&Request| {
        let meaning = engine.meaning(&request.text).unwrap();
        let best = fits(catalog, &request.text, meaning.as_ref()).best_first();
        best.first().is_some_and(|best| best.agent == agent)
    };
    requests.iter().filter(is_won).count()
}

#[test]
fn bad_cards_win_no_more_than_their_honest_twins_by_meaning() {
    let Some(engine) = hybrid() else { return };
    let set = dev();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("honest_twins");
    let twins = catalog::read(&folder).unwrap();
    for (bad, twin) in set.adversarial.iter().zip(&twins) {
        let requests = foreign(&set, &bad.id);
        let among = |card: &catalog::NamedCard| {
            let mut cards = set.honest.clone();
            cards.push(card.clone());
            let catalog = engine.catalog(&cards).unwrap();
            won(&engine, &catalog, cards.len() - 1, &requests)
        };
        let (taken, deserved) = (among(bad), among(twin));
        // One for each hundred requests, the last one begun: a card that gives a request as its example is close to it.
        assert!(
            taken <= deserved + requests.len().div_ceil(100),
            "{} takes {taken}, its twin {deserved}",
            bad.id
        );
    }
}

/// Serves the model of a folder in the form of OpenAI's embeddings API; returns its address. What `alter` makes of the
/// vectors is what another model might say.
fn served(folder: &Path, alter: fn(Vec<f32>) -> Vec<f32>) -> Url {
    let encoder = Arc::new(Encoder::open(folder).unwrap());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = move |Json(asked): Json<Value>| async move {
        let texts: Vec<String> = serde_json::from_value(asked["input"].clone()).unwrap();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = encoder.vectors(&texts).into_iter().map(alter).enumerate();
        let data = vectors.map(|(index, embedding)| json!({ "object": "embedding", "index": index, "embedding": embedding }));
        Json(json!({ "object": "list", "model": asked["model"], "data": data.collect::<Vec<_>>() }))
    };
    let router = Router::new().route("/v1/embeddings", post(answer));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            listener.set_nonblocking(true).unwrap();
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router.into_make_service())
                .await
                .unwrap();
        });
    });
    format!("http://{address}/v1/embeddings").parse().unwrap()
}

/// Moves all directions close together, as models do that find any two texts alike.
fn narrow(mut vector: Vec<f32>) -> Vec<f32> {
    vector.push(2.0);
    vector
}

#[test]
fn a_model_behind_an_address_routes_like_the_same_in_a_folder_however_alike_it_finds_all_texts() {
    let Some(folder) = env::var_os(MODEL_VARIABLE).map(PathBuf::from) else {
        return;
    };
    let set = dev();
    let figures = |engine: &Engine| {
        let answers = engine.answer_all(&set).unwrap();
        Figures::of(&set, &answers, &answers)
    };
    let local = figures(&Engine::hybrid(&folder).unwrap());
    let plain: fn(Vec<f32>) -> Vec<f32> = |vector| vector;
    for alter in [plain, narrow] {
        let remote = figures(&Engine::at(served(&folder, alter), "same").unwrap());
        let top1 = |figures: &Figures| figures.routable.top1.unwrap();
        assert!(
            (top1(&remote) - top1(&local)).abs() <= 0.01,
            "{} and {}",
            top1(&remote),
            top1(&local)
        );
        let error = |figures: &Figures| figures.calibration.ece;
        assert!(
            (error(&remote) - error(&local)).abs() <= 0.01,
            "{} and {}",
            error(&remote),
            error(&local)
        );
    }
}
