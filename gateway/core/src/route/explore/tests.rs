//! Tests of exploration over small catalogs.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    agent::{AgentSpec, Effect, SkillSpec},
    catalog::Catalog,
    decision::{DecisionKind, Verdict},
    profile::{Exploration, Method, Profile},
    route::testing::{INVOICES, agent, asked, chosen, decide, teach},
    testing::{catalog, profile, spec},
};

/// Messages that probabilities are compared with.
const MESSAGES: u32 = 1_000;
const TEXT: &str = "please issue an invoice";

fn exploring(method: Method, share: f64) -> Profile {
    Profile {
        exploration: Exploration {
            method,
            share,
            ..Exploration::default()
        },
        ..profile()
    }
}

fn with_quality(name: &str, quality: f64) -> AgentSpec {
    AgentSpec {
        quality,
        ..spec(name)
    }
}

fn three() -> Catalog {
    catalog(vec![
        agent(with_quality("best", 0.9), INVOICES),
        agent(with_quality("good", 0.8), INVOICES),
        agent(with_quality("poor", 0.5), INVOICES),
    ])
}

/// Decides about many messages; returns for each agent how often it was chosen and the sum of inverse propensities.
fn tried(catalog: &Catalog, profile: &Profile) -> BTreeMap<String, (u32, f64)> {
    let mut tried = BTreeMap::new();
    for number in 0..MESSAGES {
        let choice = decide(catalog, profile, &asked(TEXT, &format!("m-{number}")));
        let agent = chosen(&choice).unwrap().to_owned();
        let (count, inverse) = tried.entry(agent).or_insert((0, 0.0));
        *count += 1;
        *inverse += 1.0 / choice.propensity;
    }
    tried
}

#[test]
fn epsilon_takes_each_of_the_set_as_often_as_it_says() {
    let profile = exploring(Method::Epsilon, 0.3);
    let tried = tried(&three(), &profile);
    for (agent, probability) in [("best", 0.8), ("good", 0.1), ("poor", 0.1)] {
        let (count, inverse) = tried[agent];
        let share = f64::from(count) / f64::from(MESSAGES);
        assert!((share - probability).abs() < 0.04, "{agent}: {share}");
        let told = f64::from(count) / inverse;
        assert!((told - probability).abs() < 1e-9, "{agent}: {told}");
    }
}

#[test]
fn thompson_tells_probabilities_that_weigh_each_agent_to_one() {
    let agents = ["best", "good", "poor"].map(|name| agent(with_quality(name, 0.8), INVOICES));
    teach(&agents[0], 60.0, 10.0);
    teach(&agents[1], 6.0, 2.0);
    teach(&agents[2], 40.0, 30.0);
    let catalog = catalog(agents.into_iter().collect());
    let tried = tried(&catalog, &exploring(Method::Thompson, 0.2));
    for (agent, (count, inverse)) in &tried {
        // Chosen messages weighed by inverse propensity stand for all of them.
        let weighed = inverse / f64::from(MESSAGES);
        assert!((weighed - 1.0).abs() < 0.3, "{agent}: {count}, {weighed}");
    }
    assert!(tried["best"].0 > tried["poor"].0, "{tried:?}");
    assert!(tried["good"].0 > tried["poor"].0, "{tried:?}");
}

#[test]
fn thompson_tries_the_unknown_more_often_than_the_known() {
    let often = |completed, failed| {
        let agents = ["best", "other"].map(|name| agent(with_quality(name, 0.8), INVOICES));
        teach(&agents[0], 170.0, 30.0);
        teach(&agents[1], completed, failed);
        let catalog = catalog(agents.into_iter().collect());
        tried(&catalog, &exploring(Method::Thompson, 0.02))["other"].0
    };
    // The same mean of .75, from little and from much.
    assert!(often(0.0, 1.0) > 3 * often(750.0, 250.0));
}

