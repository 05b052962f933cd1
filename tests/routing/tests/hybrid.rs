//! The hybrid engine keeps what the lexical one promises, where its model is at hand.

use std::{
    env,
    io::{self, Write as _},
    path::PathBuf,
};

use gateway_core::Catalog;
use routing::{
    catalog,
    engine::{Engine, MODEL_VARIABLE, fits},
    labelled::Request,
};

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
        let meaning = engine.meaning(&request.text);
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
