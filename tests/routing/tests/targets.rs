//! The figures are as good as promised. Bounds are asserted, not figures: those are in the README.

use routing::{
    dev_folder,
    engine::Engine,
    figures::Figures,
    labelled::{LabelledSet, Registry},
    targets::targets,
};

use super::hybrid::hybrid;

fn assert_meets_targets(engine: &Engine) {
    let set = LabelledSet::read(&dev_folder()).unwrap();
    let answers = engine.answer_all(&set).unwrap();
    let all_cards = engine
        .catalog(&set.cards(Registry::WithAdversarial))
        .unwrap();
    let among_adversarial = engine.answer_among(&all_cards, &set).unwrap();
    let figures = Figures::of(&set, &answers, &among_adversarial);
    for target in targets(engine.name, &figures) {
        assert!(target.is_met(), "{target:?}");
    }
}

#[test]
fn lexical_engine_meets_its_targets() {
    assert_meets_targets(&Engine::lexical());
}

#[test]
fn hybrid_engine_meets_its_targets() {
    if let Some(engine) = hybrid() {
        assert_meets_targets(&engine);
    }
}
