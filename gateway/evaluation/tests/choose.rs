//! Decisions made by live routing over random federations, stored, read and made again.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use agent_cards::{Card, TrustedKeys};
use gateway_core::{
    AgentAuth, AgentId, AgentSpec, AgentState, AmbiguityRule, Caller, CardPolicy, CardTrust,
    Catalog, Cost, Effect, Limits, OnAmbiguous, OnNoFit, Profile, RouteDecision, ServeCard,
    Weights,
    catalog::{AcceptedCard, CardStatus, CatalogAgent},
    decision::{Hints, Versions},
    ports::FetchedCard,
    profile::Method,
    route::{
        Choice, Features, Question, choose,
        rules::{Condition, Narrowing, Rule, RuleInput, Rules, Sent, Then},
    },
    stats::AgentStats,
};
use gateway_evaluation::{Participant, Setting, rechoose};
use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use proptest::{array::uniform6, collection::vec, option, prelude::*, sample::select};
use serde_json::json;
use tokio::time::Instant;
use url::Url;

const WORDS: [&str; 8] = [
    "invoice", "payment", "weather", "library", "letter", "travel", "grade", "tax",
];

/// What tells agents apart.
#[derive(Debug, Clone)]
struct Given {
    words: Vec<&'static str>,
    quality: f64,
    latency: Option<u64>,
    cost: f64,
    effect: Effect,
    preference: i32,
    streaming: bool,
}

fn agent_given() -> impl Strategy<Value = Given> {
    let effects = select(vec![
        Effect::Read,
        Effect::Prepare,
        Effect::ReversibleWrite,
        Effect::ExternalEffect,
    ]);
    (
        vec(select(WORDS.to_vec()), 1..4),
        0.0..=1.0_f64,
        option::of(1..20_000_u64),
        0.0..0.3_f64,
        effects,
        0..2_i32,
        any::<bool>(),
    )
        .prop_map(
            |(words, quality, latency, cost, effect, preference, streaming)| Given {
                words,
                quality,
                latency,
                cost,
                effect,
                preference,
                streaming,
            },
        )
}

fn profile_given(agents: usize) -> impl Strategy<Value = Profile> {
    (
        uniform6(0.0..1.0_f64),
        (1..20_000_u64, 0.001..0.3_f64),
        (0.0..0.6_f64, 0.1..1.0_f64),
        option::of(0..agents),
    )
        .prop_map(|(weights, references, limits, fallback)| {
            let [fit, quality, availability, latency, cost, risk] = weights;
            let mut profile = Profile::balanced();
            profile.weights = Weights {
                fit,
                quality,
                availability,
                latency,
                cost,
                risk,
            };
            profile.reference_latency = Duration::from_millis(references.0);
            (profile.reference_cost, profile.min_fit) = (references.1, limits.0);
            profile.max_risk = limits.1;
            profile.on_no_fit =
                fallback.map_or(OnNoFit::Reject, |place| OnNoFit::Fallback(id(place)));
            profile
        })
}

fn features_given() -> impl Strategy<Value = Features> {
    (
        vec(select(WORDS.to_vec()), 0..4),
        "[a-z]{0,6}",
        any::<bool>(),
        option::weighted(0.2, 1.0..20_000.0_f64),
        option::weighted(0.2, 0.001..0.3_f64),
        option::weighted(0.1, 0..3_usize),
    )
        .prop_map(
            |(words, message, streaming, max_latency_ms, max_cost_eur, agent)| Features {
                text: words.join(" "),
                message_id: Some(message),
                input_modes: vec!["text/plain".to_owned()],
                streaming,
                hints: Hints {
                    agent: agent.map(|place| id(place).to_string()),
                    max_latency_ms,
                    max_cost_eur,
                    ..Hints::default()
                },
                ..Features::default()
            },
        )
}

fn id(place: usize) -> AgentId {
    AgentId::parse(&format!("agent-{place}")).unwrap()
}

