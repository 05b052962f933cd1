//! Tests of the choice over small catalogs.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use gateway_protocol::{Binding, Version};
use serde_json::json;
use tokio::time::Instant;

use super::{super::discarded::MAX_DISCARDED, *};
use crate::{
    agent::AgentSpec,
    catalog::CardStatus,
    decision::{Discard, Hints},
    profile::Profile,
    stats::AgentStats,
    testing::{card, catalog, id, profile, ready, spec},
};

const INVOICES: &str = "issue invoices and take payments";

fn features(text: &str) -> Features {
    Features {
        text: text.to_owned(),
        input_modes: vec!["text/plain".to_owned()],
        ..Features::default()
    }
}

fn decide(catalog: &Catalog, profile: &Profile, features: &Features) -> Choice {
    let now = Instant::now();
    choose(Question {
        catalog,
        profile: &profile.clone().into(),
        rule: None,
        features,
        meaning: None,
        version: Version::V1,
        binding: Binding::JsonRpc,
        now,
        at: Timestamp::UNIX_EPOCH,
    })
}

fn plain(name: &str, about: &str) -> Arc<CatalogAgent> {
    ready(spec(name), card(name, about, &json!({})))
}

fn chosen(choice: &Choice) -> Option<&str> {
    choice
        .chosen
        .as_ref()
        .map(|chosen| chosen.agent.spec.id.as_str())
}

fn reason(choice: &Choice, agent: &str) -> Option<Discard> {
    choice
        .candidates
        .iter()
        .find(|candidate| candidate.agent.as_str() == agent)?
        .reason
}

#[tokio::test]
async fn best_score_wins_and_everybody_is_accounted_for() {
    let catalog = catalog(vec![
        plain("weather", "weather forecast"),
        plain("invoices", INVOICES),
    ]);
    let choice = decide(&catalog, &profile(), &features("please issue an invoice"));
    assert_eq!(chosen(&choice), Some("invoices"));
    assert_eq!(choice.kind, DecisionKind::Scored);
    assert_eq!(choice.candidates.len(), 2);
    assert_eq!(reason(&choice, "weather"), Some(Discard::BelowMinFit));
    let winner = &choice.candidates[0];
    assert_eq!(winner.verdict, Verdict::Chosen);
    assert!((winner.contributions.unwrap().score() - winner.score.unwrap()).abs() < 1e-12);
}

#[tokio::test]
async fn c099_ties_are_stable_for_a_message_balanced_overall_and_blind_to_order() {
    let agents = || vec![plain("one", INVOICES), plain("two", INVOICES)];
    let forward = catalog(agents());
    let backward = catalog(agents().into_iter().rev().collect());
    let mut wins: HashMap<String, usize> = HashMap::new();
    for number in 0..200 {
        let asked = Features {
            message_id: Some(format!("m-{number}")),
            ..features("issue an invoice")
        };
        let choice = decide(&forward, &profile(), &asked);
        assert_eq!(choice.margin, Some(0.0));
        assert_eq!(
            chosen(&choice),
            chosen(&decide(&backward, &profile(), &asked))
        );
        *wins.entry(chosen(&choice).unwrap().to_owned()).or_default() += 1;
    }
    assert!(wins.values().all(|&count| count > 60), "{wins:?}");
}

#[tokio::test]
async fn ties_go_by_preference_first() {
    let preferred = AgentSpec {
        preference: 1,
        ..spec("two")
    };
    let catalog = catalog(vec![
        plain("one", INVOICES),
        ready(preferred, card("one", INVOICES, &json!({}))),
    ]);
    for number in 0..20 {
        let asked = Features {
            message_id: Some(number.to_string()),
            ..features("invoice")
        };
        assert_eq!(chosen(&decide(&catalog, &profile(), &asked)), Some("two"));
    }
}

