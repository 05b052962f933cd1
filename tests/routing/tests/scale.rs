//! How requests are routed does not depend on how many agents of other trades there are.

use gateway_core::fit::FitIndex;
use routing::{
    catalog::NamedCard,
    engine::Engine,
    figures::Figures,
    labelled::{Prediction, Registry},
    unrelated,
};

use super::{dev, hybrid::hybrid, index};

/// Verdicts that may change, in a hundred requests, with 1,000 agents of other trades.
const VERDICTS: usize = 6;
/// By how much the share of right agents in the first place may change.
const TOP1: f64 = 0.02;
/// First agents that may change, in a hundred requests.
const FIRSTS: usize = 9;
/// By how much the fit of the first agent may change on average.
const FIT: f64 = 0.04;
/// How far the fit of the first agent may be, on average, from the share that is right: as far as without the others.
const CALIBRATION: f64 = 0.05;

#[expect(clippy::cast_precision_loss, reason = "counts of requests are small")]
fn assert_others_change_little(engine: &Engine, others: u32) {
    let set = dev();
    let mut cards = set.cards(Registry::Honest);
    let alone = engine
        .answer_among(&engine.catalog(&cards).unwrap(), &set)
        .unwrap();
    cards.extend(unrelated::cards(0, others, 5).unwrap());
    let crowded = engine
        .answer_among(&engine.catalog(&cards).unwrap(), &set)
        .unwrap();

    let (mut verdicts, mut firsts, mut fit) = (Vec::new(), Vec::new(), 0.0);
    for request in &set.requests {
        let (before, after) = (&alone[&request.id], &crowded[&request.id]);
        if before.verdict != after.verdict {
            verdicts.push(&request.text);
        }
        let first = |answer: &Prediction| answer.ranked.first().map(|best| best.agent.clone());
        if first(before) != first(after) {
            firsts.push(&request.text);
        }
        fit += (before.fit(0) - after.fit(0)).abs() / set.requests.len() as f64;
    }
    assert!(
        verdicts.len() * 100 <= VERDICTS * set.requests.len(),
        "{verdicts:#?}"
    );
    assert!(
        firsts.len() * 100 <= FIRSTS * set.requests.len(),
        "{firsts:#?}"
    );
    assert!(fit <= FIT, "{fit}");
    let figures = |answers| Figures::of(&set, answers, answers);
    let (alone, crowded) = (figures(&alone), figures(&crowded));
    let top1 = |figures: &Figures| figures.routable.top1.unwrap();
    let (before, after) = (top1(&alone), top1(&crowded));
    assert!((before - after).abs() <= TOP1, "{before} then {after}");
    let error = crowded.calibration.ece;
    assert!(error <= CALIBRATION, "{error}");
}

#[test]
fn a_thousand_agents_of_other_trades_change_little() {
    assert_others_change_little(&Engine::lexical(), 1000);
}

/// Fewer agents, since each card takes the encoder some milliseconds; enough for the shorter look at most of them.
#[test]
fn agents_of_other_trades_change_little_by_meaning() {
    if let Some(engine) = hybrid() {
        assert_others_change_little(&engine, 400);
    }
}

/// Each request is asked among three agents, one of them right, and among all.
#[test]
fn fit_of_the_right_agent_is_much_the_same_among_three() {
    let set = dev();
    let all = index(&FitIndex::default(), &set.honest);
    let mut changes = Vec::new();
    for (number, three) in set.honest.chunks(3).enumerate() {
        let few = index(&all, three);
        for request in &set.requests {
            let right =
                |(_, card): &(usize, &NamedCard)| request.expected_agents.contains(&card.id);
            let Some((place, _)) = three.iter().enumerate().find(right) else {
                continue;
            };
            let fit = |index: &FitIndex, agent| {
                index
                    .fits(&request.text)
                    .get(agent)
                    .map_or(0.0, |fit| fit.value)
            };
            changes.push(fit(&few, place) - fit(&all, number * 3 + place));
        }
    }
    let count = f64::from(u32::try_from(changes.len()).unwrap());
    let mean = changes.iter().map(|change| change.abs()).sum::<f64>() / count;
    assert!(
        changes.len() > 200 && mean <= 0.1,
        "{} requests, {mean}",
        changes.len()
    );
}