fn registered(place: usize, given: &Given) -> Arc<CatalogAgent> {
    let about = given.words.join(" ");
    let card = json!({
        "name": about, "description": about, "version": "1",
        "capabilities": { "streaming": given.streaming },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "main", "name": about, "description": about, "tags": [] }],
        "supportedInterfaces": [
            { "url": "http://x.test/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
    });
    let card = Card::parse(card.to_string().as_bytes()).unwrap();
    let spec = spec(place, given);
    let fetched = FetchedCard {
        verification: agent_cards::verify(&card, &TrustedKeys::new()),
        missing_keys: Vec::new(),
        card,
        location: spec.url.clone(),
        fresh_for: Duration::from_secs(300),
        stale_while_revalidate: Duration::ZERO,
        stale_if_error: None,
    };
    let card = fetched.card.clone();
    let accepted = AcceptedCard::new(&spec, (&fetched, card), Timestamp::UNIX_EPOCH);
    Arc::new(CatalogAgent {
        spec: Arc::new(spec),
        stats: Arc::new(AgentStats::default()),
        status: CardStatus {
            state: AgentState::Ready,
            accepted: Some(Arc::new(accepted)),
            ..CardStatus::pending()
        },
    })
}

fn spec(place: usize, given: &Given) -> AgentSpec {
    let seconds = Duration::from_secs;
    AgentSpec {
        id: id(place),
        url: Url::parse("http://agents.test/").unwrap(),
        card: CardPolicy {
            url: None,
            auth: AgentAuth::None,
            ttl: seconds(300),
            max_stale: seconds(3600),
            timeout: seconds(10),
            max_bytes: 1 << 20,
            trust: CardTrust::default(),
            serve: ServeCard::default(),
        },
        auth: AgentAuth::None,
        limits: Limits {
            connect: seconds(5),
            timeout: seconds(60),
            stream_idle: seconds(300),
            max_in_flight: 4,
            max_response_bytes: 1 << 24,
            max_event_bytes: 1 << 22,
        },
        quality: given.quality,
        latency: given.latency.map(Duration::from_millis),
        cost: Cost {
            per_request: given.cost,
            usage_pointer: None,
            per_unit: 1.0,
            currency: "EUR".to_owned(),
        },
        effect: given.effect,
        preference: given.preference,
        skills: BTreeMap::new(),
        own: [].into(),
    }
}

/// A profile, a message, and the rule that may match it.
#[derive(Debug, Clone)]
struct Asked {
    profile: Profile,
    features: Features,
    rule: Option<Then>,
}

/// What makes a message be decided otherwise than by score alone.
fn asked_given(agents: usize) -> impl Strategy<Value = Asked> {
    let rule = prop_oneof![
        3 => Just(None),
        1 => (0..agents).prop_map(|place| Some(Then::Pin(id(place)))),
        2 => (vec(0..agents, 0..4), option::of(effect_given()), any::<bool>()).prop_map(
            |(places, max_effect, by_rule)| {
                let agents = places.into_iter().map(id).collect();
                let profile = by_rule.then(|| "random".to_owned());
                Some(Then::Use(Narrowing { agents, profile, max_effect }))
            }
        ),
        1 => Just(Some(Then::Reject("closed".to_owned()))),
    ];
    let chance = (
        select(vec![Method::Off, Method::Epsilon, Method::Thompson]),
        0.1..1.0_f64,
        2..6_usize,
    );
    let guess = (
        select(vec![OnAmbiguous::Choose, OnAmbiguous::Reject]),
        0.05..1.0_f64,
        prop_oneof![Just(0.0), 0.0..0.1_f64],
    );
    let ceilings = (
        effect_given(),
        option::weighted(0.3, effect_given()),
        any::<bool>(),
    );
    let given = (
        profile_given(agents),
        features_given(),
        rule,
        chance,
        guess,
        ceilings,
    );
    given.prop_map(
        |(mut profile, mut features, rule, chance, guess, ceilings)| {
            profile.name = "random".to_owned();
            profile.by_request = true;
            profile.max_effect = ceilings.0;
            (
                profile.exploration.method,
                profile.exploration.share,
                profile.exploration.among,
            ) = chance;
            let (on_ambiguous, likeness, margin) = guess;
            profile.ambiguity = AmbiguityRule {
                on_ambiguous,
                likeness,
                margin,
            };
            features.hints.max_effect = ceilings.1;
            features.hints.profile = ceilings.2.then(|| profile.name.clone());
            Asked {
                profile,
                features,
                rule,
            }
        },
    )
}

