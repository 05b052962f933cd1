//! A card that tries to win more than it deserves wins no more than its honest twin and one request in a hundred.

use std::{ops::Range, path::PathBuf};

use gateway_core::fit::FitIndex;
use routing::{
    catalog::{self, NamedCard},
    labelled::LabelledSet,
    tricks::{Trick, dressed_up},
};

use super::{dev, foreign, index, won};

/// Requests of others that a bad card may win beyond its twin, in a hundred.
pub(super) const SPARE: usize = 1;

fn assert_gains_nothing(set: &LabelledSet, known: &FitIndex, honest: &NamedCard, bad: &NamedCard) {
    let mut cards: Vec<NamedCard> = set.honest.clone();
    cards.retain(|card| card.id != honest.id);
    let requests = foreign(set, &honest.id);
    let won = |card: &NamedCard| {
        let mut cards = cards.clone();
        cards.push(card.clone());
        won(&index(known, &cards), cards.len() - 1, &requests)
    };
    let (deserved, taken) = (won(honest), won(bad));
    assert!(
        taken.len() <= deserved.len() + requests.len() * SPARE / 100,
        "{} takes {taken:#?}, its twin {deserved:#?}",
        bad.id
    );
}

#[test]
fn bad_cards_win_no_more_than_their_honest_twins() {
    let set = dev();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("honest_twins");
    let twins = catalog::read(&folder).unwrap();
    let known = index(&FitIndex::default(), &set.honest);
    assert_eq!(twins.len(), set.adversarial.len());
    for (bad, twin) in set.adversarial.iter().zip(&twins) {
        assert_eq!(bad.id, twin.id);
        assert_gains_nothing(&set, &known, twin, bad);
    }
}

/// Each trick is tried on so many cards, drawn anew for each.
const SEEDS: Range<u32> = 0..3;

#[test]
fn dressing_a_card_up_does_not_pay() {
    let set = dev();
    let known = index(&FitIndex::default(), &set.honest);
    let tries = SEEDS.flat_map(|seed| Trick::ALL.map(|trick| (trick, seed)));
    for (trick, seed) in tries {
        let bad = dressed_up(&set.honest, trick, seed).unwrap();
        assert_gains_nothing(&set, &known, &set.honest[bad.honest], &bad.card);
    }
}
