//! Counting the agents that are far below the floor, and holding only the best, is no different from looking at everyone.

use std::{collections::BTreeMap, sync::Arc};

use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::{
    agent::{AgentSpec, Effect},
    catalog::{CardStatus, Catalog, CatalogAgent},
    meaning::{Direction, Semantics},
    profile::Profile,
    route::{assess::fits, features::Features},
    stats::AgentStats,
    testing::{Subjects, card, catalog, id, ready, spec, understood},
};

/// More than there are agents in a test.
const MOST: usize = 1000;

const ABOUT: [&str; 7] = [
    "Tells the weather and the storm of tomorrow",
    "weather of a city",
    "Collects money and sends an invoice",
    "an invoice",
    "Plays music, a song for each weather",
    "Explains the rules of exams",
    "",
];

/// What an agent is about, and what speaks against it.
type Sketch = (usize, u8);

fn agent(number: usize, (about, trouble): Sketch) -> Arc<CatalogAgent> {
    // The order of the ids is not that of the catalog.
    let name = format!("agent-{}", (number * 37) % 1009);
    let about = ABOUT[about % ABOUT.len()];
    let card = |changes| card("agent", about, &changes);
    match trouble {
        0 => Arc::new(CatalogAgent {
            spec: Arc::new(spec(&name)),
            stats: Arc::new(AgentStats::default()),
            status: CardStatus::pending(),
        }),
        1 => ready(spec(&name), card(json!({ "capabilities": {} }))),
        2 => ready(
            spec(&name),
            card(json!({ "defaultInputModes": ["image/png"] })),
        ),
        3 => {
            let risky = AgentSpec {
                effect: Effect::ExternalEffect,
                ..spec(&name)
            };
            ready(risky, card(json!({})))
        }
        _ => ready(spec(&name), card(json!({}))),
    }
}

fn federation(sketches: &[Sketch]) -> Catalog {
    let agents = sketches.iter().enumerate();
    catalog(
        agents
            .map(|(number, sketch)| agent(number, *sketch))
            .collect(),
    )
}

/// Everything of a survey that a record shows.
#[derive(Debug, PartialEq)]
struct Shown {
    best: Vec<(usize, f64)>,
    fitting: usize,
    closest: Vec<(usize, Option<Discard>)>,
    others: BTreeMap<Discard, usize>,
}

fn shown(question: Question<'_>, survey: Survey<'_>, most: usize) -> Shown {
    let fitting = survey.fitting.count();
    let ranked = survey.fitting.ranked(Some("m-1"));
    let best = ranked
        .iter()
        .take(most)
        .map(|one| (one.position, one.score));
    let discarded = survey.discarded.finish(question);
    let closest = discarded
        .closest
        .iter()
        .map(|one| (one.position, one.failed));
    Shown {
        best: best.collect(),
        fitting,
        closest: closest.collect(),
        others: discarded.others,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counting_those_far_below_the_floor_and_holding_only_the_best_change_nothing(
        sketches in proptest::collection::vec((0_usize..7, 0_u8..9), 0..200),
        floor in proptest::sample::select(vec![1e-4, 0.05, 0.25, 0.6, 0.95, 1.0]),
        text in proptest::sample::select(vec![
            "weather", "storm and an invoice, please", "a song", "nothing of this", "",
            "the rules of exams in the city of tomorrow",
        ]),
        (streaming, by_meaning) in any::<(bool, bool)>(),
        most in 1_usize..40,
    ) {
        let mut catalog = federation(&sketches);
        let asked = Direction::new(&Subjects::direction(text));
        if by_meaning {
            let semantics = Semantics::new(Arc::new(Subjects::default()));
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            catalog = runtime.block_on(understood(&catalog, &semantics));
        }
        let features = Features {
            text: text.to_owned(),
            input_modes: vec!["text/plain".to_owned()],
            streaming,
            ..Features::default()
        };
        let profile = Profile { min_fit: floor, max_risk: 0.5, ..Profile::balanced() }.into();
        let question = Question {
            catalog: &catalog,
            profile: &profile,
            rule: None,
            features: &features,
            meaning: by_meaning.then_some(&asked),
            version: Version::V1,
            binding: Binding::JsonRpc,
            now: Instant::now(),
            at: Timestamp::UNIX_EPOCH,
        };
        let found = fits(question, text);
        let quick = shown(question, survey(question, &found, most), most);
        let plain = shown(question, everybody(question, &found, MOST), most);
        prop_assert_eq!(quick, plain);
    }
}

#[test]
fn an_agent_that_is_named_is_looked_at_whatever_its_fit() {
    let catalog = federation(&[(0, 9), (2, 9), (6, 9)]);
    let mut features = Features {
        text: "weather".to_owned(),
        ..Features::default()
    };
    let named = catalog.agents()[2].spec.id.clone();
    features.hints.agent = Some(named.as_str().to_owned());
    let profile = Profile::balanced().into();
    let question = Question {
        catalog: &catalog,
        profile: &profile,
        rule: None,
        features: &features,
        meaning: None,
        version: Version::V1,
        binding: Binding::JsonRpc,
        now: Instant::now(),
        at: Timestamp::UNIX_EPOCH,
    };
    let survey = survey(question, &fits(question, "weather"), MOST);
    let fitting: Vec<_> = survey
        .fitting
        .ranked(None)
        .iter()
        .map(|one| &one.agent.spec.id)
        .collect();
    assert_eq!(fitting, [&named]);
    assert_ne!(named, id("agent-0"));
}