fn effect_given() -> impl Strategy<Value = Effect> {
    // Most allow everything.
    prop_oneof![
        3 => Just(Effect::ExternalEffect),
        1 => select(vec![Effect::Read, Effect::Prepare, Effect::ReversibleWrite]),
    ]
}

impl Asked {
    fn rules(&self) -> Rules {
        let rule = self.rule.iter().map(|then| Rule {
            name: "matches".to_owned(),
            when: Condition::compile("request.streaming || !request.streaming").unwrap(),
            then: then.clone(),
        });
        Rules::new(rule.collect())
    }

    /// The setting in which the profile is chosen by a rule, by the request, or by default.
    fn setting(&self, agents: &[Arc<CatalogAgent>]) -> Setting {
        let by_rule =
            matches!(&self.rule, Some(Then::Use(narrowing)) if narrowing.profile.is_some());
        let is_named = by_rule || self.features.hints.profile.is_some();
        let other = Profile {
            min_fit: 0.99,
            ..Profile::balanced()
        };
        let agents = agents.iter().map(|agent| {
            let spec = agent.spec.as_ref();
            (spec.id.clone(), Participant::from(spec))
        });
        let default = if is_named { &other } else { &self.profile };
        Setting::new(agents, default)
            .with_profiles([&self.profile])
            .with_rules(self.rules())
            .of_configuration("random")
    }
}

/// Decides as the gateway does, and returns the record after it was written and read.
fn decided(agents: &[Arc<CatalogAgent>], asked: &Asked) -> RouteDecision {
    let catalog = Catalog::new(agents.to_vec(), None);
    let Asked {
        profile, features, ..
    } = asked;
    let caller = Caller::anonymous();
    let sent = Sent {
        operation: "SendMessage",
        version: Version::V1,
        binding: Binding::JsonRpc,
        caller: &caller,
    };
    let rules = asked.rules();
    let verdict = rules.decide(&RuleInput::of(features, sent));
    let choice = if verdict.turns_away() {
        Choice::turned_away()
    } else {
        choose(Question {
            catalog: &catalog,
            profile: &profile.clone().into(),
            rule: verdict.rule(),
            features,
            meaning: None,
            version: Version::V1,
            binding: Binding::JsonRpc,
            now: Instant::now(),
            at: Timestamp::UNIX_EPOCH,
        })
    };
    let versions = Versions {
        config: "random".to_owned(),
        profile: profile.version(),
        ..Versions::default()
    };
    let decision = json!({
        "id": "d", "at": Timestamp::UNIX_EPOCH, "kind": choice.kind, "caller": caller,
        "operation": "SendMessage", "client_version": Version::V1,
        "request": features.summary(), "rule": verdict.record(), "versions": versions,
        "weights": profile.weights, "candidates": choice.candidates, "unlisted": choice.unlisted,
        "margin": choice.margin, "propensity": choice.propensity,
        "exploration": choice.exploration, "ambiguity": choice.ambiguity,
    });
    serde_json::from_str(&decision.to_string()).unwrap()
}

/// Agents, and what is asked of them.
fn federation() -> impl Strategy<Value = (Vec<Given>, Asked)> {
    vec(agent_given(), 1..70).prop_flat_map(|agents| {
        let count = agents.len();
        (Just(agents), asked_given(count))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn what_live_routing_chose_is_chosen_again((given, asked) in federation()) {
        let agents: Vec<_> = given
            .iter()
            .enumerate()
            .map(|(place, given)| registered(place, given))
            .collect();
        let decision = decided(&agents, &asked);
        let setting = asked.setting(&agents);
        let again = rechoose(&decision, &setting).unwrap();
        prop_assert_eq!(again.kind, decision.kind);
        prop_assert!(again.doubts.is_empty(), "{:?}", again.doubts);
        prop_assert_eq!(again.logged, decision.chosen());
        // Another than the best got the message where chance took it.
        let best = decision.best();
        prop_assert_eq!(again.winner().map(|winner| &winner.agent), best);
        prop_assert!(!again.is_changed());
        let recorded = again.winner().and_then(|winner| winner.score);
        let score = again.after.map(|after| after.score.to_bits());
        prop_assert_eq!(score, recorded.map(f64::to_bits));
    }
}
