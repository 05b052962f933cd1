//! The figures are as good as promised. Bounds are asserted, not figures: those are in the README.

use routing::{
    catalog::catalog,
    dev_folder,
    engine::Engine,
    figures::Figures,
    labelled::{LabelledSet, Registry},
    targets::targets,
};

#[test]
fn lexical_engine_meets_its_targets() {
    let set = LabelledSet::read(&dev_folder()).unwrap();
    let answers = Engine::Lexical.answer_all(&set).unwrap();
    let all_cards = catalog(&set.cards(Registry::WithAdversarial)).unwrap();
    let among_adversarial = Engine::Lexical.answer_among(&all_cards, &set);
    let figures = Figures::of(&set, &answers, &among_adversarial);
    for target in targets(Engine::Lexical, &figures) {
        assert!(target.is_met(), "{target:?}");
    }
}
