//! Decisions made by live routing over random federations, stored, read and made again.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use agent_cards::{Card, TrustedKeys};
use gateway_core::{
    AgentAuth, AgentId, AgentSpec, AgentState, Caller, CardPolicy, CardTrust, Catalog, Cost,
    Effect, Limits, OnNoFit, Profile, RouteDecision, ServeCard, Weights,
    catalog::{AcceptedCard, CardStatus, CatalogAgent},
    decision::{DecisionKind, Hints, Versions},
    ports::FetchedCard,
    route::{Choice, Features, Question, choose},
    stats::AgentStats,
};
use gateway_evaluation::{Setting, rechoose};
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
    }
}

/// The record of a choice, after it was written and read.
fn stored(choice: &Choice, features: &Features, profile: &Profile) -> RouteDecision {
    let decision = json!({
        "id": "d", "at": Timestamp::UNIX_EPOCH, "kind": choice.kind, "caller": Caller::anonymous(),
        "operation": "SendMessage", "client_version": Version::V1,
        "request": features.summary(),
        "versions": Versions { profile: profile.version(), ..Versions::default() },
        "weights": profile.weights, "candidates": choice.candidates, "unlisted": choice.unlisted,
        "margin": choice.margin, "propensity": choice.propensity,
    });
    serde_json::from_str(&decision.to_string()).unwrap()
}

/// Agents, a profile and a message.
fn federation() -> impl Strategy<Value = (Vec<Given>, Profile, Features)> {
    vec(agent_given(), 1..40).prop_flat_map(|agents| {
        let count = agents.len();
        (Just(agents), profile_given(count), features_given())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn what_live_routing_chose_is_chosen_again((given, profile, features) in federation()) {
        let agents: Vec<_> = given
            .iter()
            .enumerate()
            .map(|(place, given)| registered(place, given))
            .collect();
        let catalog = Catalog::new(agents.clone(), None);
        let choice = choose(Question {
            catalog: &catalog,
            profile: &profile.clone().into(),
            rule: None,
            features: &features,
            meaning: None,
            version: Version::V1,
            binding: Binding::JsonRpc,
            now: Instant::now(),
            at: Timestamp::UNIX_EPOCH,
        });
        let decision = stored(&choice, &features, &profile);
        let setting = Setting::new(
            agents.iter().map(|agent| (agent.spec.id.clone(), agent.spec.preference)),
            &profile,
        );
        let again = rechoose(&decision, &setting).unwrap();
        prop_assert_eq!(again.kind, choice.kind);
        prop_assert_eq!(again.winner(), decision.chosen());
        prop_assert_eq!(again.before, decision.chosen());
        prop_assert!(!again.is_changed() && again.doubts.is_empty(), "{:?}", again.doubts);
        let score = again.after.map(|after| after.score.to_bits());
        let live = choice.candidates.first().filter(|_| choice.kind != DecisionKind::NoFit);
        prop_assert_eq!(score, live.and_then(|live| live.score).map(f64::to_bits));
    }
}