#[tokio::test]
async fn c105_requirements_rule_out_before_scores() {
    let limited = json!({
        "capabilities": { "streaming": false,
            "extensions": [{ "uri": "urn:x", "required": true }] },
    });
    let able = json!({
        "defaultInputModes": ["text/plain", "image/png"],
        "defaultOutputModes": ["application/json"],
    });
    let catalog = catalog(vec![
        ready(spec("limited"), card("limited", INVOICES, &limited)),
        ready(
            spec("able"),
            card("able", "invoices among other things", &able),
        ),
    ]);
    let declared = Features {
        extensions: vec!["urn:x".to_owned()],
        ..features("issue an invoice")
    };
    assert_eq!(
        chosen(&decide(&catalog, &profile(), &declared)),
        Some("limited")
    );

    let streaming = Features {
        streaming: true,
        ..declared.clone()
    };
    let image = Features {
        input_modes: vec!["text/plain".to_owned(), "image/png".to_owned()],
        ..declared.clone()
    };
    let json = Features {
        accepted_output_modes: vec!["application/json".to_owned()],
        ..declared.clone()
    };
    let undeclared = Features {
        extensions: Vec::new(),
        ..declared
    };
    for (asked, expected) in [
        (streaming, Discard::Streaming),
        (image, Discard::InputMode),
        (json, Discard::OutputMode),
        (undeclared, Discard::ExtensionRequired),
    ] {
        let choice = decide(&catalog, &profile(), &asked);
        assert_eq!(
            (chosen(&choice), reason(&choice, "limited")),
            (Some("able"), Some(expected))
        );
    }
}

#[tokio::test]
async fn c097_nothing_fits_and_the_fallback_is_marked() {
    let catalog = catalog(vec![
        plain("invoices", INVOICES),
        plain("helper", "general help"),
    ]);
    let asked = features("zxqv blorp");
    let refused = decide(&catalog, &profile(), &asked);
    assert_eq!(
        (chosen(&refused), refused.kind),
        (None, DecisionKind::NoFit)
    );

    let helpful = Profile {
        on_no_fit: OnNoFit::Fallback(id("helper")),
        ..profile()
    };
    let choice = decide(&catalog, &helpful, &asked);
    assert_eq!(
        (chosen(&choice), choice.kind),
        (Some("helper"), DecisionKind::Fallback)
    );
    assert_eq!(choice.candidates.len(), 2);

    let streaming = Features {
        streaming: true,
        ..asked.clone()
    };
    let mute = json!({ "capabilities": {} });
    let deaf = crate::testing::catalog(vec![ready(
        spec("helper"),
        card("helper", "general help", &mute),
    )]);
    assert_eq!(chosen(&decide(&deaf, &helpful, &streaming)), None);
    let named = Features {
        hints: Hints {
            agent: Some("invoices2".to_owned()),
            ..Hints::default()
        },
        ..asked
    };
    assert_eq!(chosen(&decide(&catalog, &helpful, &named)), None);
}

#[tokio::test]
async fn hints_restrict_and_waive_the_fit_floor() {
    let catalog = catalog(vec![
        plain("invoices", INVOICES),
        plain("weather", "weather forecast"),
    ]);
    let hinted = |hints: Hints| {
        decide(
            &catalog,
            &profile(),
            &Features {
                hints,
                ..features("hello")
            },
        )
    };
    let agent = hinted(Hints {
        agent: Some("weather".to_owned()),
        ..Hints::default()
    });
    assert_eq!(chosen(&agent), Some("weather"));
    assert_eq!(reason(&agent, "invoices"), Some(Discard::NotRequested));
    let skill = hinted(Hints {
        skill: Some("weather.main".to_owned()),
        ..Hints::default()
    });
    assert_eq!(chosen(&skill), Some("weather"));
    let missing = hinted(Hints {
        skill: Some("other".to_owned()),
        ..Hints::default()
    });
    assert_eq!(chosen(&missing), None);
}

