//! The search finds what adding up word by word finds, skill by skill.

use proptest::prelude::*;

use super::{Card, card, index};
use crate::fit::{
    FitIndex,
    calibrate::{Curve, Evidence},
    query::{self, Query},
};

/// Adds up what each word of a request brings to a skill, of its terms the most.
fn evidence(index: &FitIndex, query: &Query<'_>, position: u32) -> Evidence {
    let (index, dictionary) = (&index.index, &index.index.dictionary);
    let impacts = &index.terms(position).unwrap().impacts;
    let mut evidence = Evidence::default();
    for word in &query.words {
        let (mut strongest, mut cover, mut gain) = (0.0_f32, 0.0_f32, 0.0_f32);
        for (term, strength) in &word.terms {
            let impact = impacts.iter().find(|(other, _)| other == term);
            if let Some((_, impact)) = impact {
                let strength = word.weight * strength;
                let covers = strength * dictionary.rarity(*term);
                strongest = strongest.max(strength);
                cover = cover.max(covers);
                gain = gain.max(covers * impact);
            }
        }
        evidence.matches += strongest;
        evidence.covered += cover;
        evidence.total += gain;
        evidence.best = evidence.best.max(gain);
    }
    evidence
}

/// Returns the best log-odds of an agent that shares a term with the request.
fn plain(index: &FitIndex, text: &str, agent: usize) -> Option<f32> {
    let query = query::read(text, &index.index.dictionary, &index.stemmers);
    let skills = index.index.skills_of(agent);
    let found = skills.filter_map(|position| {
        let evidence = evidence(index, &query, position);
        let breadth = index.index.skill(position)?.breadth_ln;
        (evidence.matches > 0.0).then(|| Curve::of(query.mass).log_odds(&evidence, breadth))
    });
    found.reduce(f32::max)
}

const WORDS: [&str; 12] = [
    "weather", "forecast", "city", "invoice", "payments", "pay", "factura", "photos", "photo",
    "music", "report", "rain",
];

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let words = proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), count);
    words.prop_map(|words| words.join(" "))
}

fn cards() -> impl Strategy<Value = Vec<Card>> {
    let one = (words(1..3), words(0..8)).prop_map(|(name, about)| card(&name, &name, &about, &[]));
    proptest::collection::vec(one, 1..90)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_search_finds_what_adding_up_finds(cards in cards(), first in words(1..7), second in words(1..7)) {
        let index = index(&cards);
        // The second request finds the tables as the first one left them.
        for text in [first, second] {
            let fits = index.fits(&text);
            for agent in 0..cards.len() {
                let (found, plain) = (fits.get(agent), plain(&index, &text, agent));
                prop_assert_eq!(found.is_some(), plain.is_some(), "{} {}", text, agent);
                let (found, plain) = (found.map_or(0.0, |fit| fit.log_odds), f64::from(plain.unwrap_or_default()));
                prop_assert!((found - plain).abs() < 1e-3, "{} {}: {} and {}", text, agent, found, plain);
            }
        }
    }
}
