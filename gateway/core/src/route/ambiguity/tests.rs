//! Tests of ambiguity over small catalogs.

use crate::{
    agent::AgentSpec,
    catalog::Catalog,
    decision::{DecisionKind, Hints, Verdict},
    profile::{AmbiguityRule, OnAmbiguous, Profile},
    route::{
        Features,
        testing::{INVOICES, agent, asked, chosen, decide},
    },
    testing::{catalog, profile, spec},
};

const TEXT: &str = "please issue an invoice";

fn rejecting() -> Profile {
    Profile {
        ambiguity: AmbiguityRule {
            on_ambiguous: OnAmbiguous::Reject,
            ..AmbiguityRule::default()
        },
        ..profile()
    }
}

fn replicas() -> Catalog {
    let lesser = AgentSpec {
        quality: 0.7,
        ..spec("two")
    };
    catalog(vec![
        agent(spec("one"), INVOICES),
        agent(lesser, INVOICES),
        agent(spec("weather"), "weather forecast"),
    ])
}

#[test]
fn replicas_are_a_guess_that_is_made_and_recorded() {
    let choice = decide(&replicas(), &profile(), &asked(TEXT, "m"));
    assert_eq!(
        (chosen(&choice), choice.kind),
        (Some("one"), DecisionKind::Scored)
    );
    let rival = choice.ambiguity.unwrap();
    assert_eq!(
        (rival.agent.as_str(), rival.skill.as_deref()),
        ("two", Some("main"))
    );
    assert!(rival.guess && rival.likeness >= 0.5, "{rival:?}");
    assert!((rival.margin - 0.025).abs() < 1e-9, "{rival:?}");
}

#[test]
fn a_profile_that_rejects_guesses_names_the_alternatives() {
    let choice = decide(&replicas(), &rejecting(), &asked(TEXT, "m"));
    assert_eq!(
        (chosen(&choice), choice.kind),
        (None, DecisionKind::Ambiguous)
    );
    let alternatives: Vec<_> = choice
        .alternatives
        .iter()
        .map(|one| (one.agent.as_str(), one.skill.as_deref()))
        .collect();
    assert_eq!(alternatives, [("one", Some("main")), ("two", Some("main"))]);
    assert!(
        choice
            .candidates
            .iter()
            .all(|candidate| candidate.verdict != Verdict::Chosen)
    );
    let detail = choice.candidates[0].detail.as_deref().unwrap();
    assert!(
        detail.starts_with("scored best, but `two` fits alike"),
        "{detail}"
    );
}

#[test]
fn a_client_that_names_one_agent_is_never_ambiguous() {
    for hints in [
        Hints {
            agent: Some("two".to_owned()),
            ..Hints::default()
        },
        Hints {
            skill: Some("two.main".to_owned()),
            ..Hints::default()
        },
    ] {
        let features = Features {
            hints,
            ..asked(TEXT, "m")
        };
        let choice = decide(&replicas(), &rejecting(), &features);
        assert_eq!(chosen(&choice), Some("two"));
        assert_eq!(choice.ambiguity, None);
    }
}

#[test]
fn unlike_agents_are_a_guess_only_below_the_margin() {
    let catalog = catalog(vec![
        agent(
            spec("payments"),
            "invoice payments by card and bank transfer",
        ),
        agent(
            spec("weather"),
            "invoice weather damage of hail storms and floods",
        ),
    ]);
    let open = |ambiguity| Profile {
        min_fit: 0.0,
        ambiguity,
        ..profile()
    };
    let unlike = AmbiguityRule {
        likeness: 0.99,
        ..AmbiguityRule::default()
    };
    let features = asked("an invoice", "m");
    let by_likeness = decide(&catalog, &open(unlike), &features);
    assert!(by_likeness.ambiguity.is_none_or(|rival| !rival.guess));
    let close = AmbiguityRule {
        margin: 1.0,
        ..unlike
    };
    let by_margin = decide(&catalog, &open(close), &features);
    assert!(by_margin.ambiguity.is_some_and(|rival| rival.guess));
}

#[test]
fn a_rival_below_the_floor_counts_and_a_caller_may_name_it() {
    let catalog = catalog(vec![
        agent(spec("one"), INVOICES),
        agent(spec("two"), "take payments and issue bills"),
    ]);
    let features = asked("please issue an invoice", "m");
    let strict = Profile {
        min_fit: 0.9,
        ambiguity: AmbiguityRule {
            likeness: 0.05,
            ..rejecting().ambiguity
        },
        ..profile()
    };
    let choice = decide(&catalog, &strict, &features);
    let rival = choice.ambiguity.as_ref().unwrap();
    assert_eq!(
        (choice.kind, rival.agent.as_str()),
        (DecisionKind::Ambiguous, "two")
    );
    assert_eq!(choice.alternatives.len(), 2);
    let named = Features {
        hints: Hints {
            agent: Some("two".to_owned()),
            ..Hints::default()
        },
        ..features
    };
    assert_eq!(chosen(&decide(&catalog, &strict, &named)), Some("two"));
}