#[test]
fn the_record_says_who_was_passed_over() {
    let profile = exploring(Method::Epsilon, 1.0);
    let catalog = three();
    let choices =
        (0..50).map(|number| decide(&catalog, &profile, &asked(TEXT, &number.to_string())));
    let choice = choices
        .into_iter()
        .find(|choice| chosen(choice) == Some("good"))
        .unwrap();
    let chance = choice.exploration.unwrap();
    assert_eq!((chance.among, chance.explored), (3, true));
    assert_eq!(chance.best.unwrap().as_str(), "best");
    assert_eq!(choice.kind, DecisionKind::Scored);
    let verdicts: Vec<_> = choice
        .candidates
        .iter()
        .map(|candidate| (candidate.agent.as_str(), candidate.verdict))
        .collect();
    assert_eq!(
        verdicts,
        [
            ("good", Verdict::Chosen),
            ("best", Verdict::Outscored),
            ("poor", Verdict::Outscored)
        ]
    );
    let details: Vec<_> = choice
        .candidates
        .iter()
        .map(|candidate| candidate.detail.clone().unwrap())
        .collect();
    assert_eq!(
        details,
        [
            "explored (epsilon): 0.0250 behind `best`, probability 0.3333",
            "scored best; `good` was explored",
            "0.1000 behind `best`"
        ]
    );
    assert!((choice.margin.unwrap() - 0.025).abs() < 1e-9);
}