#[tokio::test]
async fn budgets_and_the_risk_ceiling_rule_out() {
    let mut dear = spec("dear");
    dear.cost.per_request = 0.5;
    dear.latency = Some(std::time::Duration::from_secs(3));
    dear.effect = crate::agent::Effect::ExternalEffect;
    let catalog = catalog(vec![ready(dear, card("dear", INVOICES, &json!({})))]);
    let asked = |hints: Hints, profile: &Profile| {
        let choice = decide(
            &catalog,
            profile,
            &Features {
                hints,
                ..features("issue an invoice")
            },
        );
        reason(&choice, "dear")
    };
    let cost = Hints {
        max_cost_eur: Some(0.1),
        ..Hints::default()
    };
    let latency = Hints {
        max_latency_ms: Some(800.0),
        ..Hints::default()
    };
    assert_eq!(asked(Hints::default(), &profile()), None);
    assert_eq!(asked(cost, &profile()), Some(Discard::BudgetCost));
    assert_eq!(asked(latency, &profile()), Some(Discard::BudgetLatency));
    let careful = Profile {
        max_risk: 0.3,
        ..profile()
    };
    assert_eq!(
        asked(Hints::default(), &careful),
        Some(Discard::RiskCeiling)
    );
}

#[tokio::test]
async fn pending_saturated_and_other_versions_are_ruled_out() {
    let pending = Arc::new(CatalogAgent {
        spec: Arc::new(spec("pending")),
        stats: Arc::new(AgentStats::default()),
        status: CardStatus::pending(),
    });
    let busy = plain("busy", INVOICES);
    let places: Vec<_> = (0..4).map(|_| busy.stats.enter(4).unwrap()).collect();
    let strange = json!({ "supportedInterfaces": [
        { "url": "http://x.test/", "protocolBinding": "urn:carrier-pigeon", "protocolVersion": "1.0" }] });
    let strange = ready(spec("strange"), card("strange", INVOICES, &strange));
    let catalog = catalog(vec![pending, Arc::clone(&busy), strange]);
    let choice = decide(&catalog, &profile(), &features("issue an invoice"));
    assert_eq!(reason(&choice, "pending"), Some(Discard::CardUnavailable));
    assert_eq!(reason(&choice, "busy"), Some(Discard::Saturated));
    assert_eq!(
        reason(&choice, "strange"),
        Some(Discard::VersionUnreachable)
    );
    drop(places);
    assert_eq!(
        chosen(&decide(&catalog, &profile(), &features("issue an invoice"))),
        Some("busy")
    );
}

#[tokio::test]
async fn large_federations_list_the_closest_and_count_the_rest() {
    let mut agents: Vec<_> = (0..150)
        .map(|number| plain(&format!("weather-{number}"), "weather forecast"))
        .collect();
    agents.push(plain("invoices", INVOICES));
    let choice = decide(&catalog(agents), &profile(), &features("issue an invoice"));
    assert_eq!(choice.candidates.len(), 1 + MAX_DISCARDED);
    let reasons = BTreeMap::from([(Discard::BelowMinFit, 150 - MAX_DISCARDED)]);
    assert_eq!(choice.unlisted.discarded, reasons);

    let agents = (0..50)
        .map(|number| plain(&format!("invoices-{number}"), INVOICES))
        .collect();
    let choice = decide(&catalog(agents), &profile(), &features("issue an invoice"));
    assert_eq!(choice.candidates.len(), 1 + MAX_OUTSCORED);
    assert_eq!(choice.unlisted.outscored, 49 - MAX_OUTSCORED);
}

#[tokio::test]
async fn following_checks_what_the_one_agent_can_do() {
    let mute = json!({ "capabilities": {} });
    let agent = ready(spec("mute"), card("mute", INVOICES, &mute));
    let catalog = catalog(vec![Arc::clone(&agent)]);
    let profile = profile().into();
    let asked = |features: &Features| {
        let question = Question {
            catalog: &catalog,
            profile: &profile,
            rule: None,
            features,
            meaning: None,
            version: Version::V1,
            binding: Binding::JsonRpc,
            now: Instant::now(),
            at: Timestamp::UNIX_EPOCH,
        };
        follow(question, &agent, DecisionKind::Pinned)
    };
    assert_eq!(chosen(&asked(&features("zxqv"))), Some("mute"));
    let streaming = asked(&Features {
        streaming: true,
        ..features("zxqv")
    });
    assert_eq!(reason(&streaming, "mute"), Some(Discard::Streaming));
}
