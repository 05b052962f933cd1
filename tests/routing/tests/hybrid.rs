//! The hybrid engine keeps what the lexical one promises, where its model is at hand.

use std::{
    cell::RefCell,
    collections::HashMap,
    env,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{Json, Router, routing::post};
use gateway_core::meaning::Direction;
use gateway_embedding::Encoder;
use routing::{
    catalog::{self, NamedCard},
    engine::{Engine, MODEL_VARIABLE, fits},
    figures::Figures,
    labelled::{LabelledSet, Request},
    tricks::{Trick, dressed_up},
};
use serde_json::{Value, json};
use url::Url;

use super::{adversarial::SPARE, dev, foreign};

/// Returns the engine if the environment names a model, as `tests/run` does; says so otherwise.
pub(super) fn hybrid() -> Option<Engine> {
    let Some(folder) = env::var_os(MODEL_VARIABLE) else {
        let said = format!("skipped: `{MODEL_VARIABLE}` names no model\n");
        let _nobody_listens = io::stderr().write_all(said.as_bytes());
        return None;
    };
    Some(Engine::hybrid(&PathBuf::from(folder)).unwrap())
}

/// What the requests of a set mean, in their order: read once for all cards that are tried.
struct Asked<'s> {
    engine: &'s Engine,
    set: &'s LabelledSet,
    meanings: Vec<Option<Direction>>,
    /// What honest cards win, by id.
    deserved: RefCell<HashMap<String, usize>>,
}

impl<'s> Asked<'s> {
    fn new(engine: &'s Engine, set: &'s LabelledSet) -> Self {
        let requests = set.requests.iter();
        let meanings = requests.map(|request| engine.meaning(&request.text).unwrap());
        Self {
            engine,
            set,
            meanings: meanings.collect(),
            deserved: RefCell::default(),
        }
    }

    /// Asserts that a bad card wins hardly more requests of others than its honest twin does in its place.
    fn assert_gains_nothing(&self, honest: &NamedCard, bad: &NamedCard) {
        let mut others = self.set.honest.clone();
        others.retain(|card| card.id != honest.id);
        let taken = self.won(&others, bad, &honest.id);
        let mut known = self.deserved.borrow_mut();
        let deserved = known
            .entry(honest.id.clone())
            .or_insert_with(|| self.won(&others, honest, &honest.id));
        let foreign = foreign(self.set, &honest.id).len();
        assert!(
            taken <= *deserved + foreign * SPARE / 100,
            "{} takes {taken} of {foreign}, its twin {deserved}",
            bad.id
        );
    }

    /// Returns how many requests that an agent is not right for a card wins among others.
    fn won(&self, others: &[NamedCard], card: &NamedCard, agent: &str) -> usize {
        let mut cards = others.to_vec();
        cards.push(card.clone());
        let catalog = self.engine.catalog(&cards).unwrap();
        let requests = self.set.requests.iter().zip(&self.meanings);
        let foreign = requests
            .filter(|(request, _)| !request.expected_agents.iter().any(|right| right == agent));
        let is_won = |(request, meaning): &(&Request, &Option<Direction>)| {
            let best = fits(&catalog, &request.text, meaning.as_ref()).best_first();
            best.first().is_some_and(|best| best.agent == others.len())
        };
        foreign.filter(is_won).count()
    }
}

#[test]
fn bad_cards_win_no_more_than_their_honest_twins_by_meaning() {
    let Some(engine) = hybrid() else { return };
    let set = dev();
    let asked = Asked::new(&engine, &set);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("honest_twins");
    let twins = catalog::read(&folder).unwrap();
    for (bad, twin) in set.adversarial.iter().zip(&twins) {
        asked.assert_gains_nothing(twin, bad);
    }
}

fn assert_dressing_up_does_not_pay(seed: u32) {
    let Some(engine) = hybrid() else { return };
    let set = dev();
    let asked = Asked::new(&engine, &set);
    for trick in Trick::ALL {
        let bad = dressed_up(&set.honest, trick, seed).unwrap();
        asked.assert_gains_nothing(&set.honest[bad.honest], &bad.card);
    }
}

#[test]
fn dressing_a_card_up_does_not_pay_by_meaning() {
    assert_dressing_up_does_not_pay(0);
}

#[test]
fn dressing_another_card_up_does_not_pay_by_meaning() {
    assert_dressing_up_does_not_pay(1);
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