#[test]
fn the_record_says_of_each_of_the_set_how_probable_it_was() {
    let agents = ["best", "good", "poor"].map(|name| agent(with_quality(name, 0.8), INVOICES));
    teach(&agents[0], 6.0, 1.0);
    let payer = AgentSpec {
        effect: Effect::ExternalEffect,
        ..spec("payer")
    };
    let catalog = catalog(agents.into_iter().chain([agent(payer, INVOICES)]).collect());
    for method in [Method::Epsilon, Method::Thompson] {
        let profile = exploring(method, 0.2);
        for number in 0..20 {
            let choice = decide(&catalog, &profile, &asked(TEXT, &number.to_string()));
            let told = |id: &str| {
                let mut candidates = choice.candidates.iter();
                candidates
                    .find(|one| one.agent.as_str() == id)
                    .unwrap()
                    .propensity
            };
            let each = ["best", "good", "poor"].map(|id| told(id).unwrap());
            assert!((each.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{each:?}");
            let least = 0.2 / 3.0;
            assert!(each.iter().all(|one| *one >= least - 1e-12), "{each:?}");
            assert_eq!(told("payer"), None);
            assert_eq!(told(chosen(&choice).unwrap()), Some(choice.propensity));
        }
    }
    let certain = decide(&catalog, &profile(), &asked(TEXT, "m"));
    assert!(
        certain
            .candidates
            .iter()
            .all(|one| one.propensity.is_none())
    );
}

#[test]
fn one_of_whom_nobody_knows_which_skill_it_will_use_counts_by_its_highest_effect() {
    let mut payer = with_quality("payer", 0.8);
    let pays = SkillSpec {
        effect: Some(Effect::ExternalEffect),
        ..SkillSpec::default()
    };
    payer.skills.insert("pay".to_owned(), pays);
    let readers = ["best", "good"].map(|name| agent(spec(name), "weather"));
    let catalog = catalog(readers.into_iter().chain([agent(payer, "music")]).collect());
    let profile = Profile {
        min_fit: 0.0,
        ..exploring(Method::Epsilon, 1.0)
    };
    for number in 0..50 {
        let choice = decide(&catalog, &profile, &asked("xyzzy", &number.to_string()));
        assert_eq!(choice.exploration.as_ref().unwrap().among, 2);
        assert_ne!(chosen(&choice), Some("payer"));
        let mut candidates = choice.candidates.iter();
        let payer = candidates
            .find(|one| one.agent.as_str() == "payer")
            .unwrap();
        let risk = &payer.signals.as_ref().unwrap().risk.terms;
        assert!(
            risk["effect"] > 0.0 && risk["irreversibility"] > 0.0,
            "{risk:?}"
        );
    }
}

#[test]
fn a_retry_meets_the_same_chance_and_a_message_without_id_goes_by_its_digest() {
    let (catalog, profile) = (three(), exploring(Method::Thompson, 0.9));
    for number in 0..20 {
        let features = asked(TEXT, &number.to_string());
        let again = [0, 1].map(|_| decide(&catalog, &profile, &features));
        assert_eq!(chosen(&again[0]), chosen(&again[1]));
        let nameless = crate::route::Features {
            message_id: None,
            digest: number.to_string(),
            ..features
        };
        assert_eq!(
            chosen(&again[0]),
            chosen(&decide(&catalog, &profile, &nameless))
        );
    }
}

#[test]
fn a_retry_goes_elsewhere_only_as_far_as_probabilities_have_moved() {
    let profile = exploring(Method::Thompson, 0.2);
    let taught = |completed| {
        let agents = ["a", "b"].map(|name| agent(with_quality(name, 0.8), INVOICES));
        teach(&agents[0], 20.0, 5.0);
        teach(&agents[1], completed, 5.0);
        catalog(agents.into_iter().collect())
    };
    // The ranks change, the probabilities hardly do.
    let (before, after) = (taught(19.0), taught(21.0));
    let elsewhere = (0..MESSAGES).filter(|number| {
        let features = asked(TEXT, &number.to_string());
        let chosen_by = |catalog| decide(catalog, &profile, &features);
        chosen(&chosen_by(&before)) != chosen(&chosen_by(&after))
    });
    let elsewhere = elsewhere.count();
    assert!((1..150).contains(&elsewhere), "{elsewhere} of {MESSAGES}");
}

#[test]
fn effects_above_the_ceiling_are_never_explored() {
    let writing = |name: &str, quality| AgentSpec {
        effect: Effect::ReversibleWrite,
        ..with_quality(name, quality)
    };
    let profile = exploring(Method::Epsilon, 1.0);
    let best_writes = catalog(vec![
        agent(writing("best", 1.0), INVOICES),
        agent(with_quality("other", 0.1), INVOICES),
    ]);
    let other_writes = catalog(vec![
        agent(with_quality("best", 1.0), INVOICES),
        agent(writing("other", 0.5), INVOICES),
        agent(with_quality("third", 0.5), INVOICES),
    ]);
    for number in 0..50 {
        let features = asked(TEXT, &number.to_string());
        let choice = decide(&best_writes, &profile, &features);
        assert_eq!(chosen(&choice), Some("best"));
        assert_eq!((choice.propensity, choice.exploration), (1.0, None));
        let choice = decide(&other_writes, &profile, &features);
        assert_ne!(chosen(&choice), Some("other"));
        assert_eq!(choice.exploration.map(|chance| chance.among), Some(2));
    }
    let willing = Profile {
        exploration: Exploration {
            max_effect: Effect::ReversibleWrite,
            ..profile.exploration
        },
        ..profile
    };
    let features = asked(TEXT, "1");
    assert!(
        decide(&best_writes, &willing, &features)
            .exploration
            .is_some()
    );
}

#[test]
fn only_the_best_that_met_all_requirements_are_explored() {
    let mut agents: Vec<_> = (0..9)
        .map(|number| agent(with_quality(&format!("a-{number}"), 0.8), INVOICES))
        .collect();
    let busy = Arc::clone(&agents[4]);
    let _places: Vec<_> = (0..4).map(|_| busy.stats.enter(4).unwrap()).collect();
    agents.push(agent(spec("weather"), "weather forecast"));
    let profile = exploring(Method::Epsilon, 1.0);
    let tried = tried(&catalog(agents), &profile);
    assert!(!tried.contains_key("a-4") && !tried.contains_key("weather"));
    for number in 0..20 {
        let few = Profile {
            exploration: Exploration {
                among: 2,
                ..profile.exploration
            },
            ..profile.clone()
        };
        let choice = decide(&three(), &few, &asked(TEXT, &number.to_string()));
        assert_ne!(chosen(&choice), Some("poor"));
    }
}
